#include "models/block/latency_breakdown.hpp"

namespace flashloom {

const char* to_string(LatencyPart part) {
  constexpr std::array<const char*, kLatencyParts> kNames = {
      "backlog",  "host",     "interface", "link",  "cpu",       "dram", "map",  "buffer",    "power",
      "die_wait", "bus_wait", "bus",       "array", "disk_wait", "disk", "tier", "controller"};
  return kNames.at(static_cast<std::size_t>(part));
}

}  // namespace flashloom
