// A limit on what a drive draws, for parts that must ask before they draw.
#pragma once

#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

/// Energy in every window of time, shared by parts that book what they are about to draw.
class PowerBudget {
 public:
  /// The longest piece of work at this power, at least 1 ps; longer work is booked in pieces.
  virtual Picoseconds longest_piece(std::uint64_t microwatts) const = 0;
  /// Books work that is ready at `ready` and takes `time`, at most the longest piece; returns when it begins.
  virtual Picoseconds book(Picoseconds ready, std::uint64_t microwatts, Picoseconds time) = 0;

 protected:
  ~PowerBudget() = default;
};

}  // namespace flashloom
