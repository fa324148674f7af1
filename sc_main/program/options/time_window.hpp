// A stretch of simulated time.
#pragma once

#include "models/common/types.hpp"

namespace flashloom {

/// [from, to).
struct TimeWindow {
  Picoseconds from = 0;
  Picoseconds to = kNever;
  bool holds(Picoseconds at) const { return from <= at && at < to; }
  /// Whether [begin, end), which may be empty, overlaps the window.
  bool meets(Picoseconds begin, Picoseconds end) const { return begin < to && (end > from || begin >= from); }
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

}  // namespace flashloom
