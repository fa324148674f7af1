// Which part of a run a fine recording is of.
#pragma once

#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

/// A stretch of time in equal steps: [from, to), at most `limit` steps of it.
struct TraceWindow {
  Picoseconds from = 0;
  Picoseconds to = kNever;
  Picoseconds step = kMicrosecond;
  std::uint64_t limit = 200'000;

  /// Where the steps end, if the run goes on for so long.
  Picoseconds end() const { return (to - from) / step < limit ? to : from + limit * step; }
};

}  // namespace flashloom
