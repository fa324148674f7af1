// No wear levelling: opens the block that has been free longest, like a queue of free blocks. Blocks that are used in
// turn wear evenly; those with cold data do not take part.
#include "policies/registry.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"

namespace flashloom::wear_leveling::none {
namespace {

class None final : public WearLevelingPolicy {
 public:
  std::uint32_t choose(const FreeBlocks&, FreeUse) const override { return 0; }
  void state(StateArchive&) override {}
};

const Registration<WearLevelingPolicy> registration{
    {.name = "none",
     .summary = "the block that has been free longest is opened next",
     .source = "a queue of free blocks",
     .parameters = {}},
    [](const WearLevelingContext&, const ParameterValues&) { return std::make_unique<None>(); }};

}  // namespace
}  // namespace flashloom::wear_leveling::none
