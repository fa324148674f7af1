// COLD's spatial detector: a maximal run of consecutive logical pages among the buffered ones, of at least delta pages,
// is a set. O(log n) a write or a removal, O(log n + pages of the set) when one leaves.
// J. K. Park, Correlated locality data distribution policy for improving performance in SSD, J. KSCI 21(2), 2016.
//
// Choices. The paper says "at least delta" once and "more than delta" once: at least. Its unit is assumed to be the
// page. A run of more than `limit` pages, by default a block's, is split from its first page on, each piece a set of
// its own for another die: else one sequential stream would fill the buffer with one run, and wait for one die.
#include "policies/correlation/correlation.hpp"
#include "policies/correlation/runs.hpp"
#include "policies/registry.hpp"

namespace flashloom::correlation::spatial {
namespace {

class Spatial final : public CorrelationDetector {
 public:
  Spatial(const CorrelationContext& context, const ParameterValues& values)
      : sets_(context.capacity, threshold_of(values), limit_of(context, values)) {}

  void written(Slot slot, std::uint64_t page, std::uint64_t) override { sets_.written(slot, page); }
  void removed(Slot slot) override { sets_.removed(slot); }
  void set_of(Slot slot, std::vector<Slot>& members) override { sets_.set_of(slot, members); }
  void state(StateArchive& archive) override { sets_.state(archive); }

 private:
  SpatialSets sets_;
};

const Registration<CorrelationDetector> registration{
    {.name = "spatial",
     .summary = "runs of consecutive buffered pages",
     .source = "J. K. Park, COLD, J. KSCI 21(2), 2016",
     .parameters = {threshold_parameter(), limit_parameter()}},
    [](const CorrelationContext& context, const ParameterValues& values) {
      return std::make_unique<Spatial>(context, values);
    }};

}  // namespace
}  // namespace flashloom::correlation::spatial
