// What a tier counts.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/named_fields.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Requests of one stream (job). A request is a hit if the SSD serves all of it, and a write does not go to the HDD.
struct TierRequests {
  std::uint64_t reads = 0;
  std::uint64_t read_hits = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_hits = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t read_hit_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t write_hit_bytes = 0;

  TierRequests& operator+=(const TierRequests& other);
  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(reads, read_hits, writes, write_hits));
    const std::uint64_t all = reads + writes;
    f("hit_ratio", all == 0 ? 0.0 : static_cast<double>(read_hits + write_hits) / static_cast<double>(all));
    f(FLASHLOOM_NAMED(read_bytes, read_hit_bytes, write_bytes, write_hit_bytes));
  }
};

struct TierPass {
  Picoseconds begin = 0;
  Picoseconds end = 0;
  std::uint64_t written_back = 0;  ///< dirty segments, written back before any exchange
  std::uint64_t filled = 0;        ///< segments copied to the SSD
};

/// All commands of the tier to one device.
struct TierTraffic {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;

  FLASHLOOM_REPORT(reads, read_bytes, writes, write_bytes)
};

struct TierMetadataStatistics {
  std::uint64_t images = 0;
  std::uint64_t image_bytes = 0;
  std::uint64_t journal_blocks = 0;
  std::uint64_t bytes_read = 0;         ///< by starts
  std::uint64_t unreadable_blocks = 0;  ///< of the journal, each copy for itself; with bit errors

  FLASHLOOM_REPORT(images, image_bytes, journal_blocks, bytes_read)
};

struct TierStatistics {
  std::vector<TierRequests> streams;
  std::uint64_t filled_segments = 0;        ///< segments copied from HDD to SSD
  std::uint64_t written_back_segments = 0;  ///< segments copied from SSD to HDD
  std::uint64_t evicted_segments = 0;       ///< segments evicted or invalidated
  std::uint64_t invalidated_segments = 0;   ///< by a write
  std::uint64_t not_admitted = 0;           ///< misses for which no exchange was free
  std::uint64_t dual_writes = 0;            ///< requests written to both devices
  std::uint64_t lost_requests = 0;          ///< to segments whose newest data were lost with the SSD
  std::uint64_t unreadable_requests = 0;    ///< reads that the SSD could not correct and the HDD has served
  std::vector<TierPass> passes;             ///< that ended
  TierMetadataStatistics metadata;
  TierTraffic cache;  ///< the SSD
  TierTraffic home;   ///< the HDD

  TierRequests total() const;
  template <class F>
  void report(F&& f) const {
    f("requests", total());
    f(FLASHLOOM_NAMED(streams, filled_segments, written_back_segments, evicted_segments, invalidated_segments,
                      not_admitted, dual_writes, lost_requests, unreadable_requests));
    Picoseconds in_passes = 0;
    for (const TierPass& pass : passes) in_passes += pass.end - pass.begin;
    f("passes", passes.size());
    f("passes_s", seconds(in_passes));
    f(FLASHLOOM_NAMED(metadata));
    f("ssd", cache);
    f("hdd", home);
  }
};

}  // namespace flashloom
