// The host gives no placement identifiers of its own.
#include "policies/host_placement/host_placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::host_placement::none {
namespace {

class None final : public HostPlacementPolicy {
 public:
  bool active() const override { return false; }
  std::optional<std::uint32_t> choose(const HostWrite&) override { return std::nullopt; }
};

const Registration<HostPlacementPolicy> registration{
    {.name = "none", .summary = "none but those of the workload", .source = "", .parameters = {}},
    [](const HostPlacementContext&, const ParameterValues&) { return std::make_unique<None>(); }};

}  // namespace
}  // namespace flashloom::host_placement::none
