// A device file's [hdd] table. The defaults are those of a Seagate ST2000DM001 (Barracuda 7200.14, two discs), except
// the capacity: 0, no disk.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/common/types.hpp"

namespace flashloom {

struct HddConfig {
  std::uint64_t capacity = 0;            ///< bytes; 0: not fitted
  std::uint32_t physical_sector = 4096;  ///< bytes; a partial write of one costs one more revolution (512e)
  std::uint32_t rpm = 7200;
  std::uint32_t heads = 4;
  std::uint32_t zones = 24;                           ///< with equal numbers of cylinders, from the outer edge inwards
  std::uint64_t outer_rate = 210'000'000;             ///< bytes/s, sustained read of the outermost zone
  std::uint64_t inner_rate = 102'000'000;             ///< same of the innermost; linear in between
  Picoseconds track_to_track = kMillisecond;          ///< seek to the next cylinder
  Picoseconds average_seek = 8'500'000'000;           ///< mean over pairs of cylinders at random
  Picoseconds full_stroke = 17 * kMillisecond;        ///< seek from the first to the last cylinder
  Picoseconds head_switch = 800 * kMicrosecond;       ///< to another head of the cylinder
  Picoseconds write_settle = kMillisecond;            ///< added to a write's seek
  Picoseconds track_settle = 200 * kMicrosecond;      ///< same for a head switch or a seek to the next cylinder
  Picoseconds command_overhead = kMicrosecond * 100;  ///< controller time of each command, one after the other
  std::uint64_t link_rate = 6'000'000'000;            ///< SATA line rate, bits/s, 8b/10b coded
  std::uint32_t queue_depth = 32;                     ///< commands accepted at once (NCQ)
  std::string order = "satf";                         ///< in which commands are served: disk_order.hpp
  Picoseconds max_wait = kSecond;                     ///< a command that has waited so long is served next; 0: no bound
  std::uint64_t read_buffer = 32 << 20;               ///< bytes
  std::uint32_t read_segments = 16;                   ///< equal parts of it, one a stream
  std::uint64_t read_ahead = 1 << 20;                 ///< bytes of read-ahead at most, while the arm is idle
  std::uint64_t write_buffer = 32 << 20;              ///< bytes of written data on their way to the disc
  bool write_cache = true;                            ///< acknowledge writes from there (volatile)
  std::uint32_t destage_window = 32;                  ///< dirty runs near the head that the order chooses from
  Picoseconds standby_after = 0;                      ///< idle time before the disk spins down; 0: never
  Picoseconds spin_up_time = 13'500'000'000'000;      ///< standby or power-on to ready
  double idle_power = 5.4;                            ///< W, spinning, nothing to do
  double seek_power = 9.3;                            ///< W, arm moving
  double transfer_power = 8.0;                        ///< W, on the track: waiting for the sector, reading, writing
  double standby_power = 0.75;                        ///< W, not spinning
  double spin_up_power = 20.0;                        ///< W, mean over the spin-up
};

/// Source of a default; `key` is its name in [hdd].
struct HddSource {
  std::string_view key;
  std::string_view source;
};
std::span<const HddSource> hdd_sources();

/// Throws ConfigProblem for impossible values. `sector`: bytes of a logical block.
void check_config(const HddConfig& hdd, std::uint32_t sector);

}  // namespace flashloom
