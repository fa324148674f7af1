// An SSD-HDD pair that is small enough for tests.
#pragma once

#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom {

/// An HDD of 4 MiB behind a cache of 512 KiB, segments of 16 KiB; `overrides` apply last. The HDD is slow, so that
/// power cuts interrupt its writes.
inline DeviceConfig small_tier(const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all = {"nand.blocks=24",        "nand.pages=8",
                                  "buffer.size=64 KiB",    "ftl.over_provisioning=1.5",
                                  "hdd.capacity=4 MiB",    "hdd.average_seek=7 ms",
                                  "hdd.outer_rate=4 MB/s", "hdd.inner_rate=2 MB/s",
                                  "tier.segment=16 KiB",   "tier.cache_size=512 KiB",
                                  "tier.journal=16 KiB",   "tier.patience=1 ms"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return small_preset("tiny", all);
}

}  // namespace flashloom
