// What a device file says of the host: [host] and [host.cache].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/types.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

/// [host.cache]: the page cache of the host's operating system.
struct HostCacheConfig {
  std::uint64_t size = 0;     ///< bytes; 0: none (O_DIRECT)
  std::uint32_t page = 4096;  ///< bytes; a multiple of the sector
  PolicyChoice replacement{"lru", {}};
  std::string memory = "equal";              ///< what the size counts: "equal": all data; "real": not a policy's ghosts
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
  std::uint32_t queues = 1;       ///< submission queues (bindings of the block socket)
  std::uint32_t iodepth = 32;     ///< closed-loop replay of a trace: requests in flight
  std::string replay = "timed";   ///< trace replay: "timed" (open loop, the trace's arrivals) or "closed" (iodepth)
  double speedup = 1.0;           ///< timed replay: arrivals are divided by this
  std::uint64_t backlog = 65536;  ///< timed replay: requests read ahead of the device at most
  /// What sets the defaults of submit_cost, complete_cost and complete_latency (host_drivers.hpp); "none": all are 0.
  std::string driver = "none";
  // A thread for each queue of a job submits and completes its requests, one after the other.
  Picoseconds submit_cost = 0;       ///< of the thread, each request
  Picoseconds complete_cost = 0;     ///< of the thread, each completion
  Picoseconds submit_latency = 0;    ///< each request, behind its submit_cost; occupies nothing
  bool latency_breakdown = true;     ///< keep where each request's time went
  Picoseconds complete_latency = 0;  ///< each completion, ahead of its complete_cost; occupies nothing
  /// Priority class of each submission queue ("urgent", "high", "medium", "low"), in order; of those left out: medium.
  std::vector<std::string> queue_priorities;
  PolicyChoice placement{"none", {}};  ///< identifiers of writes for which the workload gives none
  HostCacheConfig cache{};

  /// Its threads take time.
  bool has_cost() const { return submit_cost != 0 || complete_cost != 0; }
  /// The key that says so.
  const char* cost_key() const {
    return driver != "none" ? "host.driver" : submit_cost != 0 ? "host.submit_cost" : "host.complete_cost";
  }
};

/// Throws ConfigProblem for what no page cache can be. `sector`: bytes of a logical block of the device.
void check_config(const HostCacheConfig& cache, std::uint32_t sector);

}  // namespace flashloom
