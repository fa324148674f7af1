// What a hard disk did.
#pragma once

#include <array>
#include <cstdint>

#include "models/block/io_command.hpp"
#include "models/common/named_fields.hpp"

namespace flashloom {

struct HddStatistics {
  struct Operation {
    std::uint64_t ios = 0;
    std::uint64_t bytes = 0;

    FLASHLOOM_REPORT(ios, bytes)
  };
  std::array<Operation, kIoOperations> operations{};  ///< completed, by IoOperation; those that failed are not there
  std::uint64_t read_hits = 0;                        ///< of the reads: served from memory
  std::uint64_t reads_continued = 0;                  ///< of the reads: the head was reading ahead, and went on
  std::uint64_t cached_writes = 0;                    ///< of the writes: acknowledged from memory
  std::uint64_t throttled_writes = 0;                 ///< of the writes: had to wait for room in the write buffer
  /// The arm's work.
  struct Media {
    std::uint64_t reads = 0;
    std::uint64_t read_bytes = 0;        ///< that were asked for
    std::uint64_t read_ahead_bytes = 0;  ///< that were not
    std::uint64_t writes = 0;            ///< passes, each within a track
    std::uint64_t write_bytes = 0;
    std::uint64_t read_modify_writes = 0;  ///< of the passes: with a physical sector of which only a part was written

    FLASHLOOM_REPORT(reads, read_bytes, read_ahead_bytes, writes, write_bytes, read_modify_writes)
  };
  Media media;
  std::uint64_t seeks = 0;  ///< to another cylinder
  std::uint64_t seek_cylinders = 0;
  Picoseconds seek_time = 0;      ///< settling and head switches, too
  Picoseconds rotation_time = 0;  ///< on the track, until the first sector comes
  Picoseconds transfer_time = 0;  ///< until the last one has passed: switching tracks and rewriting, too
  std::uint64_t spin_ups = 0;
  Picoseconds spin_up_time = 0;  ///< spinning up on behalf of a command
  std::uint64_t power_lost = 0;  ///< commands that failed with the power

  template <class F>
  void report(F&& f) const {
    for (const IoOperation operation : {IoOperation::Read, IoOperation::Write, IoOperation::Flush})
      f(kIoOperationNames[static_cast<std::size_t>(operation)], operations[static_cast<std::size_t>(operation)]);
    f(FLASHLOOM_NAMED(read_hits, reads_continued, cached_writes, throttled_writes));
    f(FLASHLOOM_NAMED(media, seeks, seek_cylinders));
    f("seek_s", seconds(seek_time));
    f("rotation_s", seconds(rotation_time));
    f("transfer_s", seconds(transfer_time));
    f(FLASHLOOM_NAMED(spin_ups));
    f("spin_up_s", seconds(spin_up_time));
  }
};

}  // namespace flashloom
