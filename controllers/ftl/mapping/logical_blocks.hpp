// Logical blocks of a block-mapped FTL: their addresses, the data block of each, and wear levelling. A logical block is as many mapping
// units as an erase unit holds. Logical blocks are striped by number over the banks (dies; planes that are programmed
// apart), and all erase units of a logical block lie on one die. A *data block* holds each unit at its offset.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/mapping/mapped_part.hpp"

namespace flashloom {

/// A block that a mount has found to hold valid units and that is no data block; listed in the order of opening.
struct Leftover {
  BlockNumber block;
  LogicalBlock logical;  ///< whose offsets it is written at; kNoLogicalBlock: several, or other positions
};

class LogicalBlocks : private MappedPart {
 public:
  explicit LogicalBlocks(const MappedPart& ftl);

  // --- Addresses.
  LogicalBlock block_of(std::uint32_t unit) const { return units_.quotient(unit); }
  std::uint32_t offset_of(std::uint32_t unit) const { return units_.remainder(unit); }
  std::uint32_t first_unit(LogicalBlock logical) const { return logical * units_.value(); }
  /// Units of each.
  std::uint32_t units() const { return units_.value(); }
  std::uint32_t bank_of(LogicalBlock logical) const;
  std::uint32_t die_of(LogicalBlock logical) const { return logical % context_.geometry.dies; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(data_.size()); }

  // --- Data blocks.
  BlockNumber data(LogicalBlock logical) const { return data_[logical]; }
  const std::vector<BlockNumber>& data() const { return data_; }
  void set_data(LogicalBlock logical, BlockNumber block) { data_[logical] = block; }
  /// The logical block of which the block is the data block, or kNoLogicalBlock.
  LogicalBlock of_data(BlockNumber block) const;

  // --- Units.
  /// Place of a unit by its offset; kNoPhysicalUnit also beyond the end of the last logical block.
  PhysicalUnit place_of(LogicalBlock logical, std::uint32_t offset) const {
    const std::uint64_t unit = std::uint64_t{first_unit(logical)} + offset;
    return unit < map_.size() ? map_.get(static_cast<std::uint32_t>(unit)) : kNoPhysicalUnit;
  }
  bool lies_in(PhysicalUnit place, BlockNumber block) const {
    return place != kNoPhysicalUnit && blocks_.block_of(place) == block;
  }
  using MappedPart::word_of;
  /// One past the last offset that a copy of the logical block must cover.
  std::uint32_t end_of_copy(LogicalBlock logical) const;

  // --- Wear levelling: the policy knows which blocks hold data, and is asked when blocks of the die were released.
  /// Makes the block a candidate, full or not: the last logical block may end within its block, and others may also
  /// stay partly written.
  void holds_data(BlockNumber block) {
    if (moves_cold_) blocks_.policies().leveling(blocks_.die_of(block)).closed(block % context_.geometry.blocks);
  }
  void released(BlockNumber block);
  bool leveling_due(std::uint32_t die) const { return released_[die] != 0; }
  void leveling_asked(std::uint32_t die) { released_[die] = 0; }
  /// Takes the data block to be moved from the candidates; kNoBlockNumber: none. A block that is not moved becomes a
  /// candidate again when it is next programmed.
  BlockNumber take_candidate(std::uint32_t die);

  void state(StateArchive& archive) { archive(data_); }
  void leveling_state(StateArchive& archive) {
    if (moves_cold_) archive(released_);
  }

 private:
  Divisor units_;
  std::vector<BlockNumber> data_;       // by logical block
  bool moves_cold_;                     // the wear levelling policy moves cold data
  std::vector<std::uint8_t> released_;  // by die: a block was released since the policy was last asked
};

}  // namespace flashloom
