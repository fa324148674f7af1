// Where in a stratum its window lies, where it is known what the requests ask for.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

struct WindowChoice {
  std::uint64_t place = 0;  ///< first measured request, from the first one that could be
  double stands_for = 0;    ///< requests of the stratum
};

/// Draws a window of `measured` requests among those of `costs`, at least as many (sampling with probability proportional
/// to size: Hansen and Hurwitz, Annals of Mathematical Statistics 14, 1943). A window's size is the mean of its shares of
/// the cost and of the requests: rare dear stretches are looked at as they deserve, and cheap ones stand for no more than
/// twice as many requests as under equal probability. What a window stands for is inverse to its size: estimates have no
/// bias, whatever the costs are. `requests`: of the stratum. `draw`: the random number.
WindowChoice choose_window(const std::vector<float>& costs, std::uint64_t measured, std::uint64_t requests,
                           std::uint64_t draw);

}  // namespace flashloom
