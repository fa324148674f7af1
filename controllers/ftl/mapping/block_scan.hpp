// Reads the spare areas of all pages after power-on, on all dies in parallel: which pages are programmed, and when each
// block was opened. For block-mapped FTLs, which interpret the words themselves.
//
// With checkpoints the scan has steps: first page of each block, and the log; content of checkpoint and journal;
// remaining pages. Words from the checkpoint have version 0, older than all others.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/mapping/block_image.hpp"
#include "controllers/ftl/recovery/spare_scan.hpp"

namespace flashloom {

class BlockScan final : public SpareScan {
 public:
  struct Block {
    std::uint32_t pages = 0;     ///< one past the last page that is not erased
    std::uint64_t sequence = 0;  ///< its opening, if any of its pages is readable
    bool torn_erase = false;
    bool log = false;      ///< belongs to the metadata log
    bool covered = false;  ///< a checkpoint describes its content
    bool used() const { return pages != 0 || torn_erase; }
  };

  BlockScan(const FtlContext& context, const BlockTable& blocks, const OobLayout& layout);

  /// Reads the spare area of each page, at the cost of one read per page; a block written in order is left at its first
  /// erased page. Then reads the metadata log.
  Task<void> run();
  /// Reads the spare areas of only some blocks; `wanted`: by block.
  Task<void> run_some(const std::vector<std::uint8_t>& wanted);

  /// With checkpoints: reads the first page of each block, then the metadata log.
  Task<void> look();
  /// The checkpoint was made after program `sequence` and describes these blocks. Reads further those whose first page
  /// is erased although others are not.
  Task<void> cover(std::uint64_t sequence, const std::vector<BlockImage::Entry>& entries);
  /// Takes the words of a program unit from the journal; null: the page is known to be programmed, with unknown
  /// content.
  void take_record(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words);
  /// Reads the pages not known yet. A block opened before the checkpoint but not covered by it has no valid data.
  Task<void> run_rest();
  /// Reads the words from the checkpoint at these places again, to get their versions.
  Task<void> read_versions(const std::vector<PhysicalUnit>& places);

  const Block& operator[](BlockNumber block) const { return found_[block]; }
  /// Whether the page is programmed or torn.
  bool written(BlockNumber block, std::uint32_t page) const { return written_[index(block, page)] != 0; }
  /// The word of a mapping unit, by its number in the block; 0: erased, torn, or not read.
  OobWord word(BlockNumber block, std::uint32_t unit) const {
    return words_[std::size_t{block} * context_.geometry.units_per_block() + unit];
  }
  /// Restores a block in use, with `pages` programmed pages and `valid` units that the map points to, as writable after
  /// them.
  void restore(BlockTable& blocks, BlockNumber block, std::uint32_t pages, std::uint32_t valid) const;
  std::uint64_t newest_sequence() const { return newest_sequence_; }
  LogEntries& log() { return log_; }

 private:
  std::size_t index(BlockNumber block, std::uint32_t page) const {
    return std::size_t{block} * context_.geometry.pages + page;
  }
  Task<void> scan(BlockNumber block);
  Task<void> look_at(BlockNumber block);
  Task<void> read_versions_of(BlockNumber block);
  void take(BlockNumber block, std::uint32_t page, const SpareRead& spare);
  bool is_dead(const Block& found) const;
  void bury(BlockNumber block);
  Task<void> cover_one(const BlockImage::Entry& entry);
  Task<void> read_if_log(BlockNumber block);

  const OobLayout& layout_;
  std::vector<Block> found_;
  std::vector<std::uint8_t> written_;  // by page
  enum Known : std::uint8_t { kNot, kWritten, kErased, kVersionWanted };
  std::vector<std::uint8_t> known_;  // by page; empty without checkpoints
  std::uint64_t covered_to_ = 0;     // sequence of the checkpoint
  std::vector<OobWord> words_;       // by unit
  std::uint64_t newest_sequence_ = 0;
  LogEntries log_;
};

}  // namespace flashloom
