#include "controllers/host/placing_source.hpp"

namespace flashloom {

// An identifier of the workload itself is kept.
void HostPlacer::place(Request& request) {
  HostWrite write{.offset = request.offset,
                  .length = request.length,
                  .number = writes,
                  .job = std::uint32_t{request.stream},
                  .writer = std::uint32_t{request.writer}};
  if (discards(request.kind)) {
    if (request.ranges == nullptr) return policy->discarded(write);
    for (std::uint32_t i = 0; i < request.range_count; ++i) {
      write.offset = request.ranges[i].offset;
      write.length = request.ranges[i].length;
      policy->discarded(write);
    }
    return;
  }
  if (request.kind != RequestKind::Write || request.directive != RequestDirective::None) return;
  write.number = ++writes;
  const auto chosen = policy->choose(write);
  if (!chosen) return;
  request.directive = directive;
  request.identifier = identifiers[*chosen];
}

}  // namespace flashloom
