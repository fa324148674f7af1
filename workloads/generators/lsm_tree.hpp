// The levels of a log-structured merge tree under RocksDB's leveled compaction: holds the files of each level, chooses
// the files to merge next, and computes the merged files. A file is a list of keys; the caller places it on the device.
//
// From RocksDB 9 (db/version_set.cc, db/compaction/compaction_picker_level.cc): scores of the levels, level targets
// with and without level_compaction_dynamic_level_bytes, kMinOverlappingRatio, trivial moves, more inputs from the
// upper level if they add none from the lower one. Not modelled: deletes and snapshots (the newest version of each key
// survives); compactions within L0; output files cut at boundaries of the level below (they are cut only at their
// size); max_compaction_bytes, except as a limit of the additional inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace flashloom {

struct LsmShape {
  std::uint64_t entry = 1024;     ///< bytes of a key with its value
  std::uint32_t levels = 7;       ///< num_levels
  std::uint32_t l0_trigger = 4;   ///< level0_file_num_compaction_trigger
  std::uint64_t level_base = 0;   ///< bytes: max_bytes_for_level_base
  double multiplier = 10;         ///< max_bytes_for_level_multiplier
  std::uint64_t target_file = 0;  ///< bytes: target_file_size_base
  bool dynamic = true;            ///< level_compaction_dynamic_level_bytes
};

using LsmKey = std::uint32_t;

struct LsmFile {
  std::vector<LsmKey> keys;          ///< ascending, not empty
  std::vector<std::uint64_t> slots;  ///< set by the caller that writes the file
  std::uint32_t level = 0;
};
using LsmFiles = std::vector<std::shared_ptr<LsmFile>>;

struct LsmCompaction {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  LsmFiles upper;      ///< inputs from level `from`
  LsmFiles lower;      ///< inputs from level `to`, in order of their keys
  LsmFiles outputs;    ///< new files of level `to`
  bool moves = false;  ///< trivial move: the file changes its level without being rewritten
};

class LsmTree {
 public:
  explicit LsmTree(const LsmShape& shape);

  /// Files of a level: in L0 the oldest first, in other levels by ascending keys.
  const LsmFiles& level(std::uint32_t number) const { return levels_[number]; }
  std::uint64_t bytes(const LsmFile& file) const { return file.keys.size() * shape_.entry; }
  std::uint64_t bytes_of(std::uint32_t level) const;
  /// The level into which L0 is merged.
  std::uint32_t base_level() const { return base_level_; }
  std::uint64_t target_of(std::uint32_t level) const { return targets_[level]; }

  /// Adds a flushed memtable to L0.
  void add_flushed(std::shared_ptr<LsmFile> file);
  /// Fills an empty tree with all keys below `keys`, in files of one level that has room for them. Returns the files.
  LsmFiles bulk_load(std::uint64_t keys);
  /// Chooses a compaction of the level with the highest score, if that is at least 1. The tree does not change.
  std::optional<LsmCompaction> pick() const;
  /// Replaces the inputs of a compaction by its outputs.
  void install(const LsmCompaction& compaction);
  /// The newest file that contains the key, with the key's index in it; null if no file does.
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
