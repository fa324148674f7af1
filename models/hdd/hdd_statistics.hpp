// What a hard disk did.
#pragma once

#include <array>
#include <cstdint>

#include "models/block/io_command.hpp"

namespace flashloom {

struct HddStatistics {
  struct Operation {
    std::uint64_t ios = 0;
    std::uint64_t bytes = 0;
  };
  std::array<Operation, kIoOperations> operations{};  ///< completed, by IoOperation; those that failed are not there
  std::uint64_t read_hits = 0;                        ///< of the reads: served from memory
  std::uint64_t reads_continued = 0;                  ///< of the reads: the head was reading ahead, and went on
  std::uint64_t cached_writes = 0;                    ///< of the writes: acknowledged from memory
  std::uint64_t throttled_writes = 0;                 ///< of the writes: had to wait for room in the write buffer
  // The arm's work.
  std::uint64_t media_reads = 0;
  std::uint64_t media_read_bytes = 0;  ///< that were asked for
  std::uint64_t read_ahead_bytes = 0;  ///< that were not
  std::uint64_t media_writes = 0;      ///< passes, each within a track
  std::uint64_t media_write_bytes = 0;
  std::uint64_t read_modify_writes = 0;  ///< of the passes: with a physical sector of which only a part was written
  std::uint64_t seeks = 0;               ///< to another cylinder
  std::uint64_t seek_cylinders = 0;
  Picoseconds seek_time = 0;      ///< settling and head switches, too
  Picoseconds rotation_time = 0;  ///< on the track, until the first sector comes
  Picoseconds transfer_time = 0;  ///< until the last one has passed: switching tracks and rewriting, too
  std::uint64_t spin_ups = 0;
  Picoseconds spin_up_time = 0;  ///< spinning up on behalf of a command
  std::uint64_t power_lost = 0;  ///< commands that failed with the power
};

}  // namespace flashloom
