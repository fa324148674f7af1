// Reads the spare areas of all pages after power-on, all dies at once: which pages are programmed, and when each block
// was opened. For FTLs that map blocks: what the words mean they find out themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/recovery/spare_scan.hpp"

namespace flashloom {

class BlockScan final : public SpareScan {
 public:
  struct Block {
    std::uint32_t pages = 0;     ///< one past the last page that is not erased
    std::uint64_t sequence = 0;  ///< when it was opened, if any of its pages can be read
    bool torn_erase = false;
    bool log = false;  ///< of the metadata log
    bool used() const { return pages != 0 || torn_erase; }
  };

  BlockScan(const FtlContext& context, const BlockTable& blocks, const OobLayout& layout);

  /// Costs a read of the spare area a page; a block that is written in order is left at its first erased page. Then
  /// the metadata log.
  Task<void> run();
  /// The spare areas of some blocks alone: `wanted` by block.
  Task<void> run_some(const std::vector<std::uint8_t>& wanted);

  const Block& operator[](BlockNumber block) const { return found_[block]; }
  /// Programmed, or torn.
  bool written(BlockNumber block, std::uint32_t page) const { return written_[index(block, page)] != 0; }
  /// The word of a mapping unit, by its number in the block; 0: erased, torn, or not looked at.
  OobWord word(BlockNumber block, std::uint32_t unit) const {
    return words_[std::size_t{block} * context_.geometry.units_per_block() + unit];
  }
  std::uint64_t newest_sequence() const { return newest_sequence_; }
  LogEntries& log() { return log_; }

 private:
  std::size_t index(BlockNumber block, std::uint32_t page) const {
    return std::size_t{block} * context_.geometry.pages + page;
  }
  Task<void> scan(BlockNumber block);
  Task<void> skip() { co_return; }
  Task<void> read_if_log(BlockNumber block);

  const OobLayout& layout_;
  std::vector<Block> found_;
  std::vector<std::uint8_t> written_;  // by page
  std::vector<OobWord> words_;         // by unit
  std::uint64_t newest_sequence_ = 0;
  LogEntries log_;
};

}  // namespace flashloom
