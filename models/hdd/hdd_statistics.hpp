// Statistics of a hard disk.
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
  std::array<Operation, kIoOperations> operations{};  ///< completed, by IoOperation, without failed ones
  std::uint64_t read_hits = 0;                        ///< of the reads: served from memory
  std::uint64_t reads_continued = 0;                  ///< of the reads: continued the read-ahead under way
  std::uint64_t cached_writes = 0;                    ///< of the writes: acknowledged from memory
  std::uint64_t throttled_writes = 0;                 ///< of the writes: waited for space in the write buffer
  /// The arm's work.
  struct Media {
    std::uint64_t reads = 0;
    std::uint64_t read_bytes = 0;        ///< requested
    std::uint64_t read_ahead_bytes = 0;  ///< not requested
    std::uint64_t writes = 0;            ///< passes, each within a track
    std::uint64_t write_bytes = 0;
    std::uint64_t read_modify_writes = 0;  ///< of the passes: with a partly written physical sector

    FLASHLOOM_REPORT(reads, read_bytes, read_ahead_bytes, writes, write_bytes, read_modify_writes)
  };
  Media media;
  std::uint64_t seeks = 0;  ///< to another cylinder
  std::uint64_t seek_cylinders = 0;
  Picoseconds seek_time = 0;      ///< including settling and head switches
  Picoseconds rotation_time = 0;  ///< on the track, waiting for the first sector
  Picoseconds transfer_time = 0;  ///< until the last sector has passed, including track switches and rewriting
  std::uint64_t spin_ups = 0;
  Picoseconds spin_up_time = 0;  ///< spinning up on behalf of a command
  std::uint64_t power_lost = 0;  ///< commands that failed because of power loss

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
