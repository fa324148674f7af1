// What a device file says of the host: [host] and [host.cache].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/quantity.hpp"
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

  /// The keys of [host.cache].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .key("size", &HostCacheConfig::size, Quantity::Bytes, {0, kMaxBytes},
             "page cache of the host's system; 0 B: none, requests go to the device (O_DIRECT)")
        .rare()
        .key("page", &HostCacheConfig::page, Quantity::Bytes, {512, 1 << 20}, "page of the cache")
        .common()
        .part("replacement", &HostCacheConfig::replacement, "replacement", "which page leaves")
        .choice(
            "memory", &HostCacheConfig::memory, {"equal", "real"},
            "what the size counts: all pages with data, or not the dirty ghosts of a policy, which have as much again")
        .rare()
        .time("latency", &HostCacheConfig::latency, 0, "look-up and copy, each request")
        .common()
        .key("dirty_background", &HostCacheConfig::dirty_background, Quantity::Ratio, {0, 1},
             "dirty share of the pages from which on they are written back; 100 %: never for that")
        .key("dirty_hard", &HostCacheConfig::dirty_hard, Quantity::Ratio, {0, 1},
             "share of the pages dirty or being written back from which on writers wait; 100 %: never")
        .time("interval", &HostCacheConfig::interval, 1e9, "between two looks for pages that are old")
        .time("age", &HostCacheConfig::age, 0, "pages dirty for so long are written back")
        .rare()
        .key("request", &HostCacheConfig::request, Quantity::Bytes, {512, 1 << 30},
             "data of one request to the device at most")
        .common()
        .count("in_flight", &HostCacheConfig::in_flight, 64, 1 << 20,
               "pages beyond the size that are on their way in or out; these still serve");
  }
};

/// "none", and those of host_drivers.hpp.
std::vector<std::string> host_driver_names();

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

  /// The keys of [host].
  template <class Keys>
  static void describe(Keys& keys) {
    constexpr double kMostLatency = 1e12;  // 1 s
    keys.timed_only()
        .count("queues", &HostConfig::queues, 1, 1024, "submission queues")
        .count("iodepth", &HostConfig::iodepth, 1, 65536, "closed-loop replay of a trace: requests in flight")
        .choice("replay", &HostConfig::replay, {"timed", "closed"},
                "trace replay: at the trace's arrival times, or as fast as iodepth allows")
        .count("speedup", &HostConfig::speedup, 1e-6, 1e9, "timed replay: arrival times are divided by this")
        .rare()
        .count("backlog", &HostConfig::backlog, 1, 1e9, "timed replay: requests read ahead of the device at most")
        .common()
        .choice("driver", &HostConfig::driver, host_driver_names(),
                "path from a job to the device: sets the defaults of submit_cost, complete_cost and complete_latency")
        .brings({"submit_cost", "complete_cost", "complete_latency"})
        .rare()
        .time("submit_cost", &HostConfig::submit_cost, 0,
              "each request, of the thread of its job and queue, which does one thing at a time", kMostLatency)
        .time("complete_cost", &HostConfig::complete_cost, 0, "each completion, of the same thread", kMostLatency)
        .time("submit_latency", &HostConfig::submit_latency, 0,
              "each request, behind its submit_cost; occupies nothing")
        .time("complete_latency", &HostConfig::complete_latency, 0,
              "each completion, ahead of its complete_cost: interrupt; occupies nothing")
        .choice(
            "queue_priorities", &HostConfig::queue_priorities, {"urgent", "high", "medium", "low"},
            "priority class of each submission queue, in order, for weighted arbitration; of those left out: medium")
        .samples({R"(["urgent"])", R"(["high", "low"])"})
        .common()
        .part("placement", &HostConfig::placement, "host_placement",
              "placement identifiers of writes for which the workload gives none; with [fdp], or ftl.streams = host")
        .key("latency_breakdown", &HostConfig::latency_breakdown,
             "report where the requests' time went, by part and percentile");
  }
};

/// Throws ConfigProblem for what no page cache can be. `sector`: bytes of a logical block of the device.
void check_config(const HostCacheConfig& cache, std::uint32_t sector);

}  // namespace flashloom
