// rate, rate_iops, rate_process: when the next request of a direction may be sent.
#pragma once

#include <cstdint>

#include "workloads/fio/fio_job.hpp"
#include "workloads/paced_source.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// As fio: rate_iops is in blocks of the smallest size, so a larger block counts as several. In a mixed job a direction
/// that is ahead of its rate gives way to the other direction.
class FioRate {
 public:
  explicit FioRate(const FioJob& job);

  bool limits() const { return limits_; }
  /// Returns the direction to send in: `direction`, or the other one if `direction` gives way. Adds to `pace` what the
  /// request must wait for.
  std::size_t direction(std::size_t direction, std::uint64_t now_ps, Pace& pace) const;
  /// Accounts for a request of `bytes` in this direction.
  void sent(std::size_t direction, std::uint64_t bytes, Random& random);
  /// rate_ignore_thinktime: a pause of the job begins after a request of this direction, and is not made up for.
  void paused(std::size_t direction, std::uint64_t pause_ps);

 private:
  void count(std::size_t direction, std::uint64_t bytes);

  PerDirection<std::uint64_t> bytes_per_second_{};  // 0: no limit
  PerDirection<std::uint64_t> least_block_{};
  PerDirection<std::uint64_t> bytes_{};
  PerDirection<std::uint64_t> next_ps_{};
  bool limits_ = false;
  bool poisson_;
  bool drain_;
  bool gives_way_;
};

}  // namespace flashloom
