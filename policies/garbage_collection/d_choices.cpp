// d choices: of d blocks drawn at random (with replacement), the one with the fewest valid units. O(d); a few choices
// come close to greedy without an index. Van Houdt, "A mean field model for a class of garbage collection algorithms in
// flash-based solid state drives", SIGMETRICS 2013; Li, Lee, Lui, "Stochastic modeling of large-scale solid-state
// storage systems", SIGMETRICS 2013 ("randomized greedy").
#include "policies/garbage_collection/candidates.hpp"
#include "policies/garbage_collection/draw.hpp"
#include "policies/registry.hpp"

namespace flashloom::garbage_collection::d_choices {
namespace {

class DChoices final : public GarbageCollectionPolicy {
 public:
  DChoices(const GarbageCollectionContext& context, std::uint32_t choices)
      : candidates_(context), draw_(context.seed), choices_(choices) {}

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) override {
    candidates_.closed(block, valid_units, age);
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override {
    candidates_.invalidated(block, valid_units);
  }
  std::uint32_t victim(std::uint64_t) override {
    const std::vector<std::uint32_t>& list = candidates_.list();
    std::uint32_t best = kNoBlock;
    for (std::uint32_t i = 0; i < choices_ && !list.empty(); ++i) {
      const std::uint32_t block = list[draw_.below(static_cast<std::uint32_t>(list.size()))];
      if (best == kNoBlock || candidates_.valid(block) < candidates_.valid(best)) best = block;
    }
    return best;
  }
  void removed(std::uint32_t block) override { candidates_.removed(block); }
  void state(StateArchive& archive) override { archive(candidates_, draw_); }

 private:
  Candidates candidates_;
  Draw draw_;
  std::uint32_t choices_;
};

const Registration<GarbageCollectionPolicy> registration{
    {.name = "d_choices",
     .summary = "fewest valid units of d blocks drawn at random",
     .source = "Van Houdt, SIGMETRICS 2013; Li, Lee and Lui, SIGMETRICS 2013",
     .parameters = {{.name = "d",
                     .default_value = std::int64_t{10},
                     .minimum = 1,
                     .maximum = 4096,
                     .choices = {},
                     .help = "blocks drawn; 1: random"}},
     .aliases = {"random_greedy"}},
    [](const GarbageCollectionContext& context, const ParameterValues& values) {
      return std::make_unique<DChoices>(context, static_cast<std::uint32_t>(values.get<std::int64_t>("d")));
    }};

}  // namespace
}  // namespace flashloom::garbage_collection::d_choices
