#include "controllers/ftl/collect/log_blocks.hpp"

#include <algorithm>
#include <stdexcept>

namespace flashloom {

Task<BlockNumber> LogBlocks::take(const MetadataLog& log) {
  OpenBlocks& open = collector_.open_blocks();
  const bool reserved = blocks_.one_by_one() && blocks_.free().keeps_for_log();
  BlockNumber block = reserved ? blocks_.free().next_for_log() : idle_member();
  PendingErase kept;
  if (reserved) {
    if (block == kNoBlockNumber) throw std::logic_error("the metadata log has taken all erase units that are its own");
    co_await open.until_unused(block);
  } else if (block == kNoBlockNumber) {
    std::uint32_t group = best_group(log);
    for (std::uint32_t other = 0; other < blocks_.groups() && blocks_.free_of_group(group) < spare(); ++other) {
      co_await collector_.make_room(other, spare());
      group = best_group(log);
    }
    if (!may_take(group)) co_return kNoBlockNumber;
    if (blocks_.one_by_one()) {
      block = co_await open.open_block(blocks_.free().bank_of_most_room(group), 0);
    } else {
      const GcUnit unit = blocks_.pool()->next_free(group, FreeUse::Data);
      co_await open.until_unused(unit);
      kept = open.gc_units()->take(unit);
      gc_units_.push_back(unit);
      statistics_.free_blocks_min.note(blocks_.free_of_group(group));
      block = idle_member();
    }
  }
  if (blocks_[block].state == BlockState::Free) {
    blocks_.open_free(block);
    blocks_[block].pending->spare = kept;
  }
  co_await open.until_ready(block);
  blocks_.dedicate(block);
  co_return block;
}

// Whether the log may take the best group's next block. A worn-down device uses its reserve.
bool LogBlocks::may_take(std::uint32_t group) {
  const std::uint32_t free = blocks_.free_of_group(group);
  if (!blocks_.spare().worn_down() && free < 2 && blocks_.spare().may_run_out()) blocks_.spare().wear_down();
  if (!blocks_.spare().worn_down() && free < 2)
    throw std::runtime_error(blocks_.one_by_one() ? "the device is full: no block is left for metadata"
                                                  : "the device is full: no superblock is left for metadata");
  return free != 0;
}

// Prefers a group with a spare GC unit, then the fewest of the log, then the most free ones. The number of free erase
// units does not tell how full a die is, since GC keeps it constant.
std::uint32_t LogBlocks::best_group(const MetadataLog& log) const {
  const std::uint32_t enough = blocks_.one_by_one() ? blocks_.spare().failure_reserve() + 2 : 2;
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t free_a = blocks_.free_of_group(a);
    const std::uint32_t free_b = blocks_.free_of_group(b);
    if ((free_a >= enough) != (free_b >= enough)) return free_a >= enough;
    const std::uint32_t log_a = log_of(log, a);
    const std::uint32_t log_b = log_of(log, b);
    return log_a != log_b ? log_a < log_b : free_a > free_b;
  };
  std::uint32_t best = 0;
  for (std::uint32_t group = 1; group < blocks_.groups(); ++group)
    if (better(group, best)) best = group;
  return best;
}

// GC units of the log in a group.
std::uint32_t LogBlocks::log_of(const MetadataLog& log, std::uint32_t group) const {
  if (blocks_.one_by_one()) return log.blocks_on(group);
  return static_cast<std::uint32_t>(
      std::ranges::count_if(gc_units_, [&](GcUnit unit) { return blocks_.group_of_gc_unit(unit) == group; }));
}

// The least worn free member of the log's GC units.
BlockNumber LogBlocks::idle_member() const {
  BlockNumber best = kNoBlockNumber;
  for (const GcUnit unit : gc_units_)
    for (const BlockNumber block : blocks_.members_of(unit)) {
      if (blocks_[block].state != BlockState::Free) continue;
      if (best == kNoBlockNumber || blocks_.block_erases(block) < blocks_.block_erases(best)) best = block;
    }
  return best;
}

void LogBlocks::give_back(BlockNumber block) {
  blocks_.release(block);
  collector_.open_blocks().erase_later(block, Origin::Map);
  if (blocks_.one_by_one()) return;
  const GcUnit unit = blocks_.gc_unit_of(block);
  for (const BlockNumber member : blocks_.members_of(unit))
    if (!blocks_[member].given_up()) return;
  std::erase(gc_units_, unit);
  blocks_.give_back(unit);
}

void LogBlocks::find() {
  if (blocks_.one_by_one()) return;
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].state != BlockState::Dedicated) continue;
    const GcUnit unit = blocks_.gc_unit_of(block);
    if (std::ranges::find(gc_units_, unit) == gc_units_.end()) gc_units_.push_back(unit);
  }
}

}  // namespace flashloom
