// What the object heap counts.
#pragma once

#include <array>
#include <cstdint>

#include "models/block/io_command.hpp"
#include "models/common/named_fields.hpp"

namespace flashloom {

/// In pages unless said otherwise. A reference is a page that a read or update touches.
struct HeapStatistics {
  std::uint64_t reads = 0;         ///< references
  std::uint64_t updates = 0;       ///< references
  std::uint64_t hits = 0;          ///< of both: in NVM, or on their way from the swap area
  std::uint64_t leaving_hits = 0;  ///< of the hits: had been chosen to leave, and were still there
  std::uint64_t zero_filled = 0;   ///< faults on pages that nothing was ever written to, or that are overwritten
  std::uint64_t swapped_in = 0;    ///< read-ahead included
  std::uint64_t swap_ins = 0;      ///< requests
  std::uint64_t read_ahead = 0;
  std::uint64_t read_ahead_used = 0;
  std::uint64_t clean_evictions = 0;
  std::uint64_t dirty_evictions = 0;
  std::uint64_t swapped_out = 0;
  std::uint64_t swap_outs = 0;        ///< requests
  std::uint64_t stale_swap_outs = 0;  ///< of the pages swapped out: updated or deleted meanwhile, and so in vain
  std::uint64_t stalls = 0;           ///< waits for a free frame
  Picoseconds stalled_time = 0;       ///< of all of them
  std::uint64_t copied = 0;           ///< updates of a part of a page: the rest was copied
  std::uint64_t lost_pages = 0;       ///< that became lost: the device could not read them (see PagePlace)
  std::uint64_t failed_reads = 0;     ///< operations that met a lost page
  std::uint64_t failed_updates = 0;   ///< operations that met a lost page
  std::array<std::uint64_t, kIoOperations> device_ios{};    ///< requests to the device, completed
  std::array<std::uint64_t, kIoOperations> device_bytes{};  ///< bytes

  template <class F>
  void report(F&& f) const {
    f("read_pages", reads);
    f("update_pages", updates);
    f(FLASHLOOM_NAMED(hits));
    const std::uint64_t references = reads + updates;
    f("hit_ratio", references == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(references));
    f(FLASHLOOM_NAMED(leaving_hits, zero_filled, copied, swapped_in, swap_ins));
    f("read_ahead", [this](auto&& g) {
      g("issued", read_ahead);
      g("used", read_ahead_used);
    });
    f(FLASHLOOM_NAMED(swapped_out, swap_outs, stale_swap_outs, clean_evictions, dirty_evictions, stalls));
    f("stalled_s", seconds(stalled_time));
  }
};

/// What the last recovery found.
struct HeapRecovery {
  std::uint64_t objects = 0;
  std::uint64_t pages_in_nvm = 0;
  std::uint64_t pages_in_swap = 0;
  std::uint64_t redone = 0;   ///< pages of updates that were committed, but not carried out
  std::uint64_t undone = 0;   ///< pages of updates that were not committed
  std::uint64_t cleared = 0;  ///< entries that belong to no object any more

  FLASHLOOM_REPORT(objects, pages_in_nvm, pages_in_swap, redone, undone, cleared)
};

}  // namespace flashloom
