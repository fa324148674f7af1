// Everything that a device file says, as typed structs: what the configuration reader fills and the assembly reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "models/cpu/cpu_config.hpp"
#include "models/link/link_config.hpp"
#include "models/memory/memory_config.hpp"
#include "models/nand/nand_config.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

/// [host]: the machine that sends requests.
struct HostConfig {
  std::uint32_t queues = 1;          ///< submission queues (bindings of the block socket)
  std::uint32_t iodepth = 32;        ///< closed-loop replay of a trace: requests in flight
  std::string replay = "timed";      ///< trace replay: "timed" (open loop, the trace's arrivals) or "closed" (iodepth)
  double speedup = 1.0;              ///< timed replay: arrivals are divided by this
  std::uint64_t backlog = 65536;     ///< timed replay: requests read ahead of the device at most
  Picoseconds submit_latency = 0;    ///< driver, each request
  Picoseconds complete_latency = 0;  ///< interrupt and driver, each completion
};

/// [host_interface]: NVMe or SATA front end of the device.
struct HostInterfaceConfig {
  std::string kind = "nvme";
  std::uint32_t queue_depth = 1024;  ///< entries a submission queue
  std::uint32_t commands = 1024;     ///< commands in the device at once
  std::uint32_t sector_size = 512;   ///< bytes a logical block: 512 or 4096
};

/// [buffer]: data buffer in DRAM.
struct BufferConfig {
  std::string mode = "write_back";  ///< "write_back" or "write_through" (no caching of writes)
  std::uint64_t size = 16 << 20;    ///< bytes
  PolicyChoice replacement{"lru", {}};
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
  PolicyChoice placement{"round_robin", {}};
  PolicyChoice arbitration{"read_first", {}};
  std::uint32_t gc_low = 2;   ///< free erase units of a die at which foreground GC starts
  std::uint32_t gc_high = 3;  ///< and at which it stops
};

/// [precondition].
struct PreconditionConfig {
  double fill = 0.0;    ///< share of the logical space written sequentially beforehand
  bool steady = false;  ///< then random overwrites until WAF settles (< 1 % from capacity write to capacity write)
  std::uint32_t max_passes = 20;  ///< give up settling after so many capacity writes
};

/// [power]: supply of the device.
struct PowerConfig {
  Picoseconds cut_at = 0;                     ///< instant of a power cut; 0 = none
  Picoseconds off_time = 100 * kMillisecond;  ///< until power returns
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
  MemoryConfig dram;
  NvramConfig nvram;
  BufferConfig buffer;
  FtlConfig ftl;
  NandConfig nand;
  PreconditionConfig precondition;
  PowerConfig power;
  std::map<std::string, std::string> sources;  ///< "nand.read_time" -> where the figure comes from
};

}  // namespace flashloom
