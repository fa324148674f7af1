#include "sc_main/program/sample/sample_plan.hpp"

#include <algorithm>

#include "models/common/split_mix.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kShare = 64;       // one request of so many is on the timed clock, if windows may be short
constexpr std::uint64_t kShortest = 1000;  // requests of a window: shorter ones cost more to begin than to simulate
constexpr std::uint64_t kRelaxations = 2;  // shortest window, in relaxations

}  // namespace

std::uint64_t SamplePlan::shortest(std::uint64_t relaxation) { return std::max(kShortest, kRelaxations * relaxation); }

SamplePlan::SamplePlan(const Wishes& wishes) : wishes_(wishes) {
  const std::uint64_t budget = wishes.requests / kShare;
  length_ = wishes.length;
  if (length_ == 0)
    length_ = std::max(shortest(wishes.relaxation), budget / (wishes.windows != 0 ? wishes.windows : wishes.usual));
  const std::uint64_t windows =
      wishes.windows != 0 ? wishes.windows : std::clamp(budget / length_, wishes.few, wishes.usual);
  if (windows * length_ + wishes.begin > wishes.requests / kMostShare) return;
  stratum_ = longest_ = std::min((wishes.requests - wishes.begin) / windows, wishes.longest);
}

std::uint64_t SamplePlan::stratum(std::uint64_t begin) const {
  const std::uint64_t from_begin = begin - std::min(begin, wishes_.begin) + wishes_.begin / 2;
  return std::clamp(from_begin, std::min(2 * length_, stratum_), stratum_);
}

bool SamplePlan::lengthen() {
  if (wishes_.length != 0 || 2 * length_ * kMostShare > stratum_) return false;
  length_ *= 2;
  return true;
}

void SamplePlan::want(double windows, std::uint64_t requests, std::uint64_t share) {
  if (windows < 1) windows = 1;
  stratum_ = std::clamp(static_cast<std::uint64_t>(static_cast<double>(requests) / windows),
                        std::min(share * length_, longest_), longest_);
}

std::uint64_t SamplePlan::draw(std::uint64_t number) const { return split_mix(wishes_.seed, number); }

std::uint64_t SamplePlan::place(std::uint64_t number, std::uint64_t begin, std::uint64_t requests) const {
  const std::uint64_t places = requests - std::min(requests, length_) + 1;
  return begin + (wishes_.systematic ? places / 2 : draw(number) % places);
}

}  // namespace flashloom
