// How much work tests do: little in ./check, much in ./check --long.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace flashloom {

/// `usual`, or `longer` in ./check --long.
inline std::uint64_t effort(std::uint64_t usual, std::uint64_t longer) {
  return std::getenv("FLASHLOOM_LONG") != nullptr ? longer : usual;
}

}  // namespace flashloom
