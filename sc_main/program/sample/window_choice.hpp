// Draws the place of a stratum's window if the costs of the requests are known beforehand.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

struct WindowChoice {
  std::uint64_t place = 0;  ///< index in `costs` of the first measured request
  double stands_for = 0;    ///< requests of the stratum that the window represents
};

/// Draws a window of `measured` requests from those of `costs`, at least as many (sampling with probability
/// proportional to size: Hansen and Hurwitz, Annals of Mathematical Statistics 14, 1943). A window's size is the mean
/// of its shares of the cost and of the requests: rare expensive stretches are drawn more often, and a cheap window
/// represents at most twice as many requests as under equal probability. A window's weight is inverse to its size, so
/// estimates are unbiased whatever the costs are. `requests`: of the stratum. `draw`: the random number.
WindowChoice choose_window(const std::vector<float>& costs, std::uint64_t measured, std::uint64_t requests,
                           std::uint64_t draw);

}  // namespace flashloom
