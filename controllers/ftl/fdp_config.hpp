// Flexible data placement section of a device file: [fdp].
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"
#include "policies/streams/streams.hpp"

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

  /// The keys of [fdp].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .count("groups", &FdpConfig::groups, 0, 65536,
               "reclaim groups, equal sets of consecutive dies; 0: no flexible data placement")
        .count("handles", &FdpConfig::handles, 1, kMaxStreams,
               "reclaim unit handles: each has a reclaim unit open in each group")
        .rare()
        .count("persistent", &FdpConfig::persistent, 0, kMaxStreams - 1,
               "handles that are persistently isolated, a list: GC keeps their data apart; the others are initially "
               "isolated")
        .samples({"[]", "[0]", "[0, 1]"})
        .count("default_handle", &FdpConfig::default_handle, 0, kMaxStreams - 1,
               "handle of writes without a placement identifier, or with one that names none")
        .count("unit_superblocks", &FdpConfig::unit_superblocks, 1, 65536,
               "superblocks of a reclaim unit, which its handle fills one after the other")
        .time(
            "unit_time_limit", &FdpConfig::unit_time_limit, 0,
            "time from the first write to a reclaim unit on after which its handle leaves it, with the next write; 0: "
            "none");
  }
};

}  // namespace flashloom
