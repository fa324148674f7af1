// Arrays of drives that are small enough for tests.
#pragma once

#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom {

/// Drives of some hundred KiB each, chunks of 16 KiB, array software that takes no time; `overrides` apply last.
inline DeviceConfig small_array(const std::string& level, std::uint32_t drives,
                                const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all = {"nand.blocks=24",          "nand.pages=8",
                                  "buffer.size=64 KiB",      "ftl.over_provisioning=1.5",
                                  "array.level=" + level,    "array.drives=" + std::to_string(drives),
                                  "array.chunk=16 KiB",      "array.latency=0 s",
                                  "array.xor_rate=0 B/s",    "array.syndrome_rate=0 B/s",
                                  "array.rebuild_rate=0 B/s"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return small_preset("tiny", all);
}

}  // namespace flashloom
