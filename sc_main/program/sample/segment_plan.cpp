#include "sc_main/program/sample/segment_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace flashloom {
namespace {

constexpr std::uint64_t kEndOf = 8;     // an "end" is as long as a warm-up divided by this
constexpr double kLeastOfFirst = 0.25;  // length of the last segment, relative to the first, at least

}  // namespace

// A segment ends at the same time as the one before it if it is shorter by the time that the instant clock takes for
// that one. No number of cores makes a run faster than its pass on the instant clock, so lengths need not go below a
// quarter.
SegmentPlan::SegmentPlan(std::uint64_t requests, std::uint64_t segments, std::uint64_t warm_up, double pass_share)
    : lengths_(segments), warm_up_(std::max(warm_up, kLeastWarmUp)) {
  const double ratio = std::max(
      1 - pass_share, std::pow(kLeastOfFirst, 1 / static_cast<double>(std::max<std::uint64_t>(segments, 2) - 1)));
  double sum = 0;
  double weight = 1;
  std::vector<double> until;
  for (std::uint64_t segment = 0; segment < segments; ++segment, weight *= ratio) until.push_back(sum += weight);
  std::uint64_t before = 0;
  for (std::uint64_t segment = 0; segment < segments; ++segment) {
    const std::uint64_t end = segment + 1 == segments
                                  ? requests
                                  : static_cast<std::uint64_t>(static_cast<double>(requests) * until[segment] / sum);
    lengths_[segment] = end - before;
    before = end;
  }
}

SegmentPlan::SegmentPlan(std::vector<std::uint64_t> lengths, std::uint64_t warm_up)
    : lengths_(std::move(lengths)), warm_up_(warm_up) {
  if (lengths_.size() < 2 || warm_up_ < kLeastWarmUp || !worth_while())
    throw std::invalid_argument("segments that cannot be");
}

bool SegmentPlan::worth_while() const { return *std::min_element(lengths_.begin(), lengths_.end()) >= 2 * warm_up_; }

std::uint64_t SegmentPlan::requests() const {
  return std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
}

std::uint64_t SegmentPlan::begin(std::size_t segment) const {
  return std::accumulate(lengths_.begin(), lengths_.begin() + static_cast<std::ptrdiff_t>(segment), std::uint64_t{0}) -
         warm_up(segment);
}

PartEnds SegmentPlan::parts(std::size_t segment) const {
  const std::uint64_t warm = warm_up(segment);
  const std::uint64_t length = lengths_[segment] + warm;
  const std::uint64_t end = warm_up_ / kEndOf;
  return {warm - std::min(warm, end), warm, length - end, length, length};
}

}  // namespace flashloom
