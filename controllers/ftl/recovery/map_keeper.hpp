// Writes to flash what a mount could not learn from the spare areas, or only by too many reads: trims that were flushed
// (tombstones), checkpoints of the map, a journal of what was programmed. By the device's recovery method, in
// the metadata log. Works for every FTL whose map is a UnitMap.
//
// Entries of the log, in 64-bit words: kind, epoch, and
//  * snapshot: number of the part, parts in all, and its share of a Snapshot's words;
//  * records: Record words. An epoch begins with a snapshot (epoch 0: with an empty device); an entry counts if the
//    snapshot of its epoch is whole, and no later epoch's is.
// Words of a snapshot: version, sequence, number of open blocks, for each of them block << 32 | pages, then
//  * with checkpoints the map, two places a word, 0: none;
//  * with checkpoints of a PagedMap: number of changed entries, the places of all translation pages, the valid units of
//    all erase units (both two a word), and the changed entries, unit << 32 | place, or the whole map if that is less.
//    Beside that, as its translation pages have it: the map (MetadataLog::append);
//  * without, a bit a unit that is not mapped: it ends what was programmed before;
//  * with checkpoints of a map of blocks a BlockImage. No open blocks: it has them;
//  * of an FTL that keeps Tombstones these, a word each as in the spare areas. No open blocks, and no rest needed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "controllers/ftl/recovery/log_entries.hpp"
#include "controllers/ftl/recovery/metadata_log.hpp"
#include "controllers/ftl/recovery/paged_map.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "controllers/ftl/recovery/tombstones.hpp"

namespace flashloom {

/// The FTL whose map is kept.
class KeptMap : public LogSpace {
 public:
  /// Programs all that was decided on, padded where need be; returns when it is on flash and safe there.
  virtual Task<void> come_to_rest() = 0;
  /// Of the newest data that were placed or trimmed.
  virtual std::uint64_t newest_version() const = 0;
  /// Count of programs begun (OnfiCommand::sequence).
  virtual std::uint64_t sequence() const = 0;
  /// What a checkpoint says of an FTL whose map is of blocks: its words now, and they themselves, to be appended. 0: the
  /// map is of units.
  virtual std::uint64_t image_words() const { return 0; }
  virtual void add_image(std::vector<std::uint64_t>& /*words*/) const {}
  /// Null: the whole map is in memory. Checkpoints are of the directory of translation pages otherwise.
  virtual const PagedMap* paged() const { return nullptr; }

 protected:
  ~KeptMap() = default;
};

struct KeeperStatistics {
  std::uint64_t checkpoints = 0;
  std::uint64_t entries = 0;  ///< of the log
  std::uint64_t tombstones = 0;
};

class MapKeeper final : public ProgramObserver {
 public:
  /// `tombstones`: of an FTL whose programs do not go from page to page, so that no snapshot could say what came
  /// before.
  MapKeeper(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, const UnitMap& map, KeptMap& ftl,
            Tombstones* tombstones = nullptr);

  /// Erase units that the log may take at once: a checkpoint being written beside the one before and what was noted
  /// since.
  /// `map_pages`: translation pages of an FTL that pages its map in.
  static std::uint64_t most_blocks(const NandGeometry& geometry, std::uint64_t logical_units,
                                   const RecoveryMethod& method, std::uint64_t map_pages = 0);
  /// With Tombstones.
  static std::uint64_t most_blocks(const NandGeometry& geometry, std::uint64_t logical_units);
  /// With checkpoints of a map of blocks, of so many words.
  static std::uint64_t most_blocks_of_image(const NandGeometry& geometry, std::uint64_t words);

  /// What `units` of host data may cost in programs of the log: a checkpoint that is under way, those that come due, and
  /// pages of the journal. Of FTLs that map units.
  static std::uint64_t most_programs(const NandGeometry& geometry, std::uint64_t logical_units,
                                     const RecoveryMethod& method, std::uint64_t map_pages, std::uint64_t units);
  /// Checkpoints that come due within `units` of host data, or are under way.
  static std::uint64_t most_checkpoints(const NandGeometry& geometry, std::uint64_t logical_units,
                                        const RecoveryMethod& method, std::uint64_t units);

  const RecoveryMethod& method() const { return *method_; }
  const PagedMap* paged() const { return ftl_.paged(); }
  MetadataLog& log() { return log_; }
  const MetadataLog& log() const { return log_; }

  /// Before the units are unmapped: notes the trim, to be persistent by persist_trims(). False: the device is worn
  /// down, and the log has no room for it.
  Task<bool> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version);
  /// Whether trims are noted that are not on flash yet.
  bool trims_pending() const { return !trims_.empty() || writing_; }
  /// Trims so far survive power cuts. Also before any block is erased that may hold data which only a trim has made
  /// invalid: or yet older data could come back, which the host had overwritten for good.
  Task<void> persist_trims();

  /// After each unit that was placed: writes what is due to be journaled and checkpointed. Nothing with `oob_scan`.
  Task<void> after_write() {
    ++since_checkpoint_;
    ++since_journal_;
    if (since_checkpoint_ >= pace_.checkpoint) return checkpoint();
    return since_journal_ >= pace_.journal ? journal() : nothing();
  }
  bool paces() const { return paces_; }
  /// Of a snapshot: where what it says of the map begins, if it names no open blocks.
  static constexpr std::size_t kImage = LogEntry::kTombstones;

  void programmed(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words,
                  std::uint32_t units) override;

  /// Recovery: the epoch that was found.
  void continue_epoch(std::uint64_t epoch, std::uint64_t newest_epoch) {
    epoch_ = epoch;
    newest_epoch_ = newest_epoch;
  }
  const KeeperStatistics& statistics() const { return statistics_; }

  /// Saved states: of a quiescent keeper.
  void state(StateArchive& archive);

 private:
  Task<void> nothing() { co_return; }
  Task<void> journal();
  Task<void> checkpoint();
  Task<void> write_records();
  /// Units placed between checkpoints, and between pages of the journal.
  struct Pace {
    std::uint64_t checkpoint;
    std::uint64_t journal;
  };
  static Pace pace_of(const NandGeometry& geometry, std::uint64_t logical_units, const RecoveryMethod& method);
  std::uint32_t snapshot_blocks() const;
  /// `beside`: how many words at the end stand for what translation pages say.
  std::vector<std::uint64_t> snapshot(std::size_t& beside);
  void add_tombstones(std::vector<std::uint64_t>& words);
  void add_paged(std::vector<std::uint64_t>& words, const PagedMap& paged, std::size_t& beside) const;

  const FtlContext& context_;
  BlockTable& blocks_;
  const UnitMap& map_;
  KeptMap& ftl_;
  Tombstones* tombstones_;
  const OobLayout& layout_;
  std::unique_ptr<RecoveryMethod> method_;
  bool paces_;
  MetadataLog log_;
  Pace pace_;
  std::uint64_t since_checkpoint_ = 0;
  std::uint64_t since_journal_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t newest_epoch_ = 0;
  std::uint32_t most_blocks_ = 2;       // of the log, before it is written anew
  std::vector<std::uint64_t> trims_;    // records to be persistent
  std::vector<std::uint64_t> journal_;  // records, when there is an occasion
  bool writing_ = false;
  WaitList written_;
  KeeperStatistics statistics_;
};

}  // namespace flashloom
