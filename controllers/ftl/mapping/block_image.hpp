// Checkpoint content of a block-mapped FTL: the role of each erase unit, how far it is programmed, and which mapping
// units are valid in it. Smaller than a map of units: a data block needs one bit per unit.
//
// Words: one per erase unit, in order: (1 + the logical block whose data block it is, or 0) << 32 |
// pages programmed << 1 | 1 if in use. Then, for each erase unit in use:
//  * if only part of its pages are programmed, in any order: a bit per page;
//  * if it is a data block: a bit per mapping unit: valid, at its offset;
//  * otherwise: the valid units by place, two a word: 1 + the unit; 0: none.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

class BlockImage {
 public:
  /// `data`: the data block of each logical block, or kNoBlockNumber. All arguments must outlive the image.
  BlockImage(const NandGeometry& geometry, const BlockTable& blocks, const std::vector<BlockNumber>& data)
      : geometry_(geometry), blocks_(blocks), data_(data) {}

  /// Most words: all erase units that are not data blocks are in use, too.
  static std::uint64_t most_words(const NandGeometry& geometry, std::uint64_t logical_blocks);
  /// Words at present.
  std::uint64_t words() const;
  /// Appends the words. All programs must be done.
  void add(std::vector<std::uint64_t>& words, const UnitMap& map) const;

  /// An erase unit in use, in an image that was read.
  struct Entry {
    static constexpr std::uint32_t kNoUnit = ~std::uint32_t{0};
    BlockNumber block;
    std::uint32_t pages;         ///< programmed
    LogicalBlock logical;        ///< logical block of which it is the data block, or kNoLogicalBlock
    std::uint32_t units;         ///< mapping units of a block
    const std::uint64_t* done;   ///< a bit per page; null: the first `pages` are programmed
    const std::uint64_t* valid;  ///< a bit per unit, or units two a word
    bool programmed(std::uint32_t page) const {
      return done == nullptr ? page < pages : ((done[page / 64] >> (page % 64)) & 1) != 0;
    }
    /// The unit valid at that position; kNoUnit: none.
    std::uint32_t unit(std::uint32_t position) const {
      if (logical == kNoLogicalBlock) return static_cast<std::uint32_t>(valid[position / 2] >> (position % 2 * 32)) - 1;
      return ((valid[position / 64] >> (position % 64)) & 1) != 0 ? logical * units + position : kNoUnit;
    }
  };
  /// Calls f(entry) for each erase unit in use of the image at `words`.
  template <class F>
  static void each(const std::uint64_t* words, const NandGeometry& geometry, F f) {
    const std::uint32_t blocks = geometry.dies * geometry.blocks;
    const std::uint64_t* at = words + blocks;
    for (BlockNumber block = 0; block < blocks; ++block) {
      if ((words[block] & 1) == 0) continue;
      Entry entry{.block = block,
                  .pages = static_cast<std::uint32_t>(words[block]) >> 1,
                  .logical = static_cast<std::uint32_t>(words[block] >> 32) - 1,
                  .units = geometry.units_per_block(),
                  .done = nullptr,
                  .valid = nullptr};
      if (has_bits(geometry, entry.pages)) {
        entry.done = at;
        at += bits(geometry.pages);
      }
      entry.valid = at;
      at += words_of(geometry, entry.logical != kNoLogicalBlock);
      f(entry);
    }
  }

 private:
  static std::uint64_t bits(std::uint64_t count) { return (count + 63) / 64; }
  static bool has_bits(const NandGeometry& geometry, std::uint32_t pages) {
    return !geometry.in_order_program && pages < geometry.pages;
  }
  static std::uint64_t words_of(const NandGeometry& geometry, bool data) {
    return data ? bits(geometry.units_per_block()) : (std::uint64_t{geometry.units_per_block()} + 1) / 2;
  }
  bool in_use(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return !info.given_up() && info.state != BlockState::Dedicated && info.durable != 0;
  }
  std::vector<LogicalBlock> logical_of() const;

  const NandGeometry& geometry_;
  const BlockTable& blocks_;
  const std::vector<BlockNumber>& data_;
};

}  // namespace flashloom
