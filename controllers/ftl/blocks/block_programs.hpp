// Program units on their way to flash: their pages are given out, their program is submitted, and it is done. Counters
// of the block record this, and its page table (PendingPages) says what flash cannot tell yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/block_waits.hpp"
#include "controllers/ftl/records/block_records.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

class BlockPrograms {
 public:
  BlockPrograms(const FtlContext& context, BlockRecords& blocks, BlockWaits& waits);

  /// Gives a block an empty page table.
  void begin(BlockInfo& info);
  /// Allows the pages of an open, unwritten block to be programmed in any order (on dies that allow it).
  void write_in_any_order(BlockNumber block);
  /// Gives out the pages of the next `programs` program units, of which the first is program `sequence`; returns their
  /// first page.
  std::uint32_t give_out(BlockNumber block, std::uint64_t sequence, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    const std::uint32_t first = info.allocated;
    info.allocated += programs * program_pages_;
    if (first == 0) info.pending->sequence = sequence;
    info.pending->data_end = info.allocated;
    return first;
  }
  /// Null if it is the turn of the program unit at `page` to be submitted; else `turn`, which is woken when it is.
  WaitList* before_turn(BlockNumber block, std::uint32_t page, WaitList& turn) {
    const BlockInfo& info = blocks_[block];
    return info.submitted == page ? nullptr : &wait_for_turn(info, page, turn);
  }
  void submitted(BlockNumber block, Origin origin, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    info.submitted += programs * program_pages_;
    info.last_origin = origin;
    if (!info.pending->turns.empty()) [[unlikely]]
      wake_next(info);
  }
  /// The program unit at `page` is done, or `programs` of them from there on. Callers must wake the waiters of
  /// BlockWaits::Events::durable.
  void done(BlockNumber block, std::uint32_t page, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    info.durable += programs * program_pages_;
    if (info.any_order) std::fill_n(info.pending->done.begin() + page, programs * program_pages_, std::uint8_t{1});
  }
  /// Drops the page table if all programs of the block are done, and none of its data waits for programs elsewhere.
  void retire_if_done(BlockNumber block) {
    const BlockInfo& info = blocks_[block];
    if ((info.durable == blocks_.pages_of(block) || info.done_with()) && info.pending->exposed.empty()) retire(block);
  }
  /// Drops the page table: all programs are done.
  void retire(BlockNumber block) {
    spare_tables_.push_back(std::move(blocks_[block].pending));
    waits_.wake_if_unused(block);
  }

  /// What to wait for until a unit is on flash; null if it already is.
  WaitList* before_on_flash(PhysicalUnit unit) {
    return blocks_.on_flash(unit) ? nullptr : &waits_.events(blocks_.die_of(blocks_.block_of(unit))).durable;
  }
  /// For a unit that is not on flash yet: its spare area; the source that it is copied from, or kNoPhysicalUnit.
  OobWord pending_word(PhysicalUnit unit) const {
    const BlockNumber block = blocks_.block_of(unit);
    return blocks_[block].pending->oob[blocks_.offset_in_block(unit, block)];
  }
  PhysicalUnit pending_source(PhysicalUnit unit) const {
    const BlockNumber block = blocks_.block_of(unit);
    return blocks_[block].pending->source[blocks_.offset_in_block(unit, block)];
  }
  /// The spare area of a unit that the map points to, on flash or still pending.
  OobWord word_at(PhysicalUnit unit) const {
    const BlockNumber block = blocks_.block_of(unit);
    return blocks_.on_flash(unit) ? media_.oob(blocks_.address(block, 0), blocks_.offset_in_block(unit, block))
                                  : pending_word(unit);
  }
  /// After a rule-based fill: stores the spare areas of what is programmed in the page tables of open blocks.
  void note_words();

 private:
  static WaitList& wait_for_turn(const BlockInfo& info, std::uint32_t page, WaitList& turn);
  static void wake_next(const BlockInfo& info);

  BlockRecords& blocks_;
  BlockWaits& waits_;
  const NandMedia& media_;
  std::uint32_t pages_;  // of an erase unit
  std::uint32_t program_pages_;
  std::vector<std::unique_ptr<PendingPages>> spare_tables_;
};

}  // namespace flashloom
