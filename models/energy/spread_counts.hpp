// Operations that are done evenly over an interval, as long as what lies ahead of them can still be taken back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

class SpreadCounts {
 public:
  /// Power above this is not summed exactly (PowerTimeline::quantised()).
  static constexpr double kMostWatts = 256;

  struct Interval {
    std::uint32_t operation = 0;
    std::uint64_t count = 0;
    Picoseconds from = 0;
    Picoseconds to = 0;
    double watts = 0;  ///< what the record of the power has of it

    /// Whole operations that are done by `at`.
    std::uint64_t done(Picoseconds at) const {
      if (at >= to) return count;
      if (at <= from) return 0;
      __extension__ using Wide = unsigned __int128;
      return static_cast<std::uint64_t>(Wide{count} * (at - from) / (to - from));
    }
  };

  /// Remembers the interval, and forgets some that are over, by the present instant that `clock` tells. Returns the
  /// latest end of those.
  template <class Clock>
  Picoseconds add(const Interval& interval, Clock clock) {
    Picoseconds forgotten = 0;
    if (intervals_.size() >= room_) {
      const Picoseconds now = clock();
      std::erase_if(intervals_, [now, &forgotten](const Interval& old) {
        if (old.to > now) return false;
        forgotten = std::max(forgotten, old.to);
        return true;
      });
      room_ = std::max(kLeast, 2 * intervals_.size());
    }
    intervals_.push_back(interval);
    return forgotten;
  }

  /// Cuts all at `at`; calls cut(interval as it was, operations of it that are done by then).
  template <class Cut>
  void cut(Picoseconds at, Cut&& cut) {
    for (Interval& interval : intervals_) {
      if (interval.to <= at || interval.count == 0) continue;
      const std::uint64_t left = interval.done(at);
      cut(interval, left);
      interval.count = left;
      interval.to = std::max(interval.from, at);
    }
  }

  /// Calls f(operation, how many of them are not done by `at`).
  template <class F>
  void ahead(Picoseconds at, F&& f) const {
    for (const Interval& interval : intervals_)
      if (interval.to > at) f(interval.operation, interval.count - interval.done(at));
  }

 private:
  static constexpr std::size_t kLeast = 16;
  std::size_t room_ = kLeast;
  std::vector<Interval> intervals_;
};

}  // namespace flashloom
