// Time window of a fine-grained recording.
#pragma once

#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

/// A time window in equal steps: [from, to), but at most `limit` steps.
struct TraceWindow {
  Picoseconds from = 0;
  Picoseconds to = kNever;
  Picoseconds step = kMicrosecond;
  std::uint64_t limit = 200'000;

  /// End of the steps, if the run lasts that long.
  Picoseconds end() const { return (to - from) / step < limit ? to : from + limit * step; }
};

}  // namespace flashloom
