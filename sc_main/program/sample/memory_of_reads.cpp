#include "sc_main/program/sample/memory_of_reads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flashloom {
namespace {

constexpr double kMargin = 1.25;
constexpr double kMost = 1e15;     // requests: more than any run has
constexpr double kMostLonger = 4;  // factor: one stretch with few fills raises the estimate by no more

// How many times the slowest cache was refilled.
double times_filled(const MemoryOfReads::Caches& before, const MemoryOfReads::Caches& now) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < now.size(); ++i)
    least = std::min(least, static_cast<double>(now[i].came_in - before[i].came_in) / static_cast<double>(now[i].room));
  return least;
}

}  // namespace

bool MemoryOfReads::learn(std::uint64_t requests, const Caches& before, const Caches& now) {
  const double times = times_filled(before, now);
  const double most = known() ? kMostLonger * static_cast<double>(requests_) : kMost;
  if (known() || times_filled(begin_, now) >= 1)
    requests_ = static_cast<std::uint64_t>(std::ceil(std::min(most, kMargin * static_cast<double>(requests) / times)));
  return times >= 1;
}

}  // namespace flashloom
