// What an array counts.
#pragma once

#include <cstdint>

#include "models/common/counters.hpp"
#include "models/common/named_fields.hpp"
#include "models/common/types.hpp"

namespace flashloom {

struct ArrayStatistics {
  std::uint64_t full_stripe_writes = 0;     ///< row ranges written in all columns: no reads needed
  std::uint64_t read_modify_writes = 0;     ///< old data and parity were read
  std::uint64_t reconstruct_writes = 0;     ///< the data not overwritten were read
  std::uint64_t writes_without_parity = 0;  ///< no parity drive present, or its parity could not be correct
  std::uint64_t degraded_reads = 0;         ///< parts of requests reconstructed because a drive is missing
  std::uint64_t reads_around = 0;           ///< parts of requests reconstructed because a drive collects garbage
  std::uint64_t repaired_reads = 0;         ///< unreadable parts obtained from other drives and rewritten
  std::uint64_t unreadable = 0;             ///< parts of requests that no drive could provide
  std::uint64_t failed_drives = 0;
  std::uint64_t stripes_rebuilt = 0;
  std::uint64_t stripes_lost = 0;       ///< stripes whose content is unknown in some slot
  std::uint64_t stripes_resynced = 0;   ///< stripes read after a cut to check consistency
  std::uint64_t stripes_corrected = 0;  ///< of these, rewritten
  std::uint64_t journal_entries = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t journal_flushes = 0;   ///< flushes of all drives to free journal space
  std::uint64_t journal_replayed = 0;  ///< entries, at starts
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
  Picoseconds end = 0;  ///< 0: not finished
  std::uint64_t stripes_done = 0;
};

}  // namespace flashloom
