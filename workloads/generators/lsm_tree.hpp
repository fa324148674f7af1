// The levels of a log-structured merge tree as RocksDB's leveled compaction keeps them: which files there are, which
// ones are merged next, and into what. Files are lists of keys; where they lie is the business of whoever writes them.
//
// From RocksDB 9 (db/version_set.cc, db/compaction/compaction_picker_level.cc): scores of the levels, level targets with
// and without level_compaction_dynamic_level_bytes, kMinOverlappingRatio, the growth of the inputs where that costs
// nothing below, trivial moves. Not modelled: deletes and snapshots, so that of each key the newest version survives;
// compactions within L0; files cut at borders of the level below the output (they are cut at their size alone); the
// limits max_compaction_bytes but for that growth.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace flashloom {

struct LsmShape {
  std::uint64_t entry = 1024;        ///< bytes of a key with its value
  std::uint32_t levels = 7;          ///< num_levels
  std::uint32_t l0_trigger = 4;      ///< level0_file_num_compaction_trigger
  std::uint64_t level_base = 0;      ///< bytes: max_bytes_for_level_base
  double multiplier = 10;            ///< max_bytes_for_level_multiplier
  std::uint64_t target_file = 0;     ///< bytes: target_file_size_base
  bool dynamic = true;               ///< level_compaction_dynamic_level_bytes
};

using LsmKey = std::uint32_t;

struct LsmFile {
  std::vector<LsmKey> keys;          ///< ascending, not empty
  std::vector<std::uint64_t> slots;  ///< of whoever writes it
  std::uint32_t level = 0;
};
using LsmFiles = std::vector<std::shared_ptr<LsmFile>>;

struct LsmCompaction {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  LsmFiles upper;      ///< of level `from`
  LsmFiles lower;      ///< of level `to`, in order of their keys
  LsmFiles outputs;    ///< for level `to`
  bool moves = false;  ///< trivial move: the file goes down as it is
};

class LsmTree {
 public:
  explicit LsmTree(const LsmShape& shape);

  /// Of L0 the oldest first; of other levels by keys.
  const LsmFiles& level(std::uint32_t number) const { return levels_[number]; }
  std::uint64_t bytes(const LsmFile& file) const { return file.keys.size() * shape_.entry; }
  std::uint64_t bytes_of(std::uint32_t level) const;
  /// Level that L0 is merged into.
  std::uint32_t base_level() const { return base_level_; }
  std::uint64_t target_of(std::uint32_t level) const { return targets_[level]; }

  /// A flushed memtable.
  void add_flushed(std::shared_ptr<LsmFile> file);
  /// All keys below `keys` as files of the level in which they have room, for a tree that is empty.
  LsmFiles bulk_load(std::uint64_t keys);
  /// The level most above its target, if one is; its files stay where they are until install().
  std::optional<LsmCompaction> pick() const;
  void install(const LsmCompaction& compaction);
  /// The newest file that has the key, and its number in it; null: none.
  const LsmFile* find(LsmKey key, std::uint64_t& index) const;

 private:
  double score(std::uint32_t level) const;
  void set_targets();
  LsmFiles cut(const std::vector<LsmKey>& keys, std::uint32_t level) const;
  LsmFiles overlapping(std::uint32_t level, LsmKey low, LsmKey high) const;
  std::shared_ptr<LsmFile> least_overlapping(std::uint32_t level) const;
  void grow(LsmCompaction& compaction) const;

  LsmShape shape_;
  std::vector<LsmFiles> levels_;
  std::vector<std::uint64_t> targets_;
  std::uint32_t base_level_ = 1;
};

}  // namespace flashloom
