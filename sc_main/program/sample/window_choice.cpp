#include "sc_main/program/sample/window_choice.hpp"

#include <numeric>

#include "models/common/split_mix.hpp"

namespace flashloom {
namespace {

// A random number as a fraction, 0 <= share < 1.
double share(std::uint64_t draw) { return static_cast<double>(draw >> 11) * 0x1p-53; }

}  // namespace

WindowChoice choose_window(const std::vector<float>& costs, std::uint64_t measured, std::uint64_t requests,
                           std::uint64_t draw) {
  const std::uint64_t windows = costs.size() / measured;
  // Candidate windows are adjacent; the requests left over are split at random before the first and after the last.
  const std::uint64_t first = split_mix(draw, 0) % (costs.size() - windows * measured + 1);
  std::vector<double> sizes;
  for (auto begin = costs.begin() + static_cast<std::ptrdiff_t>(first); sizes.size() < windows;
       begin += static_cast<std::ptrdiff_t>(measured))
    sizes.push_back(std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(measured), 0.0));
  const double cost = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  const double even = 1 / static_cast<double>(windows);
  for (double& size : sizes) size = cost > 0 ? (size / cost + even) / 2 : even;
  double above = share(split_mix(draw, 1));
  std::uint64_t chosen = 0;
  while (chosen + 1 < windows && above >= sizes[chosen]) above -= sizes[chosen++];
  return {.place = first + chosen * measured, .stands_for = static_cast<double>(requests) * even / sizes[chosen]};
}

}  // namespace flashloom
