// What cache replacement policies make of a trace, at several sizes: `flashloom cache`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/page_trace.hpp"
#include "policies/replacement/cache_model.hpp"

namespace flashloom {

/// What the size of a cache counts.
enum class CacheMemory : std::uint8_t {
  Real,   ///< pages of the real cache; ghosts come on top, also those that hold data
  Equal,  ///< all memory: pages wherever their data are, and what the policy remembers
};

/// One cache to try.
struct CachePoint {
  PolicyChoice policy;  ///< complete
  std::string label;    ///< as it was asked for
  CacheMemory memory = CacheMemory::Real;
  std::uint64_t size_pages = 0;
};

struct CacheResult {
  std::uint64_t capacity = 0;  ///< pages of the policy: the size, less what it remembers with CacheMemory::Equal
  double metadata_bytes_per_page = 0;  ///< of the capacity: entries, ghosts, and a hash table's row for each
  std::uint64_t model_bytes = 0;       ///< of the policy and its look-up in this program; the trace is apart
  CacheCounts counts;
};

/// Runs every point over the trace, `threads` (> 0) at a time. `progress` is called with the references done by all of
/// them, from the calling thread. The same results whatever the threads. Throws UnknownPart.
std::vector<CacheResult> run_cache_study(const PageTrace& trace, const std::vector<CachePoint>& points,
                                         std::uint32_t pages_per_block, unsigned threads,
                                         const std::function<void(std::uint64_t)>& progress);

}  // namespace flashloom
