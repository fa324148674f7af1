// Counters of FTLs.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/extremes.hpp"
#include "models/common/named_fields.hpp"
#include "models/common/types.hpp"
#include "policies/state_archive.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom {

/// Events of flexible data placement, with their numbers (NVM Express Base Specification 2.1, figure 289): host events
/// below 80h, controller events from 80h on.
enum class FdpEventType : std::uint8_t {
  UnitNotFull = 0x00,         ///< Reclaim Unit Not Fully Written To Capacity
  TimeLimit = 0x01,           ///< Reclaim Unit Time Limit Exceeded
  ResetHandles = 0x02,        ///< Controller Level Reset Modified Reclaim Unit Handles
  InvalidIdentifier = 0x03,   ///< Invalid Placement Identifier
  MediaReallocated = 0x80,    ///< Media Reallocated
  ImplicitlyModified = 0x81,  ///< Implicitly Modified Reclaim Unit Handle
};
inline constexpr std::array<FdpEventType, 6> kFdpEventTypes = {
    FdpEventType::UnitNotFull,       FdpEventType::TimeLimit,        FdpEventType::ResetHandles,
    FdpEventType::InvalidIdentifier, FdpEventType::MediaReallocated, FdpEventType::ImplicitlyModified};

struct FtlStatistics {
  std::uint64_t units_written = 0;   ///< data units handed over by the buffer
  std::uint64_t units_moved = 0;     ///< valid units copied by GC
  std::uint64_t gc_runs = 0;         ///< erase units collected
  std::uint64_t units_leveled = 0;   ///< valid units moved by wear levelling
  std::uint64_t wear_moves = 0;      ///< erase units emptied by wear levelling
  std::uint64_t units_scrubbed = 0;  ///< valid units moved by scrubbing
  std::uint64_t scrub_moves = 0;     ///< erase units emptied by scrubbing
  std::uint64_t units_padded = 0;
  std::uint64_t units_trimmed = 0;
  std::uint64_t units_zeroed = 0;  ///< units of host reads that are not on flash; not in saved states
  /// Of the SLC write cache.
  struct SlcCache {
    std::uint64_t units_written = 0;      ///< units of host data written to it
    std::uint64_t units_past = 0;         ///< units written past it because it was full
    std::uint64_t units_folded = 0;       ///< valid units copied out of it
    std::uint64_t folds = 0;              ///< erase units folded
    std::uint64_t given_back = 0;         ///< of these, borrowed ones returned because the die was short of space
    Highest<std::uint64_t> borrowed_max;  ///< most borrowed on a die at a time

    template <class F>
    void report(F&& f) const {
      f(FLASHLOOM_NAMED(units_written, units_past));
      f("folded_blocks", folds);
      f("folded_units", units_folded);
    }
  };
  SlcCache slc;
  /// Parity over dies.
  struct Rain {
    std::uint64_t reconstructed_reads = 0;     ///< read commands whose data were rebuilt from the stripe
    std::uint64_t reconstruction_reads = 0;    ///< read commands that this took
    std::uint64_t unrecoverable_reads = 0;     ///< read commands with too much of the stripe missing
    std::uint64_t failed_parity_programs = 0;  ///< the rest of these superblocks has no such parity
    std::uint64_t rebuilt_superblocks = 0;     ///< superblocks emptied because of a member on a failed die
    std::uint64_t rebuilds = 0;                ///< completed rebuilds of a die: no data are left on it
    Picoseconds rebuild_time = 0;              ///< total, from the die's failure or the last mount

    FLASHLOOM_REPORT(reconstructed_reads, reconstruction_reads, unrecoverable_reads, failed_parity_programs,
                     rebuilt_superblocks)
  };
  Rain rain;
  struct Stream {
    std::uint64_t units_written = 0;
    std::uint64_t units_padded = 0;
    std::uint64_t units_moved = 0;    ///< with [fdp]: valid units copied out of its blocks for any reason
    std::uint64_t reclaim_units = 0;  ///< with [fdp]: reclaim units begun by host data

    FLASHLOOM_REPORT(units_written, units_padded)
  };
  /// Events of flexible data placement (counted by note_fdp_event()) and related counters.
  struct Fdp {
    std::uint64_t handle_updates = 0;       ///< by the host
    std::uint64_t units_not_full = 0;       ///< event 00h: updates while the reclaim unit had room
    std::uint64_t time_limits = 0;          ///< event 01h: reclaim units left partly written at their time limit
    std::uint64_t room_left = 0;            ///< room left in the reclaim units of both events, mapping units
    std::uint64_t reset_handles = 0;        ///< event 02h: handles whose reclaim unit a mount found partly written
    std::uint64_t invalid_identifiers = 0;  ///< event 03h: writes whose placement identifier is invalid
    std::uint64_t media_reallocated = 0;    ///< event 80h: emptied superblocks of initially isolated handles
    std::uint64_t placed_elsewhere = 0;     ///< event 81h: handles that moved to another group because theirs was full

    /// The counter of an event type.
    std::uint64_t& of(FdpEventType type) {
      using enum FdpEventType;
      return type == UnitNotFull         ? units_not_full
             : type == TimeLimit         ? time_limits
             : type == ResetHandles      ? reset_handles
             : type == InvalidIdentifier ? invalid_identifiers
             : type == MediaReallocated  ? media_reallocated
                                         : placed_elsewhere;
    }
    std::uint64_t of(FdpEventType type) const { return Fdp(*this).of(type); }
  };
  Fdp fdp;
  /// For block-mapped FTLs. A switch merge copies nothing, a partial merge appends copies, a full merge copies into a
  /// fresh block.
  struct Merges {
    std::uint64_t switched = 0;
    std::uint64_t partial = 0;
    std::uint64_t full = 0;

    template <class F>
    void report(F&& f) const {
      f("switch", switched);
      f(FLASHLOOM_NAMED(partial, full));
    }
  };
  Merges merges;
  /// For FTLs with a paged map: entry look-ups, and the translation pages that they read and write.
  struct MapCache {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t reads = 0;   ///< pages read, for missing entries and for updates
    std::uint64_t writes = 0;  ///< pages written

    template <class F>
    void report(F&& f) const {
      f(FLASHLOOM_NAMED(hits, misses));
      f("page_reads", reads);
      f("page_writes", writes);
    }
  };
  MapCache map_cache;
  std::array<Stream, kMaxStreams> streams{};  ///< of host data; units_written is their sum, units_padded also has GC's
  Lowest<std::uint32_t> free_blocks_min;      ///< fewest free GC units of any group so far

  FtlStatistics& operator+=(const FtlStatistics& other);
  /// Counts since `other`, an earlier copy.
  FtlStatistics& operator-=(const FtlStatistics& other);

  /// Report of all FTLs. Null: the report fills in values that need more than these counters.
  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(gc_runs, merges, map_cache));
    f("valid_pages_moved", nullptr);
    f("valid_units_moved", units_moved);
    f(FLASHLOOM_NAMED(wear_moves, units_leveled));
    f("read_only", nullptr);
    f(FLASHLOOM_NAMED(units_written, units_padded, units_trimmed, units_zeroed));
  }

  /// All fields except units_zeroed.
  void state(StateArchive& archive);
};

}  // namespace flashloom
