// A device file's [hdd] table. The defaults are those of a Seagate ST2000DM001 (Barracuda 7200.14, two discs), except
// the capacity: 0, no disk.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Those of disk_order.hpp.
std::vector<std::string> disk_order_names();

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

  /// The keys of [hdd].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .key("capacity", &HddConfig::capacity, Quantity::Bytes, {0, kMaxBytes}, "hard disk; 0 B: none")
        .rare()
        .key("physical_sector", &HddConfig::physical_sector, Quantity::Bytes, {512, 4096},
             "what the disk writes at least; of a part of it, it reads the rest first")
        .count("rpm", &HddConfig::rpm, 1000, 30000, "revolutions a minute")
        .count("heads", &HddConfig::heads, 1, 64, "recording surfaces")
        .count("zones", &HddConfig::zones, 1, 256, "zones of equally many cylinders, each with its rate")
        .key("outer_rate", &HddConfig::outer_rate, Quantity::ByteRate, {1e6, 1e10},
             "sustained transfer of the outermost zone, where the addresses begin")
        .key("inner_rate", &HddConfig::inner_rate, Quantity::ByteRate, {1e6, 1e10},
             "of the innermost; at most outer_rate")
        .time("track_to_track", &HddConfig::track_to_track, 0, "seek to the next cylinder")
        .time("average_seek", &HddConfig::average_seek, 0, "mean of seeks between cylinders at random")
        .time("full_stroke", &HddConfig::full_stroke, 0, "seek over all cylinders")
        .time("head_switch", &HddConfig::head_switch, 0, "to another head of a cylinder")
        .time("write_settle", &HddConfig::write_settle, 0, "by which a write's seek takes longer than a read's")
        .time("track_settle", &HddConfig::track_settle, 0,
              "by which its head switch and its seek to the next cylinder do")
        .time("command_overhead", &HddConfig::command_overhead, 0,
              "of the disk's controller, each command, one after the other")
        .key("link_rate", &HddConfig::link_rate, Quantity::BitRate, {1e6, 1e12}, "SATA line rate")
        .count("queue_depth", &HddConfig::queue_depth, 1, 256, "commands that the disk accepts at once (NCQ)")
        .choice("order", &HddConfig::order, disk_order_names(), "order in which it serves them")
        .time("max_wait", &HddConfig::max_wait, 0, "a command that has waited so long goes next; 0 s: no bound")
        .key("read_buffer", &HddConfig::read_buffer, Quantity::Bytes, {0, 1e12}, "track buffer; 0 B: none")
        .count("read_segments", &HddConfig::read_segments, 0, 1024, "equal parts of it, one a stream; 0: none")
        .key("read_ahead", &HddConfig::read_ahead, Quantity::Bytes, {0, 1e12},
             "read on after a read, at most, while the arm has nothing else to do")
        .key("write_buffer", &HddConfig::write_buffer, Quantity::Bytes, {512, 1e12},
             "memory for written data on their way to the platters")
        .common()
        .key("write_cache", &HddConfig::write_cache,
             "acknowledge writes from there: a power cut loses them unless they were flushed")
        .rare()
        .count("destage_window", &HddConfig::destage_window, 1, 4096,
               "dirty runs around the head that the order chooses from")
        .time("standby_after", &HddConfig::standby_after, 0, "idle for so long, the disk stops; 0 s: never")
        .time("spin_up_time", &HddConfig::spin_up_time, 0, "from standby, or power-on, until it serves")
        .key("idle_power", &HddConfig::idle_power, Quantity::Power, {0, 500}, "turning, nothing to do")
        .key("seek_power", &HddConfig::seek_power, Quantity::Power, {0, 500}, "while the arm moves")
        .key("transfer_power", &HddConfig::transfer_power, Quantity::Power, {0, 500},
             "on the track: waiting for the sector, reading, writing")
        .key("standby_power", &HddConfig::standby_power, Quantity::Power, {0, 500}, "not turning")
        .key("spin_up_power", &HddConfig::spin_up_power, Quantity::Power, {0, 500}, "mean of the spin-up");
  }
};

/// Source of a default; `key` is its name in [hdd].
struct HddSource {
  std::string_view key;
  std::string_view source;
};
std::span<const HddSource> hdd_sources();

struct PowerFigures;
PowerFigures hdd_power_figures(const HddConfig& config);

/// Throws ConfigProblem for impossible values. `sector`: bytes of a logical block.
void check_config(const HddConfig& hdd, std::uint32_t sector);

}  // namespace flashloom
