// What FTLs count.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/extremes.hpp"
#include "models/common/named_fields.hpp"
#include "models/common/types.hpp"
#include "policies/state_archive.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom {

/// Of flexible data placement, with their numbers (NVM Express Base Specification 2.1, figure 289): host events below
/// 80h, controller events from there on.
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
  std::uint64_t units_leveled = 0;   ///< valid units that wear levelling moved
  std::uint64_t wear_moves = 0;      ///< erase units that it emptied
  std::uint64_t units_scrubbed = 0;  ///< valid units that scrubbing moved
  std::uint64_t scrub_moves = 0;     ///< erase units that it emptied
  std::uint64_t units_padded = 0;
  std::uint64_t units_trimmed = 0;
  std::uint64_t units_zeroed = 0;  ///< units of host reads that no flash holds; not in saved states, where none counts
  /// Of the SLC write cache.
  struct SlcCache {
    std::uint64_t units_written = 0;      ///< data units of the host into it
    std::uint64_t units_past = 0;         ///< past it, since it was full
    std::uint64_t units_folded = 0;       ///< valid units copied out of it
    std::uint64_t folds = 0;              ///< erase units folded
    std::uint64_t given_back = 0;         ///< of them, borrowed ones, since the die was short of room
    Highest<std::uint64_t> borrowed_max;  ///< most that were borrowed on a die at a time

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
    std::uint64_t reconstructed_reads = 0;  ///< commands whose data came from the rest of their stripe
    std::uint64_t reconstruction_reads = 0;  ///< commands that they took
    std::uint64_t unrecoverable_reads = 0;   ///< commands for which too much of the stripe was missing
    std::uint64_t failed_parity_programs = 0;  ///< the rest of their superblocks stays without
    std::uint64_t rebuilt_superblocks = 0;     ///< emptied since they had a member on a die that has failed
    std::uint64_t rebuilds = 0;                ///< of a die, that have ended: nothing is left on it
    Picoseconds rebuild_time = 0;              ///< of these, since the die failed, or since the last mount

    FLASHLOOM_REPORT(reconstructed_reads, reconstruction_reads, unrecoverable_reads, failed_parity_programs,
                     rebuilt_superblocks)
  };
  Rain rain;
  struct Stream {
    std::uint64_t units_written = 0;
    std::uint64_t units_padded = 0;
    std::uint64_t units_moved = 0;    ///< with [fdp]: valid units copied out of its blocks, for whatever reason
    std::uint64_t reclaim_units = 0;  ///< with [fdp]: that host data have begun

    FLASHLOOM_REPORT(units_written, units_padded)
  };
  /// Of flexible data placement: its events (note_fdp_event() counts them), and what goes with them.
  struct Fdp {
    std::uint64_t handle_updates = 0;       ///< by the host
    std::uint64_t units_not_full = 0;       ///< event 00h: of these, while the reclaim unit had room
    std::uint64_t time_limits = 0;          ///< event 01h: reclaim units left half full since their time was up
    std::uint64_t room_left = 0;            ///< in those of both events, in mapping units
    std::uint64_t reset_handles = 0;        ///< event 02h: handles of which a mount has found a unit half full
    std::uint64_t invalid_identifiers = 0;  ///< event 03h: writes whose placement identifier names no handle
    std::uint64_t media_reallocated = 0;    ///< event 80h: superblocks of initially isolated handles that were emptied
    std::uint64_t placed_elsewhere = 0;     ///< event 81h: a handle went on elsewhere, since its group was full

    /// The count of an event.
    std::uint64_t& of(FdpEventType type) {
      switch (type) {
        case FdpEventType::UnitNotFull:
          return units_not_full;
        case FdpEventType::TimeLimit:
          return time_limits;
        case FdpEventType::ResetHandles:
          return reset_handles;
        case FdpEventType::InvalidIdentifier:
          return invalid_identifiers;
        case FdpEventType::MediaReallocated:
          return media_reallocated;
        case FdpEventType::ImplicitlyModified:
          break;
      }
      return placed_elsewhere;
    }
    std::uint64_t of(FdpEventType type) const { return Fdp(*this).of(type); }
  };
  Fdp fdp;
  /// Of FTLs that map blocks. A switch copies nothing, a partial merge copies behind what is there, a full merge into a
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
  /// Of FTLs that page their map in: look-ups of entries, and what they cost in translation pages.
  struct MapCache {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t reads = 0;   ///< pages read: for entries that are missing, and to be updated
    std::uint64_t writes = 0;  ///< pages written

    template <class F>
    void report(F&& f) const {
      f(FLASHLOOM_NAMED(hits, misses));
      f("page_reads", reads);
      f("page_writes", writes);
    }
  };
  MapCache map_cache;
  std::array<Stream, kMaxStreams> streams{};  ///< of host data; units_written is their sum, units_padded has GC's, too
  Lowest<std::uint32_t> free_blocks_min;      ///< fewest free erase units of any die at any time

  FtlStatistics& operator+=(const FtlStatistics& other);
  /// What was counted since `other`, an earlier copy.
  FtlStatistics& operator-=(const FtlStatistics& other);

  /// Of all FTLs. Null: the report puts in what the counts alone do not tell.
  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(gc_runs, merges, map_cache));
    f("valid_pages_moved", nullptr);
    f("valid_units_moved", units_moved);
    f(FLASHLOOM_NAMED(wear_moves, units_leveled));
    f("read_only", nullptr);
    f(FLASHLOOM_NAMED(units_written, units_padded, units_trimmed, units_zeroed));
  }

  /// All fields but units_zeroed.
  void state(StateArchive& archive);
};

}  // namespace flashloom
