// Group-based wear levelling: counts erases by groups of consecutive blocks, since a counter a block needs too much
// memory for a small controller. Free blocks are taken from the least worn group. Two rules move data:
//   * between groups: when their means differ by more than `threshold` erases a block, the data of all blocks of the
//     least worn group move, one block at a time, each when a block of a worn group has just become free;
//   * within a group, where wear is not counted: after every `threshold` erases of a group the data of its next block
//     move, in turn.
// O(free blocks) a block opened, O(groups + blocks of a group) a move.
// After Jung, Chae, Jo, Kim, Lee, "A group-based wear-leveling algorithm for large-capacity flash memory storage
// systems", CASES 2007: the groups, their counters and the swap of the data of the extreme groups. Groups are fixed
// here, and the second rule is ours.
#include <algorithm>
#include <vector>

#include "policies/registry.hpp"
#include "policies/wear_leveling/least_worn_free.hpp"

namespace flashloom::wear_leveling::group {
namespace {

class Group final : public WearLevelingPolicy {
 public:
  Group(const WearLevelingContext& context, std::uint32_t blocks_a_group, std::uint32_t threshold)
      : blocks_(context.blocks),
        blocks_a_group_(std::min(blocks_a_group, context.blocks)),
        threshold_(threshold),
        closed_(context.blocks),
        groups_((context.blocks + blocks_a_group_ - 1) / blocks_a_group_) {
    // Wear from before the run.
    for (std::uint32_t block = 0; block < blocks_ && context.wear != nullptr; ++block)
      groups_[block / blocks_a_group_].erases += context.wear->erases(block);
  }

  std::uint32_t choose(const FreeBlocks& free, FreeUse use) const override {
    return choose_by_wear(free, use, [this](std::uint32_t block) { return mean_of(block / blocks_a_group_); });
  }
  void erased(std::uint32_t block) override {
    last_ = block / blocks_a_group_;
    ++groups_[last_].erases;
    ++groups_[last_].since_turn;
  }
  void closed(std::uint32_t block) override { closed_[block] = 1; }
  void removed(std::uint32_t block) override { closed_[block] = 0; }
  bool moves() const override { return true; }
  std::uint32_t to_move() override {
    std::uint32_t least = 0;
    std::uint32_t most = 0;
    for (std::uint32_t group = 0; group < groups_.size(); ++group) {
      if (mean_of(group) < mean_of(least)) least = group;
      if (mean_of(group) > mean_of(most)) most = group;
    }
    if (next_ == end_ && mean_of(most) > mean_of(least) + std::uint64_t{threshold_} * kScale) {
      next_ = least * blocks_a_group_;
      end_ = next_ + size_of(least);
    }
    while (next_ != end_ && 2 * mean_of(last_) >= mean_of(most) + mean_of(least))
      if (const std::uint32_t block = next_++; closed_[block] != 0) return block;
    return next_by_turns();
  }
  void state(StateArchive& archive) override { archive(closed_, groups_, next_, end_, last_); }

 private:
  struct Counts {
    std::uint64_t erases = 0;
    std::uint32_t since_turn = 0;  // erases since a block last moved in turn
    std::uint32_t turn = 0;        // the block of the group that moved then
  };
  static constexpr std::uint64_t kScale = 256;  // scales means, since the last group may be smaller

  std::uint32_t next_by_turns() {
    Counts& group = groups_[last_];
    if (group.since_turn < threshold_) return kNoBlock;
    group.since_turn = 0;
    for (std::uint32_t looked = 0; looked < size_of(last_); ++looked) {
      group.turn = group.turn + 1 == size_of(last_) ? 0 : group.turn + 1;
      const std::uint32_t block = last_ * blocks_a_group_ + group.turn;
      if (closed_[block] != 0) return block;
    }
    return kNoBlock;
  }

  std::uint32_t size_of(std::uint32_t group) const {
    return std::min(blocks_a_group_, blocks_ - group * blocks_a_group_);
  }
  std::uint64_t mean_of(std::uint32_t group) const { return groups_[group].erases * kScale / size_of(group); }

  std::uint32_t blocks_;
  std::uint32_t blocks_a_group_;
  std::uint32_t threshold_;
  std::vector<std::uint8_t> closed_;
  std::vector<Counts> groups_;
  std::uint32_t next_ = 0;  // block of the group that is being emptied
  std::uint32_t end_ = 0;   // one past its last block
  std::uint32_t last_ = 0;  // group of the last erase
};

const Registration<WearLevelingPolicy> registration{
    {.name = "group",
     .summary = "wear is counted by groups of blocks; data move from the least to the most worn group",
     .source = "Jung et al., A group-based wear-leveling algorithm, CASES 2007",
     .parameters = {{.name = "blocks",
                     .default_value = std::int64_t{16},
                     .minimum = 1,
                     .maximum = 1 << 20,
                     .choices = {},
                     .help = "blocks of a group"},
                    {.name = "threshold",
                     .default_value = std::int64_t{8},
                     .minimum = 1,
                     .maximum = 1e9,
                     .choices = {},
                     .help = "erases a block between the most and the least worn group"}}},
    [](const WearLevelingContext& context, const ParameterValues& values) {
      return std::make_unique<Group>(context, static_cast<std::uint32_t>(values.get<std::int64_t>("blocks")),
                                     static_cast<std::uint32_t>(values.get<std::int64_t>("threshold")));
    }};

}  // namespace
}  // namespace flashloom::wear_leveling::group
