// The room that valid data take in each erase unit. Units of different sizes are packed into pages
// next fit: in order, starting a new page when the rest of one is too small. No unit crosses the end of a page.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/nand/nand_geometry.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class CompressedRoom {
 public:
  /// `whole`: granules of an uncompressed unit.
  CompressedRoom(const NandGeometry& geometry, std::uint32_t whole)
      : whole_(whole),
        units_per_page_(geometry.whole_units_per_page),
        units_per_block_(geometry.whole_units_per_block()),
        granules_(std::size_t{geometry.dies} * geometry.blocks) {}

  void add(std::uint32_t block, std::uint32_t granules) { granules_[block] += granules; }
  void remove(std::uint32_t block, std::uint32_t granules) { granules_[block] -= granules; }
  std::uint32_t granules(std::uint32_t block) const { return granules_[block]; }

  /// Equivalent number of uncompressed units: how full the block is, for comparisons between blocks.
  std::uint32_t units(std::uint32_t block) const {
    return std::min((granules_[block] + whole_ - 1) / whole_, units_per_block_);
  }
  /// Upper bound of the room, in whole units, that the `valid` units need when copied in order. A page either takes as
  /// many units as whole ones fit, or is left because the next unit did not fit, and then lacks less than a whole unit.
  /// The block's capacity is a bound, too: the units were packed in it in that order.
  std::uint32_t most_units(std::uint32_t block, std::uint32_t valid) const {
    const std::uint32_t least = units_per_page_ * whole_ - whole_ + 1;  // granules in a page that was left for the next
    const std::uint64_t by_size = (std::uint64_t{granules_[block]} * units_per_page_ + least - 1) / least;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>({valid, by_size, units_per_block_}));
  }

  void state(StateArchive& archive) { archive(granules_); }

 private:
  std::uint32_t whole_;
  std::uint32_t units_per_page_;
  std::uint32_t units_per_block_;
  std::vector<std::uint32_t> granules_;  // of valid data, by erase unit
};

}  // namespace flashloom
