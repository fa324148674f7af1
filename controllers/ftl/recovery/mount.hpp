// Recovery: fills the map and the block table from flash after power-on, and finds the metadata log.
//
// 1. The first page of every erase unit is looked at, all dies at once. Without checkpoints all further pages, too.
// 2. The log is read: the newest whole snapshot, and the records behind it.
// 3. With checkpoints: the spare areas of pages that neither the snapshot nor the journal covers are read. A map that is
//    paged in stays in its translation pages: the snapshot says where they are, and which entries are newer.
// 4. Of each unit the highest version wins; of several copies of one version that whose block was opened last. Units
//    with a tombstone of that version or a higher one are unmapped. What a snapshot says is older than all that was
//    programmed behind it.
//
// Erase units that were partly written are closed: nobody programs on behind a torn page, or behind one that seems fine
// but was torn. On a die that would have no erase unit free one is emptied whose units all have copies of the same
// version elsewhere: GC always leaves one, since it erases a victim only when its copies are on flash.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/stripes.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"
#include "controllers/ftl/recovery/spare_scan.hpp"

namespace flashloom {

class Mount final : private SpareScan {
 public:
  struct Result {
    std::uint64_t newest_version = 0;
    std::uint64_t newest_sequence = 0;
    std::vector<BlockNumber> to_erase;  ///< free, but not erased, or not wholly
    /// Of a PagedMap with checkpoints, a bit a unit, translation pages included: units of which more is known than their
    /// translation page says, and translation pages written since the checkpoint.
    UnitBits newer;
  };

  /// `stripes`: null without parity over dies.
  Mount(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, UnitMap& map, MapKeeper& keeper,
        const Stripes* stripes);

  /// Fills the map and the block table, which must be new, and leaves the log ready to go on.
  Task<Result> run();
  using SpareScan::report;

 private:
  enum class Kind : std::uint8_t { Erased, Data, Log, Unreadable };
  struct Found {
    Kind kind = Kind::Erased;
    std::uint32_t covered = 0;   ///< pages that snapshot and journal tell about
    std::uint64_t sequence = 0;  ///< when it was opened
    bool of_epoch = false;       ///< of the log: has entries that count
  };
  /// A place that lost against one of the same, or of an unknown, version.
  struct Loser {
    std::uint32_t unit;
    PhysicalUnit place;
    std::uint64_t version;  // 0: not known
  };

  Task<void> look(BlockNumber block);
  Task<void> read_if_log(BlockNumber block);
  Task<void> scan(BlockNumber block);
  void take_page(BlockNumber block, std::uint32_t page, const OnfiCommand& command);
  void take(PhysicalUnit place, OobWord word);
  void use_log();
  void use_snapshot(const std::vector<std::uint64_t>& words);
  void use_places(const std::uint64_t* pairs, std::uint32_t first, std::uint32_t end);
  void use_directory(const std::uint64_t* payload);
  std::vector<std::uint32_t> valid_of_blocks() const;  // as the map stands
  void is_newer(std::uint32_t unit) {
    if (paged_ != nullptr) result_.newer.set(unit);
  }
  void use_records(const LogEntry& entry, bool skip);
  void bury(std::uint32_t unit, std::uint64_t version);
  bool is_free(BlockNumber block) const;
  SuperblockNumber superblock_of(BlockNumber block) const { return blocks_.superblocks().of(block); }
  std::vector<std::uint8_t> free_superblocks() const;
  Task<void> free_one(std::uint32_t group);
  void close_blocks();

  BlockTable& blocks_;
  const OobLayout& layout_;
  UnitMap& map_;
  const Stripes* stripes_;
  MapKeeper& keeper_;
  bool checkpoints_;
  const PagedMap* paged_;  // null: the whole map is in memory, or there are no checkpoints
  std::vector<std::uint64_t> versions_;  // of what the map holds; 0: not known, older than all that is read
  std::vector<std::uint64_t> buried_;    // by unit: version of its newest tombstone; empty: there is none
  std::vector<Found> found_;
  std::vector<std::uint32_t> valid_;  // by block
  LogEntries log_;
  std::vector<Loser> losers_;
  Result result_;
};

}  // namespace flashloom
