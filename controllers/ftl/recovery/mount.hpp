// Recovery: fills the map and the block table from flash after power-on, and finds the metadata log.
//
// 1. The first page of every erase unit is read, on all dies in parallel. Without checkpoints, all further pages, too.
// 2. The log is read: the newest complete snapshot, and the records after it.
// 3. With checkpoints: the spare areas of pages covered by neither snapshot nor journal are read. A paged map stays in
//    its translation pages: the snapshot tells where they are and which entries are newer.
// 4. Of each unit the highest version wins; of several copies of one version, the one whose block was opened last.
//    Units with a tombstone of that version or a higher one are unmapped. A snapshot is older than everything
//    programmed after it.
//
// Partly written erase units are closed: nothing may be programmed after a page that is torn, or that was torn but
// reads without error. If a die would have no free erase unit, one is emptied whose units all have copies of the same
// version elsewhere. GC always leaves one, since it erases a victim only when its copies are on flash.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/redundancy.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"
#include "controllers/ftl/recovery/spare_scan.hpp"

namespace flashloom {

class Mount final : private SpareScan {
 public:
  struct Result {
    std::uint64_t newest_version = 0;
    std::uint64_t newest_sequence = 0;
    std::vector<BlockNumber> to_erase;  ///< free, but not or only partly erased
    /// For a PagedMap with checkpoints, a bit per unit, including translation pages: units for which more is known than
    /// their translation page holds, and translation pages written since the checkpoint.
    UnitBits newer;
  };

  /// `redundancy`: null without parity over dies.
  Mount(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, UnitMap& map, MapKeeper& keeper,
        const Redundancy* redundancy);

  /// Fills the map and the block table, which must be new, and prepares the log for further entries.
  Task<Result> run();
  using SpareScan::report;

 private:
  enum class Kind : std::uint8_t { Erased, Data, Log, Unreadable };
  struct Found {
    Kind kind = Kind::Erased;
    std::uint32_t covered = 0;   ///< pages covered by snapshot and journal
    std::uint64_t sequence = 0;  ///< its opening
    bool of_epoch = false;       ///< a log block with entries that count
  };
  /// A place that lost against one of the same or of unknown version.
  struct Loser {
    std::uint32_t unit;
    PhysicalUnit place;
    std::uint64_t version;  // 0: unknown
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
  std::vector<std::uint32_t> valid_of_blocks() const;  // according to the present map
  void is_newer(std::uint32_t unit) {
    if (paged_ != nullptr) result_.newer.set(unit);
  }
  void use_records(const LogEntry& entry, bool skip);
  void bury(std::uint32_t unit, std::uint64_t version);
  bool is_free(BlockNumber block) const;
  std::vector<std::uint8_t> free_gc_units() const;
  Task<void> free_one(std::uint32_t group);
  void close_blocks();

  BlockTable& blocks_;
  const OobLayout& layout_;
  UnitMap& map_;
  const Redundancy* redundancy_;
  MapKeeper& keeper_;
  bool checkpoints_;
  const PagedMap* paged_;                  // null: the whole map is in memory, or there are no checkpoints
  std::vector<std::uint64_t> versions_;    // of the mapped data; 0: unknown, older than everything read
  std::vector<std::uint64_t> trimmed_by_;  // by unit: version of its newest tombstone; empty: none
  std::vector<Found> found_;
  std::vector<std::uint32_t> valid_;  // by block
  LogEntries log_;
  std::vector<Loser> losers_;
  Result result_;
};

}  // namespace flashloom
