#pragma once

#include <time.h>

#include <cstdint>

namespace flashloom {

/// Nanoseconds of a monotonic clock.
inline std::int64_t wall_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace flashloom
