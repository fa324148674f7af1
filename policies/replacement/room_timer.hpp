// What it costs a policy to make room, in CPU time of the computer that runs the model: for bench/cache. Never part of
// a result.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace flashloom {

/// The mean of intervals, less what reading the clock takes.
class RoomTimer {
 public:
  using Clock = std::chrono::steady_clock;

  void add(Clock::time_point begin) {
    sum_ += Clock::now() - begin;
    ++times_;
  }
  std::uint64_t times() const { return times_; }
  double nanoseconds() const {
    if (times_ == 0) return 0;
    const std::chrono::duration<double, std::nano> mean = sum_;
    return std::max(0.0, mean.count() / static_cast<double>(times_) - of_nothing());
  }

 private:
  static double of_nothing() {
    constexpr std::uint64_t kSamples = 100'000;
    RoomTimer empty;
    while (empty.times_ < kSamples) empty.add(Clock::now());
    const std::chrono::duration<double, std::nano> sum = empty.sum_;
    return sum.count() / static_cast<double>(kSamples);
  }

  Clock::duration sum_{};
  std::uint64_t times_ = 0;
};

}  // namespace flashloom
