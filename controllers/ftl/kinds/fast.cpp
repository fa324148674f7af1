// FAST: log blocks that are not bound to data blocks. Each die has one sequential log block, for a logical block being
// written in order from its first unit on, and random log blocks, which are filled one after another with all other
// overwrites. The sequential one becomes a data block by a switch or a partial merge. When the random ones are full,
// the oldest is emptied: each logical block with valid units in it is fully merged.
// Source: S.-W. Lee, D.-J. Park, T.-S. Chung, D.-H. Lee, S. Park, H.-J. Song, A log buffer-based flash translation
// layer using fully-associative sector translation, ACM Trans. Embedded Computing Systems 6(3), 2007.
//
// Choices. Each die is a separate FAST for the logical blocks striped to it. If the owner of the sequential log block
// is written out of order, that log block is merged first, as in the paper, and the write is then tried again.
#include <algorithm>
#include <deque>
#include <stdexcept>

#include "controllers/ftl/mapping/block_ftl.hpp"
#include "policies/registry.hpp"

namespace flashloom::ftl::fast {
namespace {

constexpr std::uint32_t kLeastLogBlocks = 2;  // per die: the sequential one and a random one

class FastFtl final : public BlockFtl {
 public:
  FastFtl(const FtlContext& context, std::uint32_t log_blocks, std::uint32_t open_programs)
      : BlockFtl(context, open_programs, kLeastLogBlocks), dies_(context.geometry.dies) {
    for (std::uint32_t die = 0; die < context.geometry.dies; ++die)
      dies_[die].limit = std::max(space_.share(log_blocks, die), kLeastLogBlocks) - 1;
  }

  Task<void> write(WriteUnit& unit) override {
    const LogicalBlock logical = logical_.block_of(unit.unit);
    const std::uint32_t offset = logical_.offset_of(unit.unit);
    DieLogs& die = dies_[logical_.die_of(logical)];
    if (has_duties(logical)) [[unlikely]]
      co_await do_duties(logical);
    while (!worn_down()) {
      BlockNumber data = logical_.data(logical);
      const PhysicalUnit place = map_.get(unit.unit);
      if (place == kNoPhysicalUnit || logical_.lies_in(place, data)) {
        if (data == kNoBlockNumber && die.owner != logical && (offset == 0 || programs_.any_order())) {
          data = co_await merges_.open(logical);
          logical_.set_data(logical, data);
        }
        if (data != kNoBlockNumber && programs_.can_place(data, offset)) {
          programs_.place_host(data, offset, unit);
          co_return;
        }
      }
      if (die.owner == logical && programs_.next_position(die.sequential) == offset &&
          programs_.takes_next(die.sequential)) {
        programs_.place_host(die.sequential, offset, unit);
        co_return;
      }
      if (die.owner == logical || (offset == 0 && die.owner != kNoLogicalBlock)) {
        co_await merge_sequential(die);
        continue;
      }
      if (die.random.size() > limit(logical_.die_of(logical))) {  // blocks have failed since
        co_await merge_oldest(die);
        continue;
      }
      if (offset == 0) {
        die.sequential = co_await merges_.open(logical);
        die.owner = logical;
        continue;
      }
      if (!die.random.empty() && programs_.takes_next(die.random.back())) {
        programs_.place_host(die.random.back(), programs_.next_position(die.random.back()), unit);
        co_return;
      }
      if (die.random.size() >= limit(logical_.die_of(logical))) {
        co_await merge_oldest(die);
        continue;
      }
      const BlockNumber block = co_await merges_.open(logical);
      die.random.push_back(block);
    }
    co_await write_last(unit);
  }

 private:
  // Random log blocks that a die may have.
  std::uint32_t limit(std::uint32_t die) const { return std::min(dies_[die].limit, extra_blocks(die) - 1); }

  std::uint32_t used_blocks(std::uint32_t die) const override {
    return static_cast<std::uint32_t>(dies_[die].random.size()) + 1;
  }
  Task<void> give_up_one(std::uint32_t die) override { return merge_oldest(dies_[die]); }

  struct DieLogs {
    std::uint32_t limit = 0;  ///< random log blocks
    BlockNumber sequential = kNoBlockNumber;
    LogicalBlock owner = kNoLogicalBlock;  ///< of the sequential log block
    std::deque<BlockNumber> random;        ///< oldest first; the last one is being filled
    void state(StateArchive& archive) {
      std::vector<BlockNumber> blocks(random.begin(), random.end());
      archive(sequential, owner, blocks);
      random.assign(blocks.begin(), blocks.end());
    }
  };

  Task<void> merge_sequential(DieLogs& die) {
    const LogicalBlock logical = std::exchange(die.owner, kNoLogicalBlock);
    const BlockNumber log = std::exchange(die.sequential, kNoBlockNumber);
    co_await merge_in_order(logical, log);
  }

