// Finds out from the map in NVRAM (NvramBlockMap), and from a scan of the blocks that were being written, which block
// of a block-mapped FTL holds what.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/mapping/block_merges.hpp"
#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/mapping/logical_blocks.hpp"

namespace flashloom {

class NvramResolver : private MappedPart {
 public:
  NvramResolver(const MappedPart& ftl, const BlockParts& parts, NvramBlockMap& nvram_map);

  /// Reads the records. Returns, by block, whether its spare areas are to be scanned.
  std::vector<std::uint8_t> read_records();
  /// Fills the tables, which must be new, and lists the blocks with data that are no data block.
  std::vector<Leftover> run(const BlockScan& scan);
  /// Blocks to be erased.
  const std::vector<BlockNumber>& to_erase() const { return to_erase_; }
  void erase();

 private:
  void use_records(const BlockScan& scan, LogicalBlock logical);
  void use_shared(const BlockScan& scan);
  void use_open(const BlockScan& scan, const Leftover& open, std::uint32_t valid);

  BlockParts parts_;
  NvramBlockMap& nvram_map_;
  std::vector<BlockNumber> open_;    // by logical block
  std::vector<BlockNumber> shared_;  // with units of any logical block
  std::vector<BlockNumber> to_erase_;
  std::vector<Leftover> leftovers_;
};

}  // namespace flashloom
