// Programs that fail within a block, and a die that fails as a whole. Firmware learns of a failure when it decides on
// the program, in the order of its decisions, and not when the flash reports it.
#pragma once

#include <cstdint>

#include "controllers/ftl/records/block_records.hpp"
#include "models/nand/nand_media.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class ProgramFailures {
 public:
  ProgramFailures(const FtlContext& context, const BlockRecords& blocks);

  /// Whether the device has programs that fail.
  bool possible() const { return possible_; }
  /// Whether the next program unit of an open block fails.
  bool next_fails(BlockNumber block) const {
    const std::uint32_t page = blocks_[block].allocated;
    return possible_ && page < blocks_.pages_of(block) && fails_at(block, page);
  }
  /// The first page of `block`, from `page` on, whose program fails; pages_of() if none does.
  std::uint32_t next_failure(BlockNumber block, std::uint32_t page) const;

  bool dead(std::uint32_t die) const { return dead_die_ == die; }
  bool any_dead() const { return dead_die_ != kNoDie; }
  std::uint32_t dead_die() const { return dead_die_; }
  /// All erase units of the group are on the dead die.
  bool dead_group(std::uint32_t group) const { return blocks_.one_by_one() && dead(group); }
  /// The block lies on the dead die: it is emptied as if a program had failed in it, with data rebuilt from parity.
  bool lost_with_die(BlockNumber block) const { return rain_ && dead(blocks_.die_of(block)); }

  /// Whether a program that is going to fail, at `page`, is the first one on a dead die. Its page has been given out.
  bool kills_die(BlockNumber block, std::uint32_t page);
  /// Whether an erase that has been decided upon fails because its die is dead.
  bool fails_erase(BlockNumber block);

  void state(StateArchive& archive) { archive(dead_die_); }

 private:
  bool fails_at(BlockNumber block, std::uint32_t page) const {
    return media_.program_fails(blocks_.address(block, page), blocks_.block_erases(block));
  }
  /// The last die that the media know to be dead; kNoDie if none is.
  std::uint32_t find_dead_die() const;

  const BlockRecords& blocks_;
  NandMedia& media_;
  std::uint32_t program_pages_;
  bool possible_;
  bool rain_;
  std::uint32_t dead_die_;
};

}  // namespace flashloom
