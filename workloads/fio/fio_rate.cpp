#include "workloads/fio/fio_rate.hpp"

#include <algorithm>
#include <cmath>

#include "workloads/fio/offset_distribution.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000'000;
constexpr std::uint64_t kMostSeconds = 10'000'000;  // fits into 64-bit picoseconds, and is longer than any run

}  // namespace

FioRate::FioRate(const FioJob& job)
    : poisson_(job.rate_poisson),
      drain_(!job.submit_offload),
      gives_way_(job.mixed() && job.rwmixread != 0 && job.rwmixread != 100) {
  for (std::size_t d = 0; d < kFioDirections; ++d) {
    least_block_[d] = job.bs[d].least;
    bytes_per_second_[d] = job.rate[d] != 0 ? job.rate[d] : job.rate_iops[d] * job.bs[d].least;
    limits_ = limits_ || bytes_per_second_[d] != 0;
  }
}

std::size_t FioRate::direction(std::size_t direction, std::uint64_t now_ps, Pace& pace) const {
  if (next_ps_[direction] <= now_ps) return direction;
  if (gives_way_) {
    const std::size_t other = 1 - direction;
    if (next_ps_[other] <= now_ps) return other;
    if (next_ps_[other] < next_ps_[direction]) direction = other;
  }
  pace.not_before_ps = next_ps_[direction];
  pace.drain = drain_;
  return direction;
}

void FioRate::sent(std::size_t direction, std::uint64_t bytes, Random& random) {
  const std::uint64_t rate = bytes_per_second_[direction];
  if (rate == 0) return;
  if (poisson_) {
    const double mean_ps =
        static_cast<double>(kSecond) * static_cast<double>(least_block_[direction]) / static_cast<double>(rate);
    next_ps_[direction] += static_cast<std::uint64_t>(std::llround(mean_ps * -std::log(1.0 - uniform_share(random))));
    return;
  }
  count(direction, bytes);
}

// As fio: what the rate gives in the pause counts as sent, but for a block (its share in a pause of less than a second).
void FioRate::paused(std::size_t direction, std::uint64_t pause_ps) {
  const std::uint64_t rate = bytes_per_second_[direction];
  if (rate == 0) return;
  if (poisson_) {
    next_ps_[direction] += pause_ps;
    return;
  }
  const double pause = static_cast<double>(pause_ps) / static_cast<double>(kSecond);
  const double missed =
      (static_cast<double>(rate) * pause) - (static_cast<double>(least_block_[direction]) * std::min(pause, 1.0));
  if (missed > 0) count(direction, static_cast<std::uint64_t>(missed));
}

void FioRate::count(std::size_t direction, std::uint64_t bytes) {
  const std::uint64_t rate = bytes_per_second_[direction];
  bytes_[direction] += bytes;
  next_ps_[direction] = std::min(bytes_[direction] / rate, kMostSeconds) * kSecond +
                        static_cast<std::uint64_t>(static_cast<double>(bytes_[direction] % rate) /
                                                   static_cast<double>(rate) * static_cast<double>(kSecond));
}

}  // namespace flashloom
