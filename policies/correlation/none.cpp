// No correlation: pages leave the buffer as its policy says.
#include "policies/correlation/correlation.hpp"
#include "policies/registry.hpp"

namespace flashloom::correlation::none {
namespace {

class None final : public CorrelationDetector {
 public:
  bool active() const override { return false; }
  void written(Slot, std::uint64_t, std::uint64_t) override {}
  void removed(Slot) override {}
  void set_of(Slot, std::vector<Slot>&) override {}
  void state(StateArchive&) override {}
};

const Registration<CorrelationDetector> registration{
    {.name = "none", .summary = "no sets", .source = "classic", .parameters = {}},
    [](const CorrelationContext&, const ParameterValues&) { return std::make_unique<None>(); }};

}  // namespace
}  // namespace flashloom::correlation::none
