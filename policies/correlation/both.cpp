// COLD with both detectors: a page in a run of delta pages or more leaves with the run; any other page leaves with its
// window of arrivals, except those of the window that are in runs. O(log n) a write or a removal.
// J. K. Park, Correlated locality data distribution policy for improving performance in SSD, J. KSCI 21(2), 2016, which
// has both and does not say how to combine them: this is a choice.
#include "policies/correlation/correlation.hpp"
#include "policies/correlation/groups.hpp"
#include "policies/correlation/runs.hpp"
#include "policies/registry.hpp"

namespace flashloom::correlation::both {
namespace {

class Both final : public CorrelationDetector {
 public:
  Both(const CorrelationContext& context, const ParameterValues& values)
      : spatial_(context.capacity, threshold_of(values), limit_of(context, values)),
        temporal_(context.capacity, static_cast<std::uint32_t>(values.get<std::int64_t>("window"))) {}

  void written(Slot slot, std::uint64_t page, std::uint64_t) override {
    spatial_.written(slot, page);
    temporal_.written(slot);
  }
  void removed(Slot slot) override {
    spatial_.removed(slot);
    temporal_.removed(slot);
  }
  void set_of(Slot slot, std::vector<Slot>& members) override {
    if (spatial_.in_set(slot))
      spatial_.set_of(slot, members);
    else
      temporal_.set_of(slot, members, [this](Slot member) { return !spatial_.in_set(member); });
  }
  void state(StateArchive& archive) override { archive(spatial_, temporal_); }

 private:
  SpatialSets spatial_;
  TemporalSets temporal_;
};

const Registration<CorrelationDetector> registration{
    {.name = "both",
     .summary = "runs of consecutive pages; the other ones by windows of arrivals",
     .source = "J. K. Park, COLD, J. KSCI 21(2), 2016",
     .parameters = {threshold_parameter(),
                    limit_parameter(),
                    {.name = "window",
                     .default_value = std::int64_t{4},
                     .minimum = 2,
                     .maximum = 65536,
                     .choices = {},
                     .help = "pages of a window of arrivals"}}},
    [](const CorrelationContext& context, const ParameterValues& values) {
      return std::make_unique<Both>(context, values);
    }};

}  // namespace
}  // namespace flashloom::correlation::both
