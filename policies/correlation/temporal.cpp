// COLD's temporal detector: delta pages that arrive in succession form a set. O(1) a write or a removal.
// J. K. Park, Correlated locality data distribution policy for improving performance in SSD, J. KSCI 21(2), 2016.
//
// Choices. The paper's windows have a fixed size, so that every page ends up in one. A page that is written again while
// its window fills stays in place; later it leaves its window, which keeps the others, and arrives anew. A window that
// is still filling is not a set, nor is a window with a single page left.
#include "policies/correlation/correlation.hpp"
#include "policies/correlation/groups.hpp"
#include "policies/registry.hpp"

namespace flashloom::correlation::temporal {
namespace {

class Temporal final : public CorrelationDetector {
 public:
  Temporal(const CorrelationContext& context, const ParameterValues& values)
      : sets_(context.capacity, threshold_of(values)) {}

  void written(Slot slot, std::uint64_t, std::uint64_t) override { sets_.written(slot); }
  void removed(Slot slot) override { sets_.removed(slot); }
  void set_of(Slot slot, std::vector<Slot>& members) override {
    sets_.set_of(slot, members, [](Slot) { return true; });
  }
  void state(StateArchive& archive) override { sets_.state(archive); }

 private:
  TemporalSets sets_;
};

const Registration<CorrelationDetector> registration{
    {.name = "temporal",
     .summary = "windows of pages that came one behind the other",
     .source = "J. K. Park, COLD, J. KSCI 21(2), 2016",
     .parameters = {threshold_parameter()}},
    [](const CorrelationContext& context, const ParameterValues& values) {
      return std::make_unique<Temporal>(context, values);
    }};

}  // namespace
}  // namespace flashloom::correlation::temporal
