// What an array counts.
#pragma once

#include <cstdint>

#include "models/common/counters.hpp"
#include "models/common/named_fields.hpp"
#include "models/common/types.hpp"

namespace flashloom {

struct ArrayStatistics {
  std::uint64_t full_stripe_writes = 0;     ///< rows of stripes written whole: nothing was read
  std::uint64_t read_modify_writes = 0;     ///< old data and parity were read
  std::uint64_t reconstruct_writes = 0;     ///< the data that stay were read
  std::uint64_t writes_without_parity = 0;  ///< no drive with parity was there, or none that could be right
  std::uint64_t degraded_reads = 0;         ///< parts of requests computed from other drives, a drive being away
  std::uint64_t reads_around = 0;           ///< the same, a drive collecting garbage
  std::uint64_t repaired_reads = 0;         ///< unreadable parts that other drives had; written again
  std::uint64_t unreadable = 0;             ///< parts of requests that no drive could give
  std::uint64_t failed_drives = 0;
  std::uint64_t stripes_rebuilt = 0;
  std::uint64_t stripes_lost = 0;       ///< whose contents in some slot cannot be told any more
  std::uint64_t stripes_resynced = 0;   ///< read after a cut, to see whether they agree
  std::uint64_t stripes_corrected = 0;  ///< of these, written again
  std::uint64_t journal_entries = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t journal_flushes = 0;   ///< of all drives, for room in the journal
  std::uint64_t journal_replayed = 0;  ///< entries, by starts
  std::uint64_t bitmap_writes = 0;
  std::uint64_t gc_windows = 0;  ///< turns of drives to collect garbage

  FLASHLOOM_REPORT(full_stripe_writes, read_modify_writes, reconstruct_writes, writes_without_parity, degraded_reads,
                   reads_around, repaired_reads, unreadable, failed_drives, stripes_rebuilt, stripes_lost,
                   stripes_resynced, stripes_corrected, journal_entries, journal_bytes, journal_flushes,
                   journal_replayed, bitmap_writes, gc_windows)
};

/// A rebuild onto the spare drive.
struct ArrayRebuild {
  std::uint32_t slot = ~std::uint32_t{0};
  Picoseconds begin = 0;
  Picoseconds end = 0;  ///< 0: not at its end
  std::uint64_t stripes_done = 0;
};

}  // namespace flashloom