  // Merges a log block that was written in order.
  Task<void> merge_in_order(LogicalBlock logical, BlockNumber log) {
    co_await before_release();
    co_await merges_.merge(logical, log);
  }

  // Merges every logical block with valid units in the oldest random log block, in the order of these units.
  Task<void> merge_oldest(DieLogs& die) {
    co_await before_release();
    const BlockNumber victim = die.random.front();
    for (std::uint32_t position = 0; position < logical_.units() && blocks_[victim].valid != 0; ++position) {
      const OobWord word = logical_.word_of(victim, position);
      if (!layout_.is_data(word)) continue;
      const std::uint32_t unit = layout_.unit(word);
      if (map_.get(unit) != victim * logical_.units() + position) continue;
      if (worn_down()) co_return;
      const LogicalBlock logical = logical_.block_of(unit);
      std::vector<BlockNumber> sources;
      if (logical_.data(logical) != kNoBlockNumber) sources.push_back(logical_.data(logical));
      if (die.owner == logical) {
        sources.push_back(std::exchange(die.sequential, kNoBlockNumber));
        die.owner = kNoLogicalBlock;
      }
      sources.push_back(victim);
      co_await merges_.merge_all(logical, sources, true);
    }
    die.random.pop_front();
    merges_.release(victim);
  }

  // No merge is needed if the units fit into the data block, continue or begin the sequential log block, or fit into
  // the random ones.
  bool merges_for(LogicalBlock logical, std::uint32_t offset, std::uint32_t count) const override {
    const DieLogs& die = dies_[logical_.die_of(logical)];
    const BlockNumber data = logical_.data(logical);
    bool elsewhere = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const PhysicalUnit place = logical_.place_of(logical, offset + i);
      elsewhere |= place != kNoPhysicalUnit && !logical_.lies_in(place, data);
    }
    if (data == kNoBlockNumber && die.owner != logical && !elsewhere && (offset == 0 || programs_.any_order()))
      return false;
    if (!elsewhere && data != kNoBlockNumber && programs_.can_place(data, offset, count)) return false;
    if (die.owner == logical) return programs_.next_position(die.sequential) != offset;
    if (offset == 0) return die.owner != kNoLogicalBlock;
    const std::size_t begun = die.random.empty() ? 0 : logical_.units() - programs_.next_position(die.random.back());
    const std::size_t most = limit(logical_.die_of(logical));
    const std::size_t unused = die.random.size() < most ? most - die.random.size() : 0;
    return begun + unused * logical_.units() < count;
  }

  bool being_rewritten(LogicalBlock logical) const override { return dies_[logical_.die_of(logical)].owner == logical; }

  bool may_hold(BlockNumber block, LogicalBlock logical) const override {
    const DieLogs& die = dies_[logical_.die_of(logical)];
    return (block == die.sequential && die.owner == logical) ||
           std::find(die.random.begin(), die.random.end(), block) != die.random.end();
  }

  Task<void> adopt(const std::vector<Leftover>& found) override {
    for (const Leftover& leftover : found)
      if (leftover.logical == kNoLogicalBlock) dies_[blocks_.die_of(leftover.block)].random.push_back(leftover.block);
    // Log blocks written in order are merged at once, those first that need no free block.
    for (const bool with_free_block : {false, true})
      for (const Leftover& leftover : found) {
        if (leftover.logical == kNoLogicalBlock || blocks_[leftover.block].given_up() ||
            leftover.block == logical_.data(leftover.logical))
          continue;
        if (!worn_down() && (with_free_block || merges_.can_become_data(leftover.logical, leftover.block)))
          co_await merge_in_order(leftover.logical, leftover.block);
      }
    for (std::uint32_t die = 0; die < dies_.size(); ++die)
      while (!worn_down() && (dies_[die].random.size() > limit(die) ||
                              (blocks_.free().of_die(die) < space_.reserve() && !dies_[die].random.empty())))
        co_await merge_oldest(dies_[die]);
  }

  void own_state(StateArchive& archive) override {
    archive.part("log blocks");
    archive(dies_);
  }

  std::vector<DieLogs> dies_;
};

const RecoveryMethods methods("fast", {"checkpoint", "journal"});
const FtlRules rules("fast", log_blocks_shape<kLeastLogBlocks>());

const Registration<Ftl> registration{
    {.name = "fast",
     .summary =
         "block mapping with log blocks for whatever data blocks (FAST): a sequential one a die, the rest random",
     .source = "Lee, Park, Chung, Lee, Park, Song, A log buffer-based FTL, ACM TECS 6(3), 2007",
     .parameters = {log_blocks_parameter("; one of each die is the sequential one"), open_programs_parameter()}},
    [](const FtlContext& context, const ParameterValues& values) {
      return std::make_unique<FastFtl>(context, count_of(values, "log_blocks"), count_of(values, "open_programs"));
    }};

}  // namespace
}  // namespace flashloom::ftl::fast
