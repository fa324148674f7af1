// A part of a whole, for reports.
#pragma once

#include <cstdint>

namespace flashloom {

/// part / whole; 0 of nothing.
inline double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace flashloom
