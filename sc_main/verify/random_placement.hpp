// Random placement identifiers for the requests of torture.
#pragma once

#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// With flexible data placement, gives most writes an identifier, some of them an invalid one, and lets half of the
/// flushes move a handle on to its next reclaim unit. Without it, draws no random number.
inline void place_at_random(Request& request, const FdpConfig& config, Random& random) {
  if (!config.on()) return;
  const bool flush = request.kind == RequestKind::Flush;
  if ((!flush && request.kind != RequestKind::Write) || random.chance(flush ? 0.5 : 0.2)) return;
  const auto streams = config.groups * config.handles;
  const auto stream = static_cast<std::uint32_t>(random.below(streams));
  request.directive = RequestDirective::DataPlacement;
  request.identifier = random.chance(0.05) ? 0xffff : placement_identifier(config, stream);
}

}  // namespace flashloom
