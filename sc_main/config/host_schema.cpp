// Keys of [host] and [host.cache].
#include "controllers/host/host_drivers.hpp"
#include "sc_main/config/table_builder.hpp"

namespace flashloom {
namespace {

std::vector<std::string> host_driver_names() {
  std::vector<std::string> names = {"none"};
  for (const HostDriverKind& kind : host_driver_kinds()) names.emplace_back(kind.name);
  return names;
}

}  // namespace

void describe_host(std::vector<ConfigKey>& keys) {
  constexpr double kMostLatency = 1e12;  // 1 s
  TableBuilder(keys, "host")
      .count("queues", FLASHLOOM_MEMBER(host.queues), 1, 1024, "submission queues")
      .count("iodepth", FLASHLOOM_MEMBER(host.iodepth), 1, 65536, "closed-loop replay of a trace: requests in flight")
      .choice("replay", FLASHLOOM_MEMBER(host.replay), {"timed", "closed"},
              "trace replay: at the trace's arrival times, or as fast as iodepth allows")
      .count("speedup", FLASHLOOM_MEMBER(host.speedup), 1e-6, 1e9, "timed replay: arrival times are divided by this")
      .count("backlog", FLASHLOOM_MEMBER(host.backlog), 1, 1e9,
             "timed replay: requests read ahead of the device at most")
      .choice("driver", FLASHLOOM_MEMBER(host.driver), host_driver_names(),
              "path from a job to the device: sets the defaults of submit_cost, complete_cost and complete_latency")
      .time("submit_cost", FLASHLOOM_MEMBER(host.submit_cost), 0,
            "each request, of the thread of its job and queue, which does one thing at a time", kMostLatency)
      .time("complete_cost", FLASHLOOM_MEMBER(host.complete_cost), 0, "each completion, of the same thread",
            kMostLatency)
      .time("submit_latency", FLASHLOOM_MEMBER(host.submit_latency), 0,
            "each request, behind its submit_cost; occupies nothing")
      .time("complete_latency", FLASHLOOM_MEMBER(host.complete_latency), 0,
            "each completion, ahead of its complete_cost: interrupt; occupies nothing")
      .choice("queue_priorities", FLASHLOOM_MEMBER(host.queue_priorities), {"urgent", "high", "medium", "low"},
              "priority class of each submission queue, in order, for weighted arbitration; of those left out: medium")
      .part("placement", FLASHLOOM_MEMBER(host.placement), "host_placement",
            "placement identifiers of writes for which the workload gives none; with [fdp], or ftl.streams = host")
      .key("latency_breakdown", FLASHLOOM_MEMBER(host.latency_breakdown),
           "report where the requests' time went, by part and percentile");
}

void describe_host_cache(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "host.cache")
      .key("size", FLASHLOOM_MEMBER(host.cache.size), Quantity::Bytes, {0, kMaxBytes},
           "page cache of the host's system; 0 B: none, requests go to the device (O_DIRECT)")
      .key("page", FLASHLOOM_MEMBER(host.cache.page), Quantity::Bytes, {512, 1 << 20}, "page of the cache")
      .part("replacement", FLASHLOOM_MEMBER(host.cache.replacement), "replacement", "which page leaves")
      .choice(
          "memory", FLASHLOOM_MEMBER(host.cache.memory), {"equal", "real"},
          "what the size counts: all pages with data, or not the dirty ghosts of a policy, which have as much again")
      .time("latency", FLASHLOOM_MEMBER(host.cache.latency), 0, "look-up and copy, each request")
      .key("dirty_background", FLASHLOOM_MEMBER(host.cache.dirty_background), Quantity::Ratio, {0, 1},
           "dirty share of the pages from which on they are written back; 100 %: never for that")
      .key("dirty_hard", FLASHLOOM_MEMBER(host.cache.dirty_hard), Quantity::Ratio, {0, 1},
           "share of the pages dirty or being written back from which on writers wait; 100 %: never")
      .time("interval", FLASHLOOM_MEMBER(host.cache.interval), 1e9, "between two looks for pages that are old")
      .time("age", FLASHLOOM_MEMBER(host.cache.age), 0, "pages dirty for so long are written back")
      .key("request", FLASHLOOM_MEMBER(host.cache.request), Quantity::Bytes, {512, 1 << 30},
           "data of one request to the device at most")
      .count("in_flight", FLASHLOOM_MEMBER(host.cache.in_flight), 64, 1 << 20,
             "pages beyond the size that are on their way in or out; these still serve");
}

}  // namespace flashloom
