// Cost-benefit: the block with the greatest benefit / cost = (1 - u) * age / (1 + u), u its share of valid units: cold
// blocks are collected at a higher u than hot ones, whose units will soon be invalid anyway. Age in host writes: since
// the block was closed (its youngest data, as in LFS), or since its last invalidation (Kawaguchi et al.).
// Looks at every closed block with an invalid unit: O(blocks of the die) a victim, O(1) an invalidation.
// Rosenblum and Ousterhout, "The design and implementation of a log-structured file system", TOCS 1992; Kawaguchi,
// Nishioka, Motoda, "A flash-memory based file system", USENIX 1995.
#include "policies/garbage_collection/candidates.hpp"
#include "policies/registry.hpp"

namespace flashloom::garbage_collection::cost_benefit {
namespace {

class CostBenefit final : public GarbageCollectionPolicy {
 public:
  CostBenefit(const GarbageCollectionContext& context, bool since_invalidation)
      : candidates_(context), touched_(since_invalidation ? context.blocks : 0) {}

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) override {
    candidates_.closed(block, valid_units, age);
    if (!touched_.empty()) touched_[block] = age;
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) override {
    candidates_.invalidated(block, valid_units);
    if (!touched_.empty()) touched_[block] = age;
  }
  std::uint32_t victim(std::uint64_t age) override {
    std::uint32_t best = kNoBlock;
    double best_ratio = 0;
    for (const std::uint32_t block : candidates_.list()) {
      const double u = candidates_.utilization(block);
      const double ratio = (1 - u) * static_cast<double>(age_of(block, age)) / (1 + u);
      // Ties go to the lowest number, since the order of the list is arbitrary.
      if (best != kNoBlock && (ratio < best_ratio || (ratio == best_ratio && block > best))) continue;
      best = block;
      best_ratio = ratio;
    }
    return best;
  }
  void removed(std::uint32_t block) override { candidates_.removed(block); }
  void state(StateArchive& archive) override { archive(candidates_, touched_); }

 private:
  std::uint64_t age_of(std::uint32_t block, std::uint64_t age) const {
    if (touched_.empty()) return candidates_.since_closed(block, age);
    return age > touched_[block] ? age - touched_[block] : 1;
  }

  Candidates candidates_;
  std::vector<std::uint64_t> touched_;  // with age = "invalidated"
};

const Registration<GarbageCollectionPolicy> registration{
    {.name = "cost_benefit",
     .summary = "greatest (1 - u) * age / (1 + u), u the share of valid units",
     .source = "Rosenblum and Ousterhout, LFS, TOCS 1992; Kawaguchi et al., USENIX 1995",
     .parameters = {{.name = "age",
                     .default_value = std::string("closed"),
                     .choices = {"closed", "invalidated"},
                     .help = "counts in host writes since the block was closed, or since its last invalidation"}}},
    [](const GarbageCollectionContext& context, const ParameterValues& values) {
      return std::make_unique<CostBenefit>(context, values.get<std::string>("age") == "invalidated");
    }};

}  // namespace
}  // namespace flashloom::garbage_collection::cost_benefit
