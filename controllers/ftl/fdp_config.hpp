// What a device file says of flexible data placement: [fdp].
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// [fdp]. A reclaim unit is `unit_superblocks` superblocks of its reclaim group's dies, or on a group of one die so
/// many blocks.
struct FdpConfig {
  std::uint32_t groups = 0;    ///< reclaim groups, equal sets of consecutive dies; 0: no flexible data placement
  std::uint32_t handles = 4;   ///< reclaim unit handles
  std::vector<std::uint32_t> persistent{};  ///< of them, those that are persistently isolated; the others initially
  std::uint32_t default_handle = 0;         ///< of writes without a placement identifier
  std::uint32_t unit_superblocks = 1;       ///< of a reclaim unit
  Picoseconds unit_time_limit = 0;  ///< from its first write on, after which a handle leaves a reclaim unit; 0: none

  bool on() const { return groups != 0; }
  bool isolates(std::uint32_t handle) const {
    for (const std::uint32_t other : persistent)
      if (other == handle) return true;
    return false;
  }
};

}  // namespace flashloom
