// Finds out in a mount which block of a block-mapped FTL holds what: by the words of a scan and, with checkpoints, by
// the metadata log.
//
// A block whose words all are at the offsets of one logical block is *in position*: a data block, a log block filled in
// order so far, or the copies of a merge cut off by power loss. Of the blocks in position for a logical block, the data
// block is the one opened last that holds the newest version of everything in the older ones. So the sources of a
// finished merge and the copies of an unfinished one are dropped. Otherwise the newest version of a unit counts; if
// several blocks hold it, one in position that is newer than the data block (its merge can continue), then the data
// block.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/mapping/block_merges.hpp"
#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/mapping/logical_blocks.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"

namespace flashloom {

class BlockResolver : private MappedPart {
 public:
  /// `tombstones`: to be filled with the trims.
  BlockResolver(const MappedPart& ftl, const BlockParts& parts, Tombstones& tombstones, BlockScan& scan);

  /// Reads spare areas and metadata log, and takes the trims. With checkpoints, takes what checkpoint and journal say,
  /// then reads what they do not cover. The versions of data in the checkpoint are unknown; they are read where they
  /// decide whether data written since are newer, or copies of a merge.
  Task<void> read(MapKeeper& keeper);
  /// Fills the tables, which must be new, and lists the blocks with data that are no data block.
  std::vector<Leftover> run();

 private:
  enum Rank : std::uint8_t { kDropped, kLog, kData, kGoesOn };
  static constexpr LogicalBlock kMixed = kNoLogicalBlock - 1;

  /// Calls f(position, word, unit) for the data of a block.
  template <class F>
  void each(BlockNumber block, F&& f) const {
    for (std::uint32_t position = 0; position < parts_.logical.units(); ++position)
      if (const OobWord w = scan_.word(block, position); layout_.is_data(w)) f(position, w, layout_.unit(w));
  }
  bool is_newest(OobWord w, std::uint32_t unit) const { return layout_.version(w) + 1 == newest_[unit]; }
  void take_trims(const LogEntries& log, bool checkpoints);
  /// Places from the checkpoint of units for which a block in position has a version that may be equal, so that the
  /// data block may not be the older one. `newest`: version in the checkpoint.
  std::vector<PhysicalUnit> doubtful(std::uint64_t newest);
  void find_blocks();
  void read_words(BlockNumber block);
  void end_what_was_trimmed();
  void choose_data_block(LogicalBlock logical);
  bool covers(BlockNumber block, const std::vector<BlockNumber>& list, std::size_t older) const;
  bool has_own(BlockNumber block) const;
  void map_units(BlockNumber block);
  void find_empty();
  std::vector<Leftover> take_over();

  BlockParts parts_;
  Tombstones& tombstones_;
  BlockScan& scan_;
  std::vector<BlockNumber> found_;
  std::vector<std::uint64_t> newest_;                  // by unit: 1 + newest version, of data or of an ending trim
  std::vector<std::uint8_t> copies_;                   // by unit: number of blocks that have that version
  std::vector<LogicalBlock> position_of_;              // by block: logical block for which it is in position; or kMixed
  std::vector<std::vector<BlockNumber>> in_position_;  // by logical block, in the order of opening
  std::vector<Rank> rank_;                             // by block
  std::vector<std::uint32_t> valid_;                   // by block: valid units
  std::vector<BlockNumber> to_erase_;
};

}  // namespace flashloom
