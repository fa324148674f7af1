// What a device file says of the FTL: [ftl].
#pragma once

#include <cstdint>
#include <string>

#include "controllers/ftl/fdp_config.hpp"
#include "models/common/types.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

/// [ftl].
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
  std::uint32_t queue_limit = 0;      ///< flash commands queued or under way at a die at most; 0 = any number
  std::string gc_unit = "block";      ///< "block" or "superblock": what is opened, collected and erased together
  std::uint32_t superblock_dies = 0;  ///< consecutive dies of a superblock; 0 = all
  std::string superblock_by = "position";  ///< or "speed": members are alike in number, or in rank by speed
  std::uint32_t rain = 0;  ///< program units of parity in each stripe of a superblock: 0, 1 (P) or 2 (P and Q)
  std::string rain_memory = "dram";  ///< or "sram": where the parity of stripes that are being filled is
  std::string gc_mode = "paced";      ///< "paced" with the host's writes, or "blocking": the host waits
  std::uint32_t gc_low = 2;           ///< free erase units of a die (superblocks of a group) at which GC starts
  std::uint32_t gc_high = 3;          ///< and at which it stops
  std::uint32_t gc_pause = 0;  ///< mapping units that GC copies at most before a program unit of host data, while the
                               ///< die has more than its last free block; 0 = as many as free space needs
  std::uint32_t gc_background = 0;  ///< free erase units of a die up to which GC goes on in idle time; 0 = not at all
  Picoseconds gc_idle_time = kMillisecond;  ///< without a host command, before it does
  std::uint64_t scrub_reads = 0;  ///< reads of a block since its erase from which on its data are moved; 0 = never
  std::uint32_t scrub_level = 0;  ///< level of read retry that a block's data are moved for; 0 = never

  /// Of nand.slc_blocks and slc_dynamic, which cache the host's writes: how few of a die are to be had when folding goes
  /// with the writes, one fewer than this; 0 = never.
  std::uint32_t slc_low = 2;
  bool slc_idle = true;  ///< they are folded in idle time
  FdpConfig fdp;         ///< which takes the place of `streams`

  bool blocks_host() const { return gc_mode == "blocking"; }
  bool scrubs() const { return scrub_reads != 0 || scrub_level != 0; }
};

/// Throws ConfigProblem for settings that contradict each other.
void check_config(const FtlConfig& ftl);

}  // namespace flashloom
