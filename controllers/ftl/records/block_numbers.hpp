// Numbers of erase units and of the mapping units on them, and where each lies. A *bank* is a die, or one plane of it
// where planes are programmed apart: bank = die * planes programmed apart + plane. A *group* is the dies that a
// superblock spans, or one die.
#pragma once

#include <cstdint>

#include "models/common/divisor.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Erase unit of the whole device: die * blocks a die + block.
using BlockNumber = std::uint32_t;
inline constexpr BlockNumber kNoBlockNumber = ~BlockNumber{0};
/// Mapping unit of the whole flash: BlockNumber * units a block + unit of the block.
using PhysicalUnit = std::uint32_t;
inline constexpr PhysicalUnit kNoPhysicalUnit = ~PhysicalUnit{0};
inline constexpr std::uint32_t kNoDie = ~std::uint32_t{0};

class BlockNumbers {
 public:
  /// `one_by_one`: each erase unit is a superblock of its own. `dies_of_group`: 1 then.
  BlockNumbers(const NandGeometry& geometry, bool one_by_one, std::uint32_t dies_of_group)
      : blocks_per_die_(geometry.blocks),
        units_per_block_(geometry.units_per_block()),
        units_per_page_(geometry.units_per_page),
        banks_per_die_(geometry.planes_apart()),
        banks_per_group_(geometry.planes_apart() * dies_of_group),
        dies_(geometry.dies),
        one_by_one_(one_by_one) {}

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

  /// True if each erase unit is a superblock of its own, and each group is a die.
  bool one_by_one() const { return one_by_one_; }
  std::uint32_t groups() const { return banks() / banks_per_group_.value(); }
  std::uint32_t dies_of_group() const { return banks_per_group_.value() / banks_per_die(); }
  std::uint32_t group_of_bank(std::uint32_t bank) const { return banks_per_group_.quotient(bank); }
  std::uint32_t group_of(BlockNumber block) const { return group_of_bank(die_of(block) * banks_per_die()); }

 private:
  Divisor blocks_per_die_;
  Divisor units_per_block_;
  Divisor units_per_page_;
  Divisor banks_per_die_;
  Divisor banks_per_group_;
  std::uint32_t dies_;
  bool one_by_one_;
};

}  // namespace flashloom
