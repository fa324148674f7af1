// FTL section of a device file: [ftl].
#pragma once

#include <cstdint>
#include <string>

#include "controllers/ftl/fdp_config.hpp"
#include "models/common/quantity.hpp"
#include "models/common/types.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

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

  /// The keys of [ftl].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .part("kind", &FtlConfig::kind, "ftl", "flash translation layer")
        .key("mapping_unit", &FtlConfig::mapping_unit, Quantity::Bytes, {512, 1 << 20},
             "what one L2P entry maps; divides nand.page_size")
        .key("over_provisioning", &FtlConfig::over_provisioning, Quantity::Ratio, {0.001, 100},
             "(raw - logical) / logical")
        .key("logical_size", &FtlConfig::logical_size, Quantity::Bytes, {0, kMaxBytes},
             "what the host sees; 0 B: from over_provisioning")
        .timed_only()
        .choice("map_location", &FtlConfig::map_location, {"dram", "nvram"}, "memory of the L2P table")
        .shapes_state()
        .rare()
        .part("garbage_collection", &FtlConfig::garbage_collection, "garbage_collection", "which block is collected")
        .common()
        .part("wear_leveling", &FtlConfig::wear_leveling, "wear_leveling", "how erases spread over the blocks")
        .part("placement", &FtlConfig::placement, "placement", "which die or plane a write goes to")
        .rare()
        .part("zone_dies", &FtlConfig::zone_dies, "zone_dies",
              "on which dies a zone lies, of a device with zones that lie on some (ftl.kind, dies)")
        .common()
        .part("streams", &FtlConfig::streams, "streams", "which writes share blocks")
        .part("recovery", &FtlConfig::recovery, "recovery", "how the map is found again after power-on")
        .timed_only()
        .part("arbitration", &FtlConfig::arbitration, "arbitration", "order of flash commands at a die")
        .rare()
        .count("queue_limit", &FtlConfig::queue_limit, 0, 1 << 20,
               "flash commands queued or under way at a die at most, then firmware waits; 0: any number")
        .shapes_state()
        .common()
        .choice("gc_unit", &FtlConfig::gc_unit, {"block", "superblock"},
                "what is opened, collected, erased and counted as free space: a block of a die, or the blocks of one "
                "number of a group of dies together")
        .rare()
        .count("superblock_dies", &FtlConfig::superblock_dies, 0, 65536,
               "dies of a superblock, consecutive ones, divide all dies; 0: all. Needs ftl.gc_unit = \"superblock\"")
        .common()
        .choice("superblock_by", &FtlConfig::superblock_by, {"position", "speed"},
                "members of a superblock: the blocks of one number, or those of one rank by the time that they take to "
                "be erased and filled, as the manufacturer's test finds it; speed needs nand.variation")
        .count("rain", &FtlConfig::rain, 0, 2,
               "parity over dies: program units of it in each stripe of a superblock, 1 (XOR) or 2 (P and Q); 0: none")
        .choice("rain_memory", &FtlConfig::rain_memory, {"dram", "sram"},
                "where the parity of stripes that are being filled is: in DRAM, or in SRAM, which takes no time")
        .choice("gc_mode", &FtlConfig::gc_mode, {"paced", "blocking"},
                "paced: each program unit of host data brings its share of the copies, beside host commands; blocking: "
                "whole victims, one at a time, page by page, and no host command goes to flash meanwhile")
        .count("gc_low", &FtlConfig::gc_low, 1, 1 << 20,
               "free blocks of a die (superblocks of a group) at which foreground GC starts")
        .count("gc_high", &FtlConfig::gc_high, 2, 1 << 20,
               "free blocks of a die (superblocks of a group) at which it stops")
        .rare()
        .count(
            "gc_pause", &FtlConfig::gc_pause, 0, 1 << 30,
            "mapping units that GC copies at most before each program unit of host data, while the die has more than "
            "its last free block; 0: as many as its free space needs")
        .timed_only()
        .common()
        .count("gc_background", &FtlConfig::gc_background, 0, 1 << 20,
               "free blocks of a die (superblocks of a group) up to which GC goes on while the host is idle; 0: no "
               "background GC")
        .time("gc_idle_time", &FtlConfig::gc_idle_time, 0, "without a host command, before background GC begins")
        .shapes_state()
        .count("scrub_reads", &FtlConfig::scrub_reads, 0, 1e12,
               "reads of a block since its erase from which on its data are moved; 0: never")
        .count(
            "scrub_level", &FtlConfig::scrub_level, 0, 17,
            "a block one of whose reads needed this level of read retry, or a higher one, has its data moved; 0: never")
        .count("slc_low", &FtlConfig::slc_low, 0, 1 << 20,
               "while a die's SLC cache can have fewer more blocks, folding goes with the host's writes; 0: never")
        .timed_only()
        .rare()
        .key("slc_idle", &FtlConfig::slc_idle, "the SLC cache is folded while the host is idle");
  }
};

/// Throws ConfigProblem for settings that contradict each other.
void check_config(const FtlConfig& ftl);

}  // namespace flashloom
