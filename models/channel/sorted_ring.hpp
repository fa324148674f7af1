// Slots of a channel by the instants at which their turns come.
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
