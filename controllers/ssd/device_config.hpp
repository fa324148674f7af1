// Everything that a device file says, as typed structs: what the configuration reader fills and the assembly reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controllers/heap/heap_config.hpp"
#include "controllers/tier/tier_config.hpp"
#include "models/cpu/cpu_config.hpp"
#include "models/hdd/hdd_config.hpp"
#include "models/link/link_config.hpp"
#include "models/memory/memory_config.hpp"
#include "models/nand/nand_config.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

/// [host.cache]: the page cache of the host's operating system.
struct HostCacheConfig {
  std::uint64_t size = 0;     ///< bytes; 0: none (O_DIRECT)
  std::uint32_t page = 4096;  ///< bytes; a multiple of the sector
  PolicyChoice replacement{"lru", {}};
  Picoseconds latency = 1'000'000;           ///< look-up and copy, each request
  double dirty_background = 0.1;             ///< dirty share of the pages from which on the daemon writes
  double dirty_hard = 0.2;                   ///< and from which on writers wait
  Picoseconds interval = 5'000'000'000'000;  ///< between the daemon's looks for old pages
  Picoseconds age = 30'000'000'000'000;      ///< dirty for so long is old
  std::uint64_t request = 512 << 10;         ///< bytes that one request to the device has at most
  std::uint32_t in_flight = 1024;            ///< places beyond the size, for pages on their way in and out
};

/// [host]: the machine that sends requests.
struct HostConfig {
  std::uint32_t queues = 1;          ///< submission queues (bindings of the block socket)
  std::uint32_t iodepth = 32;        ///< closed-loop replay of a trace: requests in flight
  std::string replay = "timed";      ///< trace replay: "timed" (open loop, the trace's arrivals) or "closed" (iodepth)
  double speedup = 1.0;              ///< timed replay: arrivals are divided by this
  std::uint64_t backlog = 65536;     ///< timed replay: requests read ahead of the device at most
  Picoseconds submit_latency = 0;    ///< driver, each request
  bool latency_breakdown = true;     ///< keep where each request's time went
  Picoseconds complete_latency = 0;  ///< interrupt and driver, each completion
  /// Priority class of each submission queue ("urgent", "high", "medium", "low"), in order; of those left out: medium.
  std::vector<std::string> queue_priorities;
  HostCacheConfig cache{};
};

/// [host_interface]: NVMe or SATA front end of the device.
struct HostInterfaceConfig {
  PolicyChoice kind{"nvme", {}};
  std::uint32_t queue_depth = 1024;  ///< entries a submission queue
  std::uint32_t commands = 1024;     ///< commands in the device at once
  std::uint32_t sector_size = 512;   ///< bytes a logical block: 512 or 4096
  std::uint32_t atomic_write =
      0;  ///< AWUPF, bytes: a write of so many that lies in one mapping unit is never torn by a cut; 0 = the unit
  std::vector<std::uint64_t> namespaces;  ///< bytes of each, one behind the other; none: one that is the device

  /// First byte of a namespace, numbered from 1; 0 where there are none.
  std::uint64_t namespace_begin(std::uint32_t number) const {
    std::uint64_t begin = 0;
    for (std::uint32_t i = 1; i < number && i <= namespaces.size(); ++i) begin += namespaces[i - 1];
    return begin;
  }
};

/// [buffer]: the data buffer.
struct BufferConfig {
  std::string location = "dram";    ///< "dram" or "nvram", where acknowledged writes outlive a power cut
  std::string mode = "write_back";  ///< "write_back" or "write_through" (no caching of writes)
  std::uint64_t size = 16 << 20;    ///< bytes
  std::string evict = "pages";      ///< what leaves: "pages" (replacement) or "blocks" (write_buffer)
  PolicyChoice replacement{"lru", {}};
  PolicyChoice write_buffer{"block_lru", {}};
  PolicyChoice correlation{"none", {}};  ///< sets of pages that leave together
  double read_cache = 0;            ///< share of the resident units that may be clean; 0: what was read is not kept
  std::uint64_t read_ahead = 0;     ///< bytes of the largest window; 0: none
  double high_watermark = 1;        ///< dirty share of the resident units above which destaging begins
  double low_watermark = 1;         ///< and at which it ends; at most high_watermark
  std::uint32_t split = 1;          ///< equal parts; a job fills the part of its number modulo this. 1: shared by all
  bool coalesce = false;            ///< what leaves takes others with it that fill its program unit
  std::uint32_t destage_units = 0;  ///< mapping units on their way to flash at most; 0 = 4 program units a die
};

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
  PolicyChoice streams{"origin", {}};
  PolicyChoice recovery{"oob_scan", {}};
  PolicyChoice arbitration{"read_first", {}};
  std::uint32_t queue_limit = 0;      ///< flash commands queued or under way at a die at most; 0 = any number
  std::string gc_unit = "block";      ///< "block" or "superblock": what is opened, collected and erased together
  std::uint32_t superblock_dies = 0;  ///< consecutive dies of a superblock; 0 = all
  std::uint32_t gc_low = 2;           ///< free erase units of a die (superblocks of a group) at which GC starts
  std::uint32_t gc_high = 3;          ///< and at which it stops
  std::uint32_t gc_pause = 0;  ///< mapping units that GC copies at most before a program unit of host data, while the
                               ///< die has more than its last free block; 0 = as many as free space needs
  std::uint32_t gc_background = 0;  ///< free erase units of a die up to which GC goes on in idle time; 0 = not at all
  Picoseconds gc_idle_time = kMillisecond;  ///< without a host command, before it does
  std::uint64_t scrub_reads = 0;  ///< reads of a block since its erase from which on its data are moved; 0 = never
  std::uint32_t scrub_level = 0;  ///< level of read retry that a block's data are moved for; 0 = never

  /// Of nand.slc_blocks, which cache the host's writes: how few of a die are free when folding goes with the writes,
  /// one fewer than this; 0 = never.
  std::uint32_t slc_low = 2;
  bool slc_idle = true;  ///< they are folded in idle time

  bool scrubs() const { return scrub_reads != 0 || scrub_level != 0; }
};

