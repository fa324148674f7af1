// By the writing file or process, if the trace names it: data of one file are discarded together more often than
// neighbouring data (Rho et al., FStream, FAST 2018, by files; Kim et al., PCStream, FAST 2019, by program contexts).
#include "policies/host_placement/host_placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::host_placement::writer {
namespace {

class ByWriter final : public HostPlacementPolicy {
 public:
  explicit ByWriter(const HostPlacementContext& context) : identifiers_(context.identifiers) {}

  std::optional<std::uint32_t> choose(const HostWrite& write) override {
    if (write.writer == 0) return std::nullopt;
    return (write.writer - 1) % identifiers_;
  }

 private:
  std::uint32_t identifiers_;
};

const Registration<HostPlacementPolicy> registration{
    {.name = "writer",
     .summary = "the file or process that a trace names, in turn; none where it names none",
     .source = "Rho et al., FAST 2018 (files); Kim et al., FAST 2019 (program contexts)",
     .parameters = {}},
    [](const HostPlacementContext& context, const ParameterValues&) { return std::make_unique<ByWriter>(context); }};

}  // namespace
}  // namespace flashloom::host_placement::writer
