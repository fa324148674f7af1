// What an FTL knows of every erase unit: its record, and how often it was erased.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/records/block_info.hpp"
#include "controllers/ftl/records/block_numbers.hpp"

namespace flashloom {

struct FtlContext;

class BlockRecords : public BlockNumbers {
 public:
  /// All erase units are free. Their erases and failures are those that the media remember.
  BlockRecords(const FtlContext& context, const BlockNumbers& numbers);
  BlockRecords(const BlockRecords&) = delete;
  BlockRecords& operator=(const BlockRecords&) = delete;

  BlockInfo& operator[](BlockNumber block) { return blocks_[block]; }
  const BlockInfo& operator[](BlockNumber block) const { return blocks_[block]; }
  // Forced inline: GCC drops a call of a function that only prefetches, because it sees no effect.
  [[gnu::always_inline]] void prefetch(PhysicalUnit unit) const { __builtin_prefetch(&blocks_[block_of(unit)]); }

  bool in_slc_mode(BlockNumber block) const { return blocks_[block].slc; }
  std::uint32_t pages_of(BlockNumber block) const { return in_slc_mode(block) ? slc_pages_ : pages_; }
  /// Unit slots of a block; and how many whole (uncompressed) units fill it.
  std::uint32_t units_of(BlockNumber block) const { return pages_of(block) * units_per_page(); }
  std::uint32_t whole_units_of(BlockNumber block) const { return pages_of(block) * whole_units_per_page_; }

  /// Whether the program of a unit that was given out is done, including a second pass.
  bool on_flash(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    const BlockInfo& info = blocks_[block];
    if (info.pending == nullptr) return true;
    const std::uint32_t page = page_of(offset_in_block(unit, block));
    return info.any_order ? info.pending->done[page] != 0 : page + unfinished(block) < info.durable;
  }
  /// Whether the first pass of the unit's program is done, and a second one must follow.
  bool awaits_second_pass(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return second_passes_ != 0 && !on_flash(unit) && page_of(offset_in_block(unit, block)) < blocks_[block].durable;
  }

  /// A die that has failed, from its first failing program on: no block is opened or collected there any more.
  bool dead(std::uint32_t die) const { return dead_die_ == die; }
  bool any_dead() const { return dead_die_ != kNoDie; }
  std::uint32_t dead_die() const { return dead_die_; }
  void set_dead(std::uint32_t die) { dead_die_ = die; }
  /// All erase units of the group are on the dead die.
  bool dead_group(std::uint32_t group) const { return one_by_one() && dead(group); }

  /// Erases of a block, of all blocks, and of the bank's blocks, including erases decided upon but not yet done.
  std::uint32_t block_erases(BlockNumber block) const { return erases_[block]; }
  const std::vector<std::uint32_t>& all_erases() const { return erases_; }
  std::uint64_t erases(std::uint32_t bank) const { return bank_erases_[bank]; }
  PendingErase pending_erase(BlockNumber block) const { return {block, erases_[block]}; }

 protected:
  std::vector<std::uint32_t> erases_;       // by block
  std::vector<std::uint64_t> bank_erases_;  // by bank; without units apart
  std::uint32_t dead_die_ = kNoDie;

 private:
  /// Pages at the end of those programmed that still lack a second pass.
  std::uint32_t unfinished(BlockNumber block) const {
    if (second_passes_ == 0) [[likely]]
      return 0;
    return in_slc_mode(block) || blocks_[block].durable == pages_ ? 0 : second_passes_;
  }

  std::uint32_t pages_;
  std::uint32_t slc_pages_;
  std::uint32_t whole_units_per_page_;
  std::uint32_t second_passes_;  // pages of a non-full block that await a second pass; 0: one-pass programming
  std::vector<BlockInfo> blocks_;
};

}  // namespace flashloom
