// Writes to flash what a mount could not learn from the spare areas, or only with too many reads: flushed trims
// (tombstones), checkpoints of the map, and a journal of programs, according to the device's recovery method. All go to
// the metadata log. Works for every FTL whose map is a UnitMap.
//
// Entries of the log, in 64-bit words: kind, epoch, and
//  * snapshot: number of the part, number of parts, and its share of a Snapshot's words;
//  * records: Record words. An epoch begins with a snapshot (epoch 0: with an empty device); an entry counts if the
//    snapshot of its epoch is complete and no later epoch's is.
// Words of a snapshot: version, sequence, number of open blocks, for each of them block << 32 | pages, then
//  * with checkpoints: the map, two places a word, 0: none;
//  * with checkpoints of a PagedMap: number of changed entries, the places of all translation pages, the valid units of
//    all erase units (both two a word), and the changed entries, unit << 32 | place, or the whole map if that is less.
//    In addition, the map as its translation pages hold it, which is not programmed (MetadataLog::append);
//  * without checkpoints: a bit per unmapped unit, which invalidates data of that unit programmed earlier;
//  * with checkpoints of a block map: a BlockImage. Open blocks are not listed, since it contains them;
//  * of an FTL that keeps Tombstones: these, a word each, encoded as in the spare areas. No open blocks, and nothing
//    else.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_bits.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "controllers/ftl/recovery/log_entries.hpp"
#include "controllers/ftl/recovery/metadata_log.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "controllers/ftl/recovery/tombstones.hpp"

namespace flashloom {

/// State of the translation pages of a demand-paged map, for checkpoints of their directory. They are the logical units
/// after the host's.
struct PagedMap {
  std::uint32_t host_units = 0;
  UnitBits changed;  ///< host units whose entries are newer than their translation pages
};

/// The FTL whose map is kept.
class KeptMap : public LogSpace {
 public:
  /// Programs everything decided on, padded where needed; returns when it is on flash and safe there.
  virtual Task<void> come_to_rest() = 0;
  /// Version of the newest data placed or trimmed.
  virtual std::uint64_t newest_version() const = 0;
  /// Count of programs begun (OnfiCommand::sequence).
  virtual std::uint64_t sequence() const = 0;
  /// For a block-mapped FTL: number of words of its checkpoint now, and the words themselves, to be appended. 0: the
  /// map is of units.
  virtual std::uint64_t image_words() const { return 0; }
  virtual void add_image(std::vector<std::uint64_t>& /*words*/) const {}
  /// Null: the whole map is in memory. Otherwise checkpoints hold the directory of translation pages.
  virtual const PagedMap* paged() const { return nullptr; }

 protected:
  ~KeptMap() = default;
};

struct KeeperStatistics {
  std::uint64_t checkpoints = 0;
  std::uint64_t entries = 0;  ///< log entries
  std::uint64_t tombstones = 0;
};

class MapKeeper final : public ProgramObserver {
 public:
  /// `tombstones`: for an FTL that does not program pages in order, so that a snapshot could not tell what was
  /// programmed before it.
  MapKeeper(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, const UnitMap& map, KeptMap& ftl,
            Tombstones* tombstones = nullptr);

  /// Most erase units that the log may take at once: a checkpoint being written, beside the previous one and the
  /// records since. `map_pages`: translation pages of an FTL with a paged map.
  static std::uint64_t most_blocks(const NandGeometry& geometry, std::uint64_t logical_units,
                                   const RecoveryMethod& method, std::uint64_t map_pages = 0);
  /// For FTLs with Tombstones.
  static std::uint64_t most_blocks(const NandGeometry& geometry, std::uint64_t logical_units);
  /// For checkpoints of a block map, of `words` words.
  static std::uint64_t most_blocks_of_image(const NandGeometry& geometry, std::uint64_t words);

  /// Most log programs that `units` of host data may cause: a checkpoint in progress, checkpoints that become due, and
  /// journal pages. For FTLs that map units.
  static std::uint64_t most_programs(const NandGeometry& geometry, std::uint64_t logical_units,
                                     const RecoveryMethod& method, std::uint64_t map_pages, std::uint64_t units);
  /// Most checkpoints that become due within `units` of host data or are in progress.
  static std::uint64_t most_checkpoints(const NandGeometry& geometry, std::uint64_t logical_units,
                                        const RecoveryMethod& method, std::uint64_t units);

  const RecoveryMethod& method() const { return method_; }
  const PagedMap* paged() const { return ftl_.paged(); }
  MetadataLog& log() { return log_; }
  const MetadataLog& log() const { return log_; }

  /// Notes a trim, before its units are unmapped; persist_trims() makes it persistent. False if the device is worn down
  /// and the log has no room.
  Task<bool> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version);
  /// Whether trims are noted that are not on flash yet.
  bool trims_pending() const { return !trims_.empty() || writing_; }
  /// Returns when all trims so far survive power cuts. Required also before the erase of a block that may hold data
  /// which only a trim has invalidated: else still older data, long overwritten by the host, could reappear.
  Task<void> persist_trims();

  /// To be called once per unit written, before the unit is placed: writes the journal page or checkpoint that is due.
  Task<void> before_write() {
    ++since_checkpoint_;
    ++since_journal_;
    if (since_checkpoint_ >= pace_.checkpoint) return checkpoint();
    return since_journal_ >= pace_.journal ? journal() : Task<void>::over();
  }
  bool paces() const { return method_.checkpoints; }
  /// Start of the map words in a snapshot without open blocks.
  static constexpr std::size_t kImage = LogEntry::kTombstones;

  void programmed(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words,
                  std::uint32_t units) override;

  /// Recovery: continues with the epoch found.
  void continue_epoch(std::uint64_t epoch, std::uint64_t newest_epoch) {
    epoch_ = epoch;
    newest_epoch_ = newest_epoch;
  }
  const KeeperStatistics& statistics() const { return statistics_; }

  /// Saved states: of a quiescent keeper.
  void state(StateArchive& archive);

 private:
  Task<void> journal();
  Task<void> checkpoint();
  Task<void> write_records();
  /// Units placed between checkpoints, and between journal pages.
  struct Pace {
    std::uint64_t checkpoint;
    std::uint64_t journal;
  };
  static Pace pace_of(const NandGeometry& geometry, std::uint64_t logical_units, const RecoveryMethod& method);
  std::uint32_t snapshot_blocks() const;
  /// `beside`: number of words at the end that stand for the content of translation pages.
  std::vector<std::uint64_t> snapshot(std::size_t& beside);
  void add_tombstones(std::vector<std::uint64_t>& words);
  void add_paged(std::vector<std::uint64_t>& words, const PagedMap& paged, std::size_t& beside) const;

  const FtlContext& context_;
  BlockTable& blocks_;
  const UnitMap& map_;
  KeptMap& ftl_;
  Tombstones* tombstones_;
  const OobLayout& layout_;
  const RecoveryMethod method_;
  MetadataLog log_;
  Pace pace_;
  std::uint64_t since_checkpoint_ = 0;
  std::uint64_t since_journal_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t newest_epoch_ = 0;
  std::uint32_t most_blocks_ = 2;       // of the log, at which it is rewritten
  std::vector<std::uint64_t> trims_;    // records to be made persistent
  std::vector<std::uint64_t> journal_;  // records to be written with the next journal page
  bool writing_ = false;
  WaitList written_;
  KeeperStatistics statistics_;
};

}  // namespace flashloom
