// Slots of a channel, sorted by the instants of their turns.
#pragma once

#include <cstdint>

#include "models/common/time_ring.hpp"

namespace flashloom {

struct TimedIndex {
  Picoseconds at = 0;
  std::uint32_t index = 0;
};
using SortedRing = TimeRing<TimedIndex>;

}  // namespace flashloom
