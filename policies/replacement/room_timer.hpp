// CPU time on the host computer that a policy needs to evict: for bench/cache. Never part of a result.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace flashloom {

/// Mean of intervals, minus the time to read the clock. Excludes intervals longer than kLongest, in which the process
/// was probably not running.
class RoomTimer {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::microseconds kLongest{10};

  void add(Clock::time_point begin) {
    const Clock::duration took = Clock::now() - begin;
    if (took > kLongest) return;
    sum_ += took;
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
    constexpr std::uint64_t kSamples = 10'000;
    constexpr int kTries = 10;
    double least = 1e9;
    for (int i = 0; i < kTries; ++i) {
      RoomTimer empty;
      while (empty.times_ < kSamples) empty.add(Clock::now());
      const std::chrono::duration<double, std::nano> sum = empty.sum_;
      least = std::min(least, sum.count() / static_cast<double>(kSamples));
    }
    return least;
  }

  Clock::duration sum_{};
  std::uint64_t times_ = 0;
};

}  // namespace flashloom
