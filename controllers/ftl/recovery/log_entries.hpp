// What a mount finds in the metadata log of any FTL: which entries count, and which erase units hold them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"

namespace flashloom {

class MapKeeper;

/// Words of log entries (MapKeeper).
struct LogEntry {
  enum Kind : std::uint64_t { kSnapshot = 1, kRecords = 2 };
  enum Record : std::uint64_t {
    kTrim = 1,     ///< kTrim, first << 32 | count, version
    kProgram = 2,  ///< kProgram, block << 32 | first page, sequence of the block, a word a unit
  };
  static constexpr std::size_t kHeader = 2;
  static constexpr std::size_t kSnapshotHeader = 4;
  static constexpr std::size_t kTrimWords = 3;
  static constexpr std::size_t kTombstones = 3;  ///< where they begin in a snapshot that has them

  std::uint64_t number = 0;
  BlockNumber block = kNoBlockNumber;
  const std::vector<std::uint64_t>* words = nullptr;

  /// Calls trim(first, count, version) or program(words of the record) for each record of a records entry.
  template <class Trim, class Program>
  void each_record(std::uint32_t units_per_program, Trim trim, Program program) const {
    for (std::size_t at = kHeader; at < words->size();) {
      const std::uint64_t* const record = words->data() + at;
      if (record[0] == kTrim) {
        trim(static_cast<std::uint32_t>(record[1] >> 32), static_cast<std::uint32_t>(record[1]), record[2]);
        at += kTrimWords;
      } else {
        program(record);
        at += 3 + units_per_program;
      }
    }
  }
};

class LogEntries {
 public:
  /// A readable page of the log belongs to entry `number`.
  void seen(std::uint64_t number) { last_ = std::max(last_, number); }
  /// Adds a complete entry.
  void add(const LogEntry& entry) { entries_.push_back(entry); }

  /// After all have been read: finds the newest epoch with a complete snapshot, and hands the log over to its keeper.
  void finish(MapKeeper& keeper);

  /// Words of the snapshot, without headers; empty if there is none.
  const std::vector<std::uint64_t>& snapshot() const { return snapshot_; }
  /// Records of that epoch, in order.
  const std::vector<LogEntry>& records() const { return records_; }
  /// Erase units that hold entries that count, in the order of writing.
  const std::vector<BlockNumber>& blocks() const { return blocks_; }

 private:
  std::uint64_t newest_epoch() const;

  std::vector<LogEntry> entries_;
  std::vector<LogEntry> records_;
  std::vector<std::uint64_t> snapshot_;
  std::vector<BlockNumber> blocks_;
  std::uint64_t last_ = 0;
};

}  // namespace flashloom
