// Erase units of the SLC write cache, in pseudo-SLC mode. *Static* ones are always in it. *Borrowed* ones come from the
// free lists for data and return there once emptied. GC and wear-levelling policies see neither kind, except the erases
// of borrowed units.
#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <vector>

#include "controllers/ftl/records/block_records.hpp"
#include "controllers/ftl/records/free_lists.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class NandMedia;
struct FtlContext;

class SlcBlocks {
 public:
  /// `never_lent`: a die does not lend its last free erase units for data, as many as this.
  SlcBlocks(const FtlContext& context, BlockRecords& blocks, FreeLists& free, std::uint32_t never_lent);

  /// Whether units may be borrowed (nand.slc_dynamic).
  bool lends() const { return lends_; }
  bool borrowed(BlockNumber block) const { return lends_ && blocks_[block].slc && !blocks_.always_slc(block); }
  /// Borrowed units of a die that are in use.
  std::uint32_t borrowed_of(std::uint32_t die) const { return dies_[die].borrowed; }
  /// How many free erase units of a die may be borrowed now: those beyond gc_high and the failure reserve, up to
  /// nand.slc_dynamic in total.
  std::uint32_t lendable(std::uint32_t die) const {
    const std::uint32_t borrowed = dies_[die].borrowed;
    const std::uint32_t free = free_.of_die(die);
    if (borrowed >= most_borrowed_ || free <= never_lent_) return 0;
    return std::min(most_borrowed_ - borrowed, free - never_lent_);
  }
  /// From now on nothing can be borrowed.
  void stop_lending() { most_borrowed_ = 0; }
  /// Switches a newly opened, unwritten erase unit to pseudo-SLC mode.
  void borrow(BlockNumber block);

  /// Units that the write cache of a die can still open: free static ones and those it may borrow.
  std::uint32_t free(std::uint32_t die) const { return free_.slc().of_die(die) + lendable(die); }
  /// The static unit of a bank that has been free longest; kNoBlockNumber if none is free.
  BlockNumber next_free(std::uint32_t bank) const { return first_of(free_.slc().of_bank(bank)); }
  /// Whether the bank can open a unit: a free static one, or one that its die may borrow.
  bool can_open(std::uint32_t bank) const {
    return next_free(bank) != kNoBlockNumber || lendable(blocks_.die_of_bank(bank)) != 0;
  }
  /// The unit of a die that was closed first, of either kind or of borrowed ones; kNoBlockNumber if none is closed.
  BlockNumber oldest(std::uint32_t die) const { return first_of(dies_[die].closed); }
  BlockNumber oldest_borrowed(std::uint32_t die) const;
  /// Returns a unit whose folding was given up to the head of the closed ones, as the oldest.
  void put_back(BlockNumber block);

  // --- Steps in a block's life that the block table reports. The first and the last three concern blocks of any kind.
  /// A free block has been opened. It is in normal mode unless it is static.
  void opened(BlockNumber block) {
    if (lends_) [[unlikely]]
      use_in_mode(block, false);
  }
  void closed(BlockNumber block) { dies_[blocks_.die_of(block)].closed.push_back(block); }
  /// A closed unit has become a victim.
  void collected(BlockNumber block);
  void released(BlockNumber block) {
    if (borrowed(block)) [[unlikely]]
      --dies_[blocks_.die_of(block)].borrowed;
  }
  void count_erase(BlockNumber block) {
    if (borrowed(block)) [[unlikely]]
      ++erases_[block];
  }
  /// Erases in SLC mode of a block that may be borrowed; 0 if none may.
  std::uint32_t erases(BlockNumber block) const { return lends_ ? erases_[block] : 0; }

  /// Restores the mode of a block that is not erased, which a mount reads with the first page, before anything else.
  void restore_mode(BlockNumber block);
  /// A mount has found the block in use.
  void restore_use(BlockNumber block) {
    if (borrowed(block)) ++dies_[blocks_.die_of(block)].borrowed;
  }

  void erases_state(StateArchive& archive) { archive(erases_); }
  void state(StateArchive& archive);

 private:
  struct DieState {
    std::uint32_t borrowed = 0;
    boost::circular_buffer<BlockNumber> closed;  // in the order of closing
  };
  void use_in_mode(BlockNumber block, bool slc);

  BlockRecords& blocks_;
  FreeLists& free_;
  NandMedia& media_;
  bool any_;
  bool lends_;
  std::uint32_t most_borrowed_;  // units of a die at a time
  std::uint32_t never_lent_;
  std::vector<DieState> dies_;
  std::vector<std::uint32_t> erases_;  // in SLC mode, by block; empty: no borrowing
};

}  // namespace flashloom
