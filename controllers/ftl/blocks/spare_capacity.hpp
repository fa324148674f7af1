// Erase units that go out of use, and when too few are left: then the device is worn down.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/gc_unit_pool.hpp"
#include "controllers/ftl/records/block_records.hpp"
#include "controllers/ftl/records/free_lists.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class BlockEndurance;

class SpareCapacity {
 public:
  SpareCapacity(const FtlContext& context, BlockRecords& blocks, FreeLists& free, GcUnitPool* pool);

  /// Bad erase units of the whole device, and of a die without those apart.
  std::uint32_t bad_blocks() const { return bad_; }
  std::uint32_t bad_blocks(std::uint32_t die) const { return bad_of_die_[die]; }
  /// Free erase units of a die that are reserved for block failures.
  std::uint32_t failure_reserve() const { return failure_reserve_; }

  /// Bad blocks have used up the spare blocks: the good ones may not hold all logical units any more, or a die has too
  /// few for garbage collection. Nothing is erased any more, and this state survives power cuts.
  bool worn_down() const { return worn_down_; }
  /// Called when a mount finds too few free blocks, or when a victim's copies or the units of want_room() have no
  /// place.
  void wear_down();
  /// For an FTL whose dies cannot replace each other: how many erase units each die can lose. One more loss makes the
  /// device worn down. To be called before anything else.
  void limit_losses(std::vector<std::uint32_t> of_dies) { may_lose_ = std::move(of_dies); }
  /// For an FTL that decides itself, with wear_down(), when its device is worn down.
  void let_ftl_end_life() { ftl_ends_life_ = true; }

  /// Sets how many units the free erase units must be able to take when the device is worn down. lacks_room() tells
  /// whether they could not, if the free GC unit `taken` had another use.
  void want_room(std::uint64_t units) { room_wanted_ = units; }
  bool lacks_room(GcUnit taken = kNoBlockNumber) const;
  /// Whether failing programs may use up the reserve before anything else tells that the device is worn down.
  bool may_run_out() const { return may_run_out_; }
  /// Pages of a free block before the first one whose program fails.
  std::uint32_t writable_pages(BlockNumber block) const;
  /// Whether want_room() has reserved any room.
  bool keeps_room() const { return room_wanted_ != 0; }

  /// A free block has become bad. The caller may then ask for check_reserve().
  void take_out_of_use(BlockNumber block);
  /// Wears the device down if the loss of `block` leaves too few good ones; `free`: free units of its group.
  void check_reserve(BlockNumber block, std::uint32_t free);
  /// A program is going to fail, at a page that has been given out. The first one on a dead die takes the die's free
  /// blocks out of use; the others follow once they hold no valid data. If the device cannot spare that many, it is
  /// worn down.
  void program_fails(BlockNumber block, std::uint32_t page);

  void die_state(StateArchive& archive, std::uint32_t die) { archive(bad_of_die_[die]); }
  void state(StateArchive& archive) { archive(bad_, worn_down_); }

 private:
  bool too_many_bad() const;
  std::uint64_t without_parity(std::uint32_t die, std::uint64_t units) const;
  std::uint64_t room_of_free(GcUnit unit) const;
  bool die_will_fail() const;

  BlockRecords& blocks_;
  FreeLists& free_;
  GcUnitPool* pool_;  // null: erase units are collected one by one
  NandMedia& media_;
  const BlockEndurance& endurance_;
  std::uint64_t logical_units_;
  bool may_run_out_;
  std::uint32_t pages_;  // of an erase unit
  std::uint32_t program_pages_;
  std::uint32_t whole_units_per_page_;  // uncompressed
  std::uint32_t failure_reserve_;
  std::uint32_t reserved_;               // erase units of a die that cannot hold live data
  std::uint32_t rain_;                   // program units of parity in a stripe
  std::vector<std::uint32_t> may_lose_;  // by die; empty: spare blocks may be on any die
  std::vector<std::uint32_t> bad_of_die_;
  std::uint32_t bad_ = 0;
  std::uint64_t room_wanted_ = 0;  // units; 0: none reserved
  bool worn_down_;
  bool ftl_ends_life_ = false;
};

}  // namespace flashloom
