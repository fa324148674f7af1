#include "sc_main/program/sample/job_shares.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <numeric>

namespace flashloom {

std::vector<double> job_shares(const std::vector<std::uint64_t>& requests, const std::vector<std::uint32_t>& depths) {
  const auto all = static_cast<double>(std::accumulate(requests.begin(), requests.end(), std::uint64_t{0}));
  const auto in_flight = static_cast<double>(std::accumulate(depths.begin(), depths.end(), std::uint64_t{0}));
  std::vector<double> measured, by_depth;
  double distance = 0;
  for (std::size_t job = 0; job < requests.size(); ++job) {
    const auto seen = static_cast<double>(requests[job]);
    measured.push_back(std::max(seen, 0.5) / std::max(all, 1.0));
    by_depth.push_back(depths[job] / in_flight);
    const double expected = all * by_depth.back();
    if (all != 0) distance += (seen - expected) * (seen - expected) / expected;
  }
  if (requests.size() < 2) return measured;
  constexpr double kConfidence = 0.99;
  const boost::math::chi_squared chance(static_cast<double>(requests.size() - 1));
  return distance <= boost::math::quantile(chance, kConfidence) ? by_depth : measured;
}

}  // namespace flashloom
