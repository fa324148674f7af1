// Cost age times (CAT): the block with the least u / (1 - u) * 1 / age * times: cheap to clean, long unchanged, and
// seldom erased, so that cleaning also levels wear. u is the share of valid units, age the host writes since the block
// was closed, times its erases (+ 1, so that blocks that were never erased are still told apart).
// Looks at every closed block with an invalid unit: O(blocks of the die) a victim, O(1) an invalidation.
// Chiang and Chang, "Cleaning policies in mobile computers using flash memory", Journal of Systems and Software 48
// (1999); Chiang, Lee, Chang, "Using data clustering to improve cleaning performance for flash memory", SP&E 29 (1999).
#include "policies/garbage_collection/candidates.hpp"
#include "policies/registry.hpp"

namespace flashloom::garbage_collection::cost_age_times {
namespace {

class CostAgeTimes final : public GarbageCollectionPolicy {
 public:
  explicit CostAgeTimes(const GarbageCollectionContext& context) : candidates_(context), wear_(context.wear) {}

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) override {
    candidates_.closed(block, valid_units, age);
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override {
    candidates_.invalidated(block, valid_units);
  }
  std::uint32_t victim(std::uint64_t age) override {
    std::uint32_t best = kNoBlock;
    double best_cost = 0;
    for (const std::uint32_t block : candidates_.list()) {
      const double u = candidates_.utilization(block);
      const double times = 1.0 + (wear_ == nullptr ? 0.0 : static_cast<double>(wear_->erases(block)));
      const double cost = u / (1 - u) / static_cast<double>(candidates_.since_closed(block, age)) * times;
      // Ties go to the lowest number, since the order of the list is arbitrary.
      if (best != kNoBlock && (cost > best_cost || (cost == best_cost && block > best))) continue;
      best = block;
      best_cost = cost;
    }
    return best;
  }
  void removed(std::uint32_t block) override { candidates_.removed(block); }
  void state(StateArchive& archive) override { archive(candidates_); }

 private:
  Candidates candidates_;
  const BlockWear* wear_;
};

const Registration<GarbageCollectionPolicy> registration{
    {.name = "cost_age_times",
     .summary = "least u / (1 - u) / age * erases, u the share of valid units (CAT)",
     .source = "Chiang and Chang, Cleaning policies in mobile computers using flash memory, JSS 48, 1999",
     .parameters = {}},
    [](const GarbageCollectionContext& context, const ParameterValues&) {
      return std::make_unique<CostAgeTimes>(context);
    }};

}  // namespace
}  // namespace flashloom::garbage_collection::cost_age_times
