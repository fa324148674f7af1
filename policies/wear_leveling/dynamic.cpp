// Dynamic wear levelling: opens the least worn free block next. Blocks with cold data are not moved, and fall behind in
// wear. Chang and Kuo, RTAS 2002; Micron TN-29-42, "Wear-leveling techniques in NAND flash devices".
#include "policies/registry.hpp"
#include "policies/wear_leveling/least_worn_free.hpp"

namespace flashloom::wear_leveling::dynamic {
namespace {

class Dynamic final : public WearLevelingPolicy {
 public:
  explicit Dynamic(const WearLevelingContext& context) : wear_(context.wear) {}

  std::uint32_t choose(const FreeBlocks& free, FreeUse) const override {
    return choose_by_wear(free, FreeUse::Data,
                          [this](std::uint32_t block) { return wear_ == nullptr ? 0 : wear_->erases(block); });
  }
  void state(StateArchive&) override {}

 private:
  const BlockWear* wear_;
};

const Registration<WearLevelingPolicy> registration{
    {.name = "dynamic",
     .summary = "the least worn free block is opened next",
     .source = "Chang and Kuo, RTAS 2002; Micron TN-29-42",
     .parameters = {}},
    [](const WearLevelingContext& context, const ParameterValues&) { return std::make_unique<Dynamic>(context); }};

}  // namespace
}  // namespace flashloom::wear_leveling::dynamic
