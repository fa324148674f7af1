// FTL sections of a device file: [ftl] and [fdp].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/types.hpp"
#include "policies/parameters.hpp"

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

/// Settings of [ftl].
struct FtlConfig {
  PolicyChoice kind{"page_map", {}};
  std::uint32_t mapping_unit = 4096;  ///< bytes; divides nand.page_size
  double over_provisioning = 0.07;    ///< (raw - logical) / logical
  std::uint64_t logical_size = 0;     ///< bytes; 0 = from over_provisioning
  std::string map_location = "dram";  ///< "dram" or "nvram": where L2P look-ups are charged
  PolicyChoice garbage_collection{"greedy", {}};
  PolicyChoice wear_leveling{"none", {}};
  PolicyChoice placement{"static_order", {}};
  PolicyChoice zone_dies{"neighbours", {}};  ///< of devices with zones
  PolicyChoice streams{"origin", {}};
  PolicyChoice recovery{"oob_scan", {}};
  PolicyChoice arbitration{"read_first", {}};
  std::uint32_t queue_limit = 0;           ///< most flash commands queued or executing at a die; 0 = any number
  std::string gc_unit = "block";           ///< "block" or "superblock": what is opened, collected and erased together
  std::uint32_t superblock_dies = 0;       ///< consecutive dies of a superblock; 0 = all
  std::string superblock_by = "position";  ///< or "speed": members have the same number, or the same rank by speed
  std::uint32_t rain = 0;  ///< program units of parity in each stripe of a superblock: 0, 1 (P) or 2 (P and Q)
  std::string rain_memory = "dram";  ///< or "sram": holds the parity of stripes being filled
  std::string gc_mode = "paced";     ///< "paced" with the host's writes, or "blocking": the host waits
  std::uint32_t gc_low = 2;          ///< free erase units of a die (superblocks of a group) at which GC starts
  std::uint32_t gc_high = 3;         ///< and up to which it continues
  std::uint32_t gc_pause = 0;  ///< most mapping units that GC copies before a program unit of host data, while the die
                               ///< has more than its last free block; 0 = as many as free space needs
  std::uint32_t gc_background = 0;          ///< free erase units of a die up to which GC runs in idle time; 0 = never
  Picoseconds gc_idle_time = kMillisecond;  ///< without host commands before GC runs in idle time
  std::uint64_t scrub_reads = 0;  ///< reads of a block since its erase after which its data are moved; 0 = never
  std::uint32_t scrub_level = 0;  ///< read-retry level at which a block's data are moved; 0 = never

  /// For SLC blocks that cache host writes (nand.slc_blocks, nand.slc_dynamic): folding keeps pace with host writes
  /// while fewer than this many are usable on a die; 0 = never.
  std::uint32_t slc_low = 2;
  bool slc_idle = true;  ///< SLC blocks are also folded in idle time
  FdpConfig fdp;         ///< if on, replaces `streams`

  bool blocks_host() const { return gc_mode == "blocking"; }
  bool scrubs() const { return scrub_reads != 0 || scrub_level != 0; }
};

/// Throws ConfigProblem for settings that contradict each other.
void check_config(const FtlConfig& ftl);

}  // namespace flashloom
