// rate, rate_iops, rate_process: when the next request of a direction may be sent.
#pragma once

#include <cstdint>

#include "workloads/fio/fio_job.hpp"
#include "workloads/paced_source.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// As fio: rate_iops counts in blocks of the smallest size, so that larger blocks take more of it; a direction that is
/// ahead of its rate gives way to the other one of a mixed job.
class FioRate {
 public:
  explicit FioRate(const FioJob& job);

  bool limits() const { return limits_; }
  /// The direction to send in, in place of `direction`; what to wait for goes into `pace`.
  std::size_t direction(std::size_t direction, std::uint64_t now_ps, Pace& pace) const;
  /// So many bytes are sent in this direction.
  void sent(std::size_t direction, std::uint64_t bytes, Random& random);

 private:
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
