// [array]: several drives behind one host, as software RAID.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.hpp"
#include "models/memory/memory_config.hpp"

namespace flashloom {

/// A drive of an array has a bit in masks of 32, and an array with a spare one drive more than it is wide.
inline constexpr std::uint32_t kMostArrayDrives = 32;

struct ArrayConfig {
  std::string level = "none";                    ///< "none", "jbod", "raid0", "raid1", "raid10", "raid5", "raid6"
  std::uint32_t drives = 4;                      ///< each is the device that the rest of the file describes
  std::uint64_t chunk = 64 << 10;                ///< bytes of a drive before the next one follows
  std::string read_policy = "round_robin";       ///< which copy a mirrored read takes: or "shortest_queue", "nearest"
  std::uint32_t stripe_cache = 256;              ///< stripes in memory at once, being written, rebuilt or reconstructed
  Picoseconds latency = kMicrosecond;            ///< of the array's software, each request
  std::uint64_t xor_rate = 11'226'000'000;       ///< bytes a second of one core: sources of P; 0: no time
  std::uint64_t syndrome_rate = 12'726'000'000;  ///< the same of Q
  Picoseconds fail_at = 0;                       ///< `failed_drive` fails at this instant; 0: never
  std::uint32_t failed_drive = 0;                ///< its place
  Picoseconds rebuild_at = 0;  ///< from here on there is a spare drive for what has failed; 0: there is none
  /// Bytes a second of a drive that rebuild or resync take; 0: no limit.
  std::uint64_t rebuild_rate = 200'000ULL << 10;
  std::string journal = "none";               ///< "none", "bitmap" or "write_ahead": what is known after a power cut
  std::uint64_t bitmap_chunk = 64 << 20;      ///< bytes of a drive that one bit of the bitmap is for
  bool start_dirty_degraded = false;          ///< parity that may be wrong after a cut is used all the same
  std::string gc = "independent";             ///< or in turns: "at_once" all drives in one, "staggered" one in each
  Picoseconds gc_window = 20 * kMillisecond;  ///< a turn; each drive has one in as many as there are drives
  NvramConfig nvram;                          ///< [array.nvram]: holds journal or bitmap

  bool present() const { return level != "none"; }
  bool has_parity() const { return level == "raid5" || level == "raid6"; }
  bool has_mirrors() const { return level == "raid1" || level == "raid10"; }
  bool has_redundancy() const { return has_parity() || has_mirrors(); }
  bool has_spare() const { return rebuild_at != 0; }
};

/// Throws ConfigProblem for what no array of such drives can be.
void check_config(const ArrayConfig& array, std::uint32_t sector_bytes, std::uint32_t unit_bytes,
                  std::uint64_t drive_bytes);

}  // namespace flashloom
