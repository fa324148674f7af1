#include "controllers/host/host_drivers.hpp"

#include <algorithm>
#include <array>

namespace flashloom {

// Sums are published, as I/Os a second that keep one core busy; how they split between submission and completion is not.
std::span<const HostDriverKind> host_driver_kinds() {
  static constexpr std::array<HostDriverKind, 2> kKinds = {
      {{.name = "kernel",
        .source = "a core of Linux is busy with 800,000 interrupt-driven I/Os a second (J. Axboe, as quoted by Brini, "
                  "\"After 30+ years, is Linux disk I/O finally fast enough?\", Floe 2026): 1.25 us together; their "
                  "split, and 2 us from the interrupt until the thread runs: assumptions (weak)",
        .submit_cost = 750 * kNanosecond,
        .complete_cost = 500 * kNanosecond,
        .complete_latency = 2 * kMicrosecond},
       {.name = "polling",
        .source = "a thread of SPDK does 10 million random 4 KiB reads a second (\"10 Million I/Ops From a Single "
                  "Thread\", SNIA SDC 2019): 0.1 us together, doorbells batched, without an application; their split: "
                  "assumption (weak)",
        .submit_cost = 50 * kNanosecond,
        .complete_cost = 50 * kNanosecond,
        .complete_latency = 0}}};
  return kKinds;
}

std::vector<std::string> host_driver_names() {
  std::vector<std::string> names = {"none"};
  for (const auto& each : host_driver_kinds()) names.emplace_back(each.name);
  return names;
}

const HostDriverKind* find_host_driver(std::string_view name) {
  const auto kinds = host_driver_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [name](const auto& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace flashloom
