// Text of sizes for messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace flashloom {

/// `bytes` in the largest binary unit that divides it: 1048576 is "1 MiB", 1000 is "1000 B".
inline std::string size_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {" B", " KiB", " MiB", " GiB", " TiB"};
  constexpr std::uint64_t kStep = 1024;
  std::size_t unit = 0;
  for (; bytes != 0 && bytes % kStep == 0 && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  return std::to_string(bytes) + kUnits[unit];
}

}  // namespace flashloom
