// [array]: several drives behind one host, as software RAID.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"
#include "models/memory/memory_config.hpp"

namespace flashloom {

/// Masks of drives have 32 bits, and an array with a spare has one drive more than its width.
inline constexpr std::uint32_t kMostArrayDrives = 32;

struct ArrayConfig {
  std::string level = "none";                    ///< "none", "jbod", "raid0", "raid1", "raid10", "raid5", "raid6"
  std::uint32_t drives = 4;                      ///< each is a device as the rest of the file describes it
  std::uint64_t chunk = 64 << 10;                ///< bytes on a drive before the next drive follows
  std::string read_policy = "round_robin";       ///< copy that a mirrored read takes; or "shortest_queue", "nearest"
  std::uint32_t stripe_cache = 256;              ///< stripes in memory at once (written, rebuilt, reconstructed)
  Picoseconds latency = kMicrosecond;            ///< of the array software, per request
  std::uint64_t xor_rate = 11'226'000'000;       ///< source bytes per second for P on one core; 0: takes no time
  std::uint64_t syndrome_rate = 12'726'000'000;  ///< the same for Q
  Picoseconds fail_at = 0;                       ///< `failed_drive` fails at this instant; 0: never
  std::uint32_t failed_drive = 0;                ///< its slot
  Picoseconds rebuild_at = 0;                    ///< a spare drive is available from this instant on; 0: no spare
  /// Bytes per second of a drive that rebuild or resync may use; 0: no limit.
  std::uint64_t rebuild_rate = 200'000ULL << 10;
  std::string journal = "none";               ///< or "bitmap", "write_ahead": state that survives a power cut
  std::uint64_t bitmap_chunk = 64 << 20;      ///< bytes of a drive that one bit of the bitmap covers
  bool start_dirty_degraded = false;          ///< uses parity even if it may be wrong after a cut
  std::string gc = "independent";             ///< or in turns: "at_once" (all drives together), "staggered"
  Picoseconds gc_window = 20 * kMillisecond;  ///< length of a turn; a round has one per drive
  NvramConfig nvram;                          ///< [array.nvram]: holds journal or bitmap

  bool present() const { return level != "none"; }
  bool has_parity() const { return level == "raid5" || level == "raid6"; }
  bool has_mirrors() const { return level == "raid1" || level == "raid10"; }
  bool has_redundancy() const { return has_parity() || has_mirrors(); }
  bool has_spare() const { return rebuild_at != 0; }

  /// The keys of [array].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .choice("level", &ArrayConfig::level, {"none", "jbod", "raid0", "raid1", "raid10", "raid5", "raid6"},
                "several drives, each as this file describes, behind one host as software RAID; none: one drive")
        .count("drives", &ArrayConfig::drives, 1, kMostArrayDrives, "drives, without the spare")
        .rare()
        .key("chunk", &ArrayConfig::chunk, Quantity::Bytes, {512, 1 << 30},
             "of a drive, before the next one follows; a multiple of ftl.mapping_unit")
        .timed_only()
        .choice(
            "read_policy", &ArrayConfig::read_policy, {"round_robin", "shortest_queue", "nearest"},
            "which copy a mirrored read takes: in turn, fewest commands, or where a drive's last read ended nearest")
        .common()
        .count("stripe_cache", &ArrayConfig::stripe_cache, 1, 1 << 20,
               "stripes in memory at once: being written, reconstructed, resynced or rebuilt")
        .rare()
        .time("latency", &ArrayConfig::latency, 0, "the array's software, each request (weak)")
        .key("xor_rate", &ArrayConfig::xor_rate, Quantity::ByteRate, {0, kMaxRate},
             "one core of the host computes P of so many bytes of data a second; 0 B/s: in no time. Default: Linux's "
             "xor "
             "on a Loongson 3A5000 at 2.5 GHz (commit \"raid6: Add LoongArch SIMD syndrome calculation\")")
        .key("syndrome_rate", &ArrayConfig::syndrome_rate, Quantity::ByteRate, {0, kMaxRate},
             "the same of Q. Default: raid6 lasx gen() of the same boot")
        .common()
        .time("fail_at", &ArrayConfig::fail_at, 0, "a drive fails at this instant; 0 s: never", kMaxTime)
        .rare()
        .count("failed_drive", &ArrayConfig::failed_drive, 0, kMostArrayDrives - 1, "its number, from 0")
        .common()
        .time("rebuild_at", &ArrayConfig::rebuild_at, 0,
              "from here on there is a spare drive, onto which what has failed is rebuilt; 0 s: there is none",
              kMaxTime)
        .key("rebuild_rate", &ArrayConfig::rebuild_rate, Quantity::ByteRate, {0, kMaxRate},
             "of each drive, that a rebuild or a resync takes at most; 0 B/s: no limit. Default: Linux's "
             "sync_speed_max, "
             "200,000 KiB/s")
        .rare()
        .choice("journal", &ArrayConfig::journal, {"none", "bitmap", "write_ahead"},
                "what is known after a power cut: nothing, which regions were being written, or what was being written")
        .key("bitmap_chunk", &ArrayConfig::bitmap_chunk, Quantity::Bytes, {512, 1 << 30},
             "of a drive, for each bit of the bitmap; a multiple of array.chunk. Default: mdadm's")
        .key("start_dirty_degraded", &ArrayConfig::start_dirty_degraded,
             "parity that a cut may have left wrong is used when a drive is away (md_mod.start_dirty_degraded); false: "
             "what it would give reads as a media error")
        .common()
        .choice("gc", &ArrayConfig::gc, {"independent", "at_once", "staggered"},
                "when drives collect in the background: each when it idles; or in turns alone, all drives in the same, "
                "or one "
                "after the other, and read around meanwhile")
        .rare()
        .time("gc_window", &ArrayConfig::gc_window, 1,
              "a turn, of which each drive has one in as many as there are drives");
  }
};

/// Throws ConfigProblem if no array of such drives is possible.
void check_config(const ArrayConfig& array, std::uint32_t sector_bytes, std::uint32_t unit_bytes,
                  std::uint64_t drive_bytes);

}  // namespace flashloom
