// How much room the valid data of each erase unit take where data are compressed. Units of different sizes are packed
// into pages next fit: in order, the next page where the rest of one is too small. None crosses the end of a page.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "controllers/ftl/oob.hpp"
#include "models/nand/nand_geometry.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class PackedBlocks {
 public:
  /// `whole`: granules of a unit that is not compressed.
  PackedBlocks(const NandGeometry& geometry, const OobLayout& layout, std::uint32_t whole)
      : layout_(layout),
        whole_(whole),
        units_per_page_(geometry.whole_units_per_page),
        units_per_block_(geometry.whole_units_per_block()),
        granules_(std::size_t{geometry.dies} * geometry.blocks) {}

  void add(std::uint32_t block, OobWord word) { granules_[block] += layout_.granules(word); }
  void remove(std::uint32_t block, OobWord word) { granules_[block] -= layout_.granules(word); }
  std::uint32_t granules(std::uint32_t block) const { return granules_[block]; }

  /// Whole units that would take as much room: how full the block is for who chooses between blocks.
  std::uint32_t units(std::uint32_t block) const {
    return std::min((granules_[block] + whole_ - 1) / whole_, units_per_block_);
  }
  /// Room, in whole units, that its `valid` units take at most when they are copied elsewhere in their order. A page
  /// takes as many units as it has room for whole ones; or the next one did not fit, so that all of it but less than a
  /// whole unit is full. And they came out of one block, where they were packed in that order.
  std::uint32_t most_units(std::uint32_t block, std::uint32_t valid) const {
    const std::uint32_t least = units_per_page_ * whole_ - whole_ + 1;  // granules of a page that has been left
    const std::uint64_t by_size = (std::uint64_t{granules_[block]} * units_per_page_ + least - 1) / least;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>({valid, by_size, units_per_block_}));
  }

  void state(StateArchive& archive) { archive(granules_); }

 private:
  OobLayout layout_;
  std::uint32_t whole_;
  std::uint32_t units_per_page_;
  std::uint32_t units_per_block_;
  std::vector<std::uint32_t> granules_;  // of valid data, by erase unit
};

}  // namespace flashloom
