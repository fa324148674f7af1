// By writer: job of a job file, source of a workload file, device of a trace. Like tenants of a drive that are
// separated with a reclaim unit handle each (NVMe TP4146), or processes with a stream each (Kang et al., HotStorage
// 2014).
#include "policies/host_placement/host_placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::host_placement::job {
namespace {

class ByJob final : public HostPlacementPolicy {
 public:
  explicit ByJob(const HostPlacementContext& context) : identifiers_(context.identifiers) {}

  std::optional<std::uint32_t> choose(const HostWrite& write) override { return write.job % identifiers_; }

 private:
  std::uint32_t identifiers_;
};

const Registration<HostPlacementPolicy> registration{
    {.name = "job",
     .summary = "the number of the job, or of the device of a trace",
     .source = "Kang et al., HotStorage 2014: a stream each writer",
     .parameters = {}},
    [](const HostPlacementContext& context, const ParameterValues&) { return std::make_unique<ByJob>(context); }};

}  // namespace
}  // namespace flashloom::host_placement::job
