// Random: a uniformly drawn closed block with an invalid unit. O(1), and the least information that a policy can use.
// Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state
// drives", SIGMETRICS 2013 (d = 1).
#include "policies/garbage_collection/candidates.hpp"
#include "policies/garbage_collection/draw.hpp"
#include "policies/registry.hpp"

namespace flashloom::garbage_collection::random {
namespace {

class RandomVictim final : public GarbageCollectionPolicy {
 public:
  explicit RandomVictim(const GarbageCollectionContext& context) : candidates_(context), draw_(context.seed) {}

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) override {
    candidates_.closed(block, valid_units, age);
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t) override {
    candidates_.invalidated(block, valid_units);
  }
  std::uint32_t victim(std::uint64_t) override {
    if (candidates_.list().empty()) return kNoBlock;
    return candidates_.list()[draw_.below(static_cast<std::uint32_t>(candidates_.list().size()))];
  }
  void removed(std::uint32_t block) override { candidates_.removed(block); }
  void state(StateArchive& archive) override { archive(candidates_, draw_); }

 private:
  Candidates candidates_;
  Draw draw_;
};

const Registration<GarbageCollectionPolicy> registration{
    {.name = "random",
     .summary = "any block with an invalid unit",
     .source = "Van Houdt, SIGMETRICS 2013",
     .parameters = {}},
    [](const GarbageCollectionContext& context, const ParameterValues&) {
      return std::make_unique<RandomVictim>(context);
    }};

}  // namespace
}  // namespace flashloom::garbage_collection::random
