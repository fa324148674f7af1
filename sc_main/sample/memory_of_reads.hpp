// For how many requests caches remember what was read.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/cache_turnover.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

/// Where reads leave their traces in caches alone, what happened before these have been filled anew is forgotten: an LRU
/// then holds the same, whatever it held before (it has the stack property: Mattson et al., IBM Systems Journal 9, 1970),
/// and what other policies keep beyond that they keep because it was asked for again. So a stretch of the run that is not
/// simulated need not be carried out but for its end (Haskins and Skadron, "Memory reference reuse latency", ISPASS 2003).
/// Caches are filled anew after about as many requests as the last time.
class MemoryOfReads {
 public:
  using Caches = std::vector<CacheTurnover>;

  /// The caches before the first request; none: reads leave other traces, too, or no traces.
  explicit MemoryOfReads(Caches caches) : begin_(std::move(caches)) {}

  /// Caches of which there are some.
  bool forgets() const { return !begin_.empty(); }
  /// How many requests they remember is known; not before they have been filled once.
  bool known() const { return requests_ != 0; }
  /// So many, a quarter more for chance.
  std::uint64_t requests() const { return requests_; }

  /// Between the looks `before` and `now` so many requests were carried out. Returns whether all was filled anew.
  bool learn(std::uint64_t requests, const Caches& before, const Caches& now);

  /// What it has learned, and since when.
  void state(StateArchive& archive) {
    for (CacheTurnover& cache : begin_) archive(cache.room, cache.came_in);
    archive(requests_);
  }

 private:
  Caches begin_;
  std::uint64_t requests_ = 0;
};

}  // namespace flashloom
