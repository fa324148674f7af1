// What the host's page cache counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/named_fields.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Why a page was written back.
enum class WriteBackCause : std::uint8_t { Eviction, Background, Age, Flush };
inline constexpr std::size_t kWriteBackCauses = 4;
inline constexpr std::array<const char*, kWriteBackCauses> kWriteBackCauseNames{"eviction", "background", "age",
                                                                                "flush"};

/// In pages of the cache unless said otherwise. A reference is a page of a request.
struct PageCacheStatistics {
  std::uint64_t read_pages = 0;     ///< references
  std::uint64_t read_hits = 0;      ///< found, or on their way from the device
  std::uint64_t write_pages = 0;    ///< references
  std::uint64_t write_hits = 0;     ///< found, or on their way from the device
  std::uint64_t leaving_hits = 0;   ///< of the hits: had left already, were being written back
  std::uint64_t ghost_hits = 0;     ///< of the hits: of dirty ghosts that hold their data beside the cache's size
  std::uint64_t fetched_pages = 0;  ///< read from the device
  std::uint64_t fetch_requests = 0;
  std::uint64_t filled_pages = 0;  ///< of those fetched: because a write covered a part of the page
  std::uint64_t clean_evictions = 0;
  std::uint64_t dirty_evictions = 0;
  std::array<std::uint64_t, kWriteBackCauses> written_back{};
  std::uint64_t write_requests = 0;
  std::uint64_t write_errors = 0;      ///< that the device refused: their data are lost
  std::uint64_t flushes = 0;           ///< sent to the device: for flushes of the host, and for FUA writes
  std::uint64_t throttled_writes = 0;  ///< requests that waited for dirty pages to become fewer
  Picoseconds throttled_time = 0;      ///< of all of them
  std::uint64_t stalled_requests = 0;  ///< requests that waited for room: for pages on their way out
  Picoseconds stalled_time = 0;

  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(read_pages, read_hits, write_pages, write_hits));
    const std::uint64_t references = read_pages + write_pages;
    f("hit_ratio",
      references == 0 ? 0.0 : static_cast<double>(read_hits + write_hits) / static_cast<double>(references));
    f(FLASHLOOM_NAMED(leaving_hits, fetched_pages, fetch_requests, filled_pages, clean_evictions, dirty_evictions));
    f("written_back", [this](auto&& g) {
      for (std::size_t i = 0; i < kWriteBackCauses; ++i) g(kWriteBackCauseNames[i], written_back[i]);
    });
    f(FLASHLOOM_NAMED(write_requests, write_errors, flushes, throttled_writes));
    f("throttled_s", seconds(throttled_time));
    f(FLASHLOOM_NAMED(stalled_requests));
    f("stalled_s", seconds(stalled_time));
  }
};

}  // namespace flashloom
