// [array]: several drives behind one host, as software RAID.
#pragma once

#include <cstdint>
#include <string>

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
};

/// Throws ConfigProblem if no array of such drives is possible.
void check_config(const ArrayConfig& array, std::uint32_t sector_bytes, std::uint32_t unit_bytes,
                  std::uint64_t drive_bytes);

}  // namespace flashloom
