// Numbers of erase units and of the mapping units on them, and where each lies. A *bank* is a die, or one plane of it
// where planes are programmed apart: bank = die * planes programmed apart + plane. A *GC unit* (ftl.gc_unit) is the
// erase units that are opened, collected and erased together: one on each bank of a *group* of dies, or one alone,
// whose group is its die.
#pragma once

#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

#include "models/common/divisor.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Erase unit of the whole device: die * blocks a die + block.
using BlockNumber = std::uint32_t;
inline constexpr BlockNumber kNoBlockNumber = ~BlockNumber{0};
/// GC unit of the whole device: group * GC units a group + number in the group; kNoBlockNumber: none.
using GcUnit = std::uint32_t;
/// Mapping unit of the whole flash: BlockNumber * units a block + unit of the block.
using PhysicalUnit = std::uint32_t;
inline constexpr PhysicalUnit kNoPhysicalUnit = ~PhysicalUnit{0};
inline constexpr std::uint32_t kNoDie = ~std::uint32_t{0};

/// Which erase units form a GC unit: those of one rank on each bank of a group.
struct BlockGroups {
  std::uint32_t dies = 0;  ///< of a group; 0: each erase unit is a GC unit of its own
  /// By bank: the rank of an erase unit, given its number on the bank; and the reverse. Empty: each is the other.
  std::vector<std::uint32_t> rank{};
  std::vector<std::uint32_t> by_rank{};
};

class BlockNumbers {
 public:
  explicit BlockNumbers(const NandGeometry& geometry, BlockGroups groups = {})
      : blocks_per_die_(geometry.blocks),
        units_per_block_(geometry.units_per_block()),
        units_per_page_(geometry.units_per_page),
        banks_per_die_(geometry.planes_apart()),
        banks_per_group_(geometry.planes_apart() * (groups.dies == 0 ? 1 : groups.dies)),
        gc_units_of_group_(geometry.blocks / (groups.dies == 0 ? 1 : geometry.planes_apart())),
        dies_(geometry.dies),
        one_by_one_(groups.dies == 0),
        groups_(std::move(groups)) {}

  std::uint32_t size() const { return dies_ * blocks_per_die_.value(); }
  std::uint32_t dies() const { return dies_; }
  std::uint32_t blocks_per_die() const { return blocks_per_die_.value(); }
  std::uint32_t units_per_block() const { return units_per_block_.value(); }
  std::uint32_t units_per_page() const { return units_per_page_.value(); }
  BlockNumber block_of(PhysicalUnit unit) const { return units_per_block_.quotient(unit); }
  std::uint32_t die_of(BlockNumber block) const { return blocks_per_die_.quotient(block); }
  /// Number of the erase unit on its die.
  std::uint32_t block_of_die(BlockNumber block) const { return blocks_per_die_.remainder(block); }
  /// Number of a unit within `block`, which must contain it.
  std::uint32_t offset_in_block(PhysicalUnit unit, BlockNumber block) const { return unit - block * units_per_block(); }
  /// Page number in the block, and place on that page, of a unit given by its number in the block.
  std::uint32_t page_of(std::uint32_t unit_of_block) const { return units_per_page_.quotient(unit_of_block); }
  std::uint32_t unit_of_page(std::uint32_t unit_of_block) const { return units_per_page_.remainder(unit_of_block); }
  FlashAddress address(BlockNumber block, std::uint32_t page) const {
    return {Die{die_of(block)}, Block{block_of_die(block)}, Page{page}};
  }

  std::uint32_t banks() const { return dies_ * banks_per_die(); }
  std::uint32_t banks_per_die() const { return banks_per_die_.value(); }
  std::uint32_t bank_of(BlockNumber block) const {
    return die_of(block) * banks_per_die() + banks_per_die_.remainder(block_of_die(block));
  }
  std::uint32_t die_of_bank(std::uint32_t bank) const { return banks_per_die_.quotient(bank); }

  /// True if each erase unit is a GC unit of its own, and each group is a die.
  bool one_by_one() const { return one_by_one_; }
  std::uint32_t groups() const { return banks() / banks_per_group_.value(); }
  std::uint32_t dies_of_group() const { return banks_per_group_.value() / banks_per_die(); }
  std::uint32_t group_of_bank(std::uint32_t bank) const { return banks_per_group_.quotient(bank); }
  std::uint32_t group_of(BlockNumber block) const { return group_of_bank(die_of(block) * banks_per_die()); }
  std::uint32_t first_bank(std::uint32_t group) const { return group * banks_per_group_.value(); }
  std::uint32_t gc_units_of_group() const { return gc_units_of_group_.value(); }
  std::uint32_t gc_unit_count() const { return groups() * gc_units_of_group(); }
  std::uint32_t group_of_gc_unit(GcUnit unit) const { return gc_units_of_group_.quotient(unit); }
  GcUnit gc_unit_of(BlockNumber block) const {
    if (one_by_one_) [[likely]]
      return block;
    const std::uint32_t at = banks_per_die_.quotient(block_of_die(block));
    return group_of(block) * gc_units_of_group() +
           (groups_.rank.empty() ? at : groups_.rank[bank_of(block) * gc_units_of_group() + at]);
  }
  /// Erase units of a GC unit; the one on the n-th bank of its group; all of them.
  std::uint32_t members() const { return one_by_one_ ? 1 : banks_per_group_.value(); }
  BlockNumber member(GcUnit unit, std::uint32_t n) const {
    if (one_by_one_) [[likely]]
      return unit;
    const std::uint32_t bank = first_bank(group_of_gc_unit(unit)) + n;
    const std::uint32_t rank = gc_units_of_group_.remainder(unit);
    const std::uint32_t at = groups_.by_rank.empty() ? rank : groups_.by_rank[bank * gc_units_of_group() + rank];
    return die_of_bank(bank) * blocks_per_die() + at * banks_per_die() + banks_per_die_.remainder(bank);
  }
  auto members_of(GcUnit unit) const {
    return std::views::iota(0U, members()) |
           std::views::transform([this, unit](std::uint32_t n) { return member(unit, n); });
  }

 private:
  Divisor blocks_per_die_;
  Divisor units_per_block_;
  Divisor units_per_page_;
  Divisor banks_per_die_;
  Divisor banks_per_group_;
  Divisor gc_units_of_group_;
  std::uint32_t dies_;
  bool one_by_one_;
  BlockGroups groups_;
};

}  // namespace flashloom
