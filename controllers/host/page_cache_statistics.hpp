// What the host's page cache counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

/// Why a page was written back.
enum class WriteBackCause : std::uint8_t { Eviction, Background, Age, Flush };
inline constexpr std::size_t kWriteBackCauses = 4;

/// In pages of the cache unless said otherwise. A reference is a page of a request.
struct PageCacheStatistics {
  std::uint64_t reads = 0;         ///< references
  std::uint64_t read_hits = 0;     ///< found, or on their way from the device
  std::uint64_t writes = 0;        ///< references
  std::uint64_t write_hits = 0;    ///< found, or on their way from the device
  std::uint64_t leaving_hits = 0;  ///< of the hits: had left already, were being written back
  std::uint64_t fetched = 0;       ///< read from the device
  std::uint64_t fetch_requests = 0;
  std::uint64_t filled = 0;  ///< of those fetched: because a write covered a part of the page
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
};

}  // namespace flashloom
