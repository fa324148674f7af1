// Static wear levelling: dynamic, and when some block has been erased more than `threshold` times more often than the
// least worn block that holds data, those data (cold, or the block would have been erased) move to the most worn free
// block, and the young block takes part again.
// O(blocks of the die) a move, O(1) an erase otherwise: a lower bound of the erases of closed blocks is kept.
// Micron TN-29-42, "Wear-leveling techniques in NAND flash devices"; the threshold on the spread as in Chang, Hsieh,
// Kuo, "Endurance enhancement of flash-memory storage systems: an efficient static wear leveling design", DAC 2007.
#include <algorithm>
#include <vector>

#include "policies/registry.hpp"
#include "policies/wear_leveling/least_worn_free.hpp"

namespace flashloom::wear_leveling::static_ {
namespace {

class Static final : public WearLevelingPolicy {
 public:
  Static(const WearLevelingContext& context, std::uint32_t threshold)
      : wear_(context.wear), threshold_(threshold), closed_(context.blocks) {
    for (std::uint32_t block = 0; block < context.blocks; ++block) most_ = std::max(most_, wear_of(block));
  }

  std::uint32_t choose(const FreeBlocks& free, FreeUse use) const override {
    return choose_by_wear(free, use, [this](std::uint32_t block) { return wear_of(block); });
  }
  void erased(std::uint32_t block) override { most_ = std::max(most_, wear_of(block)); }
  void closed(std::uint32_t block) override {
    closed_[block] = 1;
    least_ = std::min(least_, wear_of(block));
  }
  void removed(std::uint32_t block) override { closed_[block] = 0; }
  bool moves() const override { return true; }
  std::uint32_t to_move() override {
    if (most_ <= threshold_ || most_ - threshold_ <= least_) return kNoBlock;
    std::uint32_t youngest = kNoBlock;
    least_ = kNothing;
    for (std::uint32_t block = 0; block < closed_.size(); ++block) {
      if (closed_[block] == 0 || wear_of(block) >= least_) continue;
      youngest = block;
      least_ = wear_of(block);
    }
    return most_ - threshold_ > least_ ? youngest : kNoBlock;
  }
  void state(StateArchive& archive) override { archive(closed_, most_, least_); }

 private:
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  std::uint32_t wear_of(std::uint32_t block) const { return wear_ == nullptr ? 0 : wear_->erases(block); }

  const BlockWear* wear_;
  std::uint32_t threshold_;
  std::vector<std::uint8_t> closed_;
  std::uint32_t most_ = 0;          // erases of any block
  std::uint32_t least_ = kNothing;  // lower bound of the erases of closed blocks
};

const Registration<WearLevelingPolicy> registration{
    {.name = "static",
     .summary = "dynamic, and data of blocks that lag behind by a threshold move to worn blocks",
     .source = "Micron TN-29-42; Chang, Hsieh and Kuo, DAC 2007",
     .parameters = {{.name = "threshold",
                     .default_value = std::int64_t{16},
                     .minimum = 1,
                     .maximum = 1e9,
                     .choices = {},
                     .help = "erases between the most worn block and the least worn one with data"}}},
    [](const WearLevelingContext& context, const ParameterValues& values) {
      return std::make_unique<Static>(context, static_cast<std::uint32_t>(values.get<std::int64_t>("threshold")));
    }};

}  // namespace
}  // namespace flashloom::wear_leveling::static_