/// [precondition].
struct PreconditionConfig {
  double fill = 0.0;    ///< share of the logical space written sequentially beforehand
  bool steady = false;  ///< then random overwrites until WAF settles (< 1 % from capacity write to capacity write)
  std::uint32_t max_passes = 20;  ///< give up settling after so many capacity writes
};

/// [[power.states]]: an NVMe-style power state of the whole device.
struct PowerStateConfig {
  bool operational = true;        ///< serves commands; the others are left for the first command
  double max_power = 0;           ///< W, operational: caps the flash arrays as power.cap does; 0 = no cap
  double idle_power = 0;          ///< W, non-operational: what the whole device draws
  Picoseconds idle_time = 0;      ///< non-operational: idling so long, the device enters it by itself; 0 = never
  Picoseconds entry_latency = 0;  ///< from the decision until idle_power is drawn
  Picoseconds exit_latency = 0;   ///< from the first command until it is served
};

/// [power]: supply of the device.
struct PowerConfig {
  Picoseconds cut_at = 0;                     ///< instant of a power cut; 0 = none
  std::uint32_t cuts = 0;                     ///< power cuts in all; 0: one if cut_at is given
  Picoseconds cut_spacing = 0;                ///< mean time from power-on to a cut at random; uniform up to twice that
  std::uint64_t cut_seed = 0;                 ///< of the random instants; 0: the device's seed
  std::string torn = "mixed";                 ///< what a cut makes of programs and erases: "mixed", "uncorrectable"
  bool plp = false;                           ///< capacitors hold the device up until its buffer is on flash
  double plp_energy = 0;                      ///< J that they give; 0: as much as it takes
  Picoseconds off_time = 100 * kMillisecond;  ///< until power returns
  double cap = 0;                             ///< W that the flash arrays draw at most, mean over each window; 0 = any
  Picoseconds cap_window = kMillisecond;      ///< length of the window
  Picoseconds peak_window = kMillisecond;     ///< width of the window of the reported peak power
  std::uint32_t cap_dies = 0;                 ///< dies with a busy array at most; 0 = any number
  std::vector<PowerStateConfig> states;
  std::uint32_t state = 0;  ///< the operational one that the host has chosen

  std::uint32_t cut_count() const { return cuts != 0 ? cuts : cut_at != 0 ? 1 : 0; }
  /// The cap that holds in the chosen state; 0 = none.
  double effective_cap() const {
    const double own = state < states.size() ? states[state].max_power : 0;
    return cap == 0 ? own : own == 0 ? cap : std::min(cap, own);
  }
};

struct DeviceConfig {
  std::string name;
  std::string description;
  bool verify = false;
  std::uint64_t seed = 1;
  HostConfig host;
  LinkConfig link;
  HostInterfaceConfig host_interface;
  CpuConfig cpu;
  DramConfig dram;
  NvramConfig nvram;
  BufferConfig buffer;
  FtlConfig ftl;
  NandConfig nand;
  PreconditionConfig precondition;
  PowerConfig power;
  HddConfig hdd;
  TierConfig tier;
  HeapConfig heap;
  std::map<std::string, std::string> sources;  ///< "nand.read_time" -> where the figure comes from

  /// The FTL uses time in which the host does nothing.
  bool works_in_idle_time() const {
    return ftl.gc_background != 0 || ftl.scrubs() || (nand.slc_blocks != 0 && ftl.slc_idle);
  }
};

}  // namespace flashloom
