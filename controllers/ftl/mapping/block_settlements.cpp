#include "controllers/ftl/mapping/block_settlements.hpp"

#include <algorithm>

#include "controllers/runtime/fault.hpp"

namespace flashloom {

BlockSettlements::BlockSettlements(const MappedPart& ftl, const LogicalBlocks& logical, BlockWriter& programs)
    : MappedPart(ftl), logical_(logical), programs_(programs), nvram_map_(context_), unsettled_(logical.count()) {}

void BlockSettlements::give_up(BlockNumber block) {
  ++blocks_[block].copies_pending;
  given_up_.push_back(block);
}

void BlockSettlements::settle(LogicalBlock logical, BlockNumber target) {
  if (free_.empty()) free_.push_back(&settlements_.emplace_back());
  Settlement& settlement = *free_.back();
  free_.pop_back();
  settlement.logical = logical;
  settlement.target = target;
  settlement.sources.clear();
  settlement.sources.swap(given_up_);
  if (target != kNoBlockNumber) programs_.close_word_lines(target);
  unsettled_[logical] = 1;
  Runtime::current().spawn([this, &settlement] { return pass(settlement); });
}

Task<void> BlockSettlements::pass(Settlement& settlement) {
  const BlockNumber target = settlement.target;
  std::uint64_t version = 0;
  if (target != kNoBlockNumber) {
    while (!all_programmed(target) && !fault(Fault::RecordedTooEarly))
      co_await blocks_.waits().events(blocks_.die_of(target)).durable.wait();
    bits_.assign((logical_.units() + 63) / 64, 0);
    for (std::uint32_t offset = 0; offset < logical_.units(); ++offset) {
      if (!logical_.lies_in(logical_.place_of(settlement.logical, offset), target)) continue;
      bits_[offset / 64] |= std::uint64_t{1} << (offset % 64);
      version = std::max(version, layout_.version(logical_.word_of(target, offset)));
    }
  }
  co_await nvram_map_.replace(target, bits_, version, settlement.sources);
  for (const BlockNumber source : settlement.sources) blocks_.waits().copy_done(source);
  unsettled_[settlement.logical] = 0;
  free_.push_back(&settlement);
  settled_.wake_all();
}

bool BlockSettlements::all_programmed(BlockNumber block) const {
  const BlockInfo& info = blocks_[block];
  return info.pending == nullptr || (info.durable == info.allocated && info.pending->exposed.empty());
}

Task<void> BlockSettlements::until_settled(LogicalBlock logical) {
  while (unsettled_[logical] != 0) co_await settled_.wait();
}

// A unit may be in the data block and, in a newer version, in a block being written.
Task<void> BlockSettlements::trim(std::uint32_t first, std::uint32_t count) {
  const std::uint32_t end = first + count;
  for (std::uint32_t unit = first; unit < end; unit += logical_.units() - logical_.offset_of(unit))
    co_await until_settled(logical_.block_of(unit));
  for (std::uint32_t unit = first; unit < end;) {
    const LogicalBlock logical = logical_.block_of(unit);
    const std::uint32_t word = logical_.offset_of(unit) / 64;
    std::uint64_t bits = 0;
    BlockNumber other = kNoBlockNumber;
    for (; unit < end && logical_.block_of(unit) == logical && logical_.offset_of(unit) / 64 == word; ++unit) {
      bits |= std::uint64_t{1} << (logical_.offset_of(unit) % 64);
      const PhysicalUnit place = map_.get(unit);
      if (place != kNoPhysicalUnit && !logical_.lies_in(place, logical_.data(logical))) other = blocks_.block_of(place);
    }
    if (logical_.data(logical) != kNoBlockNumber) nvram_map_.clear(logical_.data(logical), word, bits);
    if (other == kNoBlockNumber) continue;
    // In the block being written, clear only units present there: others may still be written to it.
    std::uint64_t there = 0;
    for (std::uint32_t bit = 0; bit < 64; ++bit)
      if ((bits >> bit & 1) != 0 && logical_.lies_in(logical_.place_of(logical, word * 64 + bit), other))
        there |= std::uint64_t{1} << bit;
    nvram_map_.clear(other, word, there);
  }
  co_await nvram_map_.cleared();
}

}  // namespace flashloom
