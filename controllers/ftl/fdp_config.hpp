// Flexible data placement section of a device file: [fdp].
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// [fdp]. A reclaim unit is `unit_superblocks` superblocks of the dies of its reclaim group; in a group of one die, as
/// many blocks.
struct FdpConfig {
  std::uint32_t groups = 0;   ///< reclaim groups, equal sets of consecutive dies; 0: no flexible data placement
  std::uint32_t handles = 4;  ///< reclaim unit handles
  std::vector<std::uint32_t> persistent{};  ///< persistently isolated handles; the others are initially isolated
  std::uint32_t default_handle = 0;         ///< for writes without a placement identifier
  std::uint32_t unit_superblocks = 1;       ///< superblocks of a reclaim unit
  Picoseconds unit_time_limit = 0;          ///< from its first write until the handle leaves it; 0: none

  bool on() const { return groups != 0; }
  bool isolates(std::uint32_t handle) const {
    for (const std::uint32_t other : persistent)
      if (other == handle) return true;
    return false;
  }
};

}  // namespace flashloom
