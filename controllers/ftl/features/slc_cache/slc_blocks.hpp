// Erase units of the SLC write cache, in pseudo-SLC mode. *Static* ones are always in it, and not of the capacity.
// *Borrowed* ones come from the free lists for data and return there once emptied. GC and wear-levelling policies see
// neither kind, except the erases of borrowed units.
#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"

namespace flashloom {

class SlcBlocks final : public CellModes {
 public:
  SlcBlocks(const FtlContext& context, BlockTable& blocks);

  /// Whether units may be borrowed (nand.slc_dynamic).
  bool lends() const { return most_borrowed_ != 0; }
  bool borrowed(BlockNumber block) const { return blocks_[block].slc && !blocks_[block].apart; }
  /// Borrowed units of a die that are in use.
  std::uint32_t borrowed_of(std::uint32_t die) const { return dies_[die].borrowed; }
  /// How many free erase units of a die may be borrowed now: those beyond gc_high and the failure reserve, up to
  /// nand.slc_dynamic in total; none on a worn-down device.
  std::uint32_t lendable(std::uint32_t die) const {
    const std::uint32_t borrowed = dies_[die].borrowed;
    const std::uint32_t free = blocks_.free().of_die(die);
    if (borrowed >= most_borrowed_ || free <= never_lent_ || blocks_.spare().worn_down()) return 0;
    return std::min(most_borrowed_ - borrowed, free - never_lent_);
  }
  /// Switches a newly opened, unwritten erase unit to pseudo-SLC mode.
  void borrow(BlockNumber block);

  /// Units that the write cache of a die can still open: free static ones and those it may borrow.
  std::uint32_t free(std::uint32_t die) const { return free_.of_die(die) + lendable(die); }
  /// The static unit of a bank that has been free longest; kNoBlockNumber if none is free.
  BlockNumber next_free(std::uint32_t bank) const { return first_of(free_.of_bank(bank)); }
  bool can_open(std::uint32_t bank) const {
    return next_free(bank) != kNoBlockNumber || lendable(blocks_.die_of_bank(bank)) != 0;
  }
  /// The unit of a die that was closed first, of either kind or of borrowed ones; kNoBlockNumber if none is closed.
  BlockNumber oldest(std::uint32_t die) const { return first_of(dies_[die].closed); }
  BlockNumber oldest_borrowed(std::uint32_t die) const;
  /// Returns a unit whose folding was given up to the head of the closed ones, as the oldest.
  void put_back(BlockNumber block);
  /// After a mount, which finds the mode of each block with its first page.
  void recovered();

 private:
  struct DieState {
    std::uint32_t borrowed = 0;
    boost::circular_buffer<BlockNumber> closed;  // in the order of closing
  };
  void use_in_mode(BlockNumber block, bool slc);

  void opened(BlockNumber block) override {
    if (lends()) use_in_mode(block, false);
  }
  void closed(BlockNumber block) override { dies_[blocks_.die_of(block)].closed.push_back(block); }
  void collected(BlockNumber block) override;
  void released(BlockNumber block) override {
    if (borrowed(block)) --dies_[blocks_.die_of(block)].borrowed;
  }
  std::uint32_t erased(BlockNumber block) override {
    if (borrowed(block)) ++erases_[block];
    return lends() ? erases_[block] : 0;
  }
  std::vector<std::uint32_t>& erases() override { return erases_; }
  void check() const override;
  void state(StateArchive& archive) override;

  BlockTable& blocks_;
  NandMedia& media_;
  FreePool free_;                // static ones
  std::uint32_t most_borrowed_;  // units of a die at a time
  std::uint32_t never_lent_;     // the last free erase units of a die for data
  std::vector<DieState> dies_;
  std::vector<std::uint32_t> erases_;  // in SLC mode, by block; empty: no borrowing
};

/// What the cache holds.
struct SlcUse {
  std::uint64_t borrowed_blocks = 0;
  std::uint64_t valid_units = 0;
};
SlcUse slc_use(const BlockTable& blocks);

}  // namespace flashloom
