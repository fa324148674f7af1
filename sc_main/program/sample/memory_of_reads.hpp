// Over how many requests caches keep the effect of earlier reads.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/cache_turnover.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

/// If reads change nothing but caches, earlier requests have no effect once the caches have been refilled: the contents
/// of an LRU cache then do not depend on what it held before (stack property: Mattson et al., IBM Systems Journal 9,
/// 1970), and other policies keep older entries only because they were requested again. So only the end of a stretch
/// that is not simulated on the timed clock need be carried out (Haskins and Skadron, "Memory reference reuse latency",
/// ISPASS 2003). The caches are assumed to refill in about as many requests as the last time.
class MemoryOfReads {
 public:
  using Caches = std::vector<CacheTurnover>;

  /// `caches`: their state before the first request; empty: reads change more than caches, or nothing.
  explicit MemoryOfReads(Caches caches) : begin_(std::move(caches)) {}

  /// Whether earlier reads lose their effect: there are caches, and reads change nothing else.
  bool forgets() const { return !begin_.empty(); }
  /// Whether requests() is known: the caches have been filled once.
  bool known() const { return requests_ != 0; }
  /// Requests in which the caches are refilled, with a margin of a quarter.
  std::uint64_t requests() const { return requests_; }

  /// Learns that `requests` changed the caches from `before` to `now`. Returns whether these refilled every cache.
  bool learn(std::uint64_t requests, const Caches& before, const Caches& now);

  /// Saves or restores what was learned, and the caches before the first request.
  void state(StateArchive& archive) {
    for (CacheTurnover& cache : begin_) archive(cache.room, cache.came_in);
    archive(requests_);
  }

 private:
  Caches begin_;
  std::uint64_t requests_ = 0;
};

}  // namespace flashloom
