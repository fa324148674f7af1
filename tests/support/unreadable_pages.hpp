// Devices with pages of 4 KiB, some of which are unreadable.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace flashloom {

/// Overrides for a constant raw bit error rate and an error correction without retries: of units of 4 KiB, some 0.4 %
/// are unreadable at 1.5e-3, 4 % at 1.8e-3, 13 % at 2e-3. `more` applies last.
inline std::vector<std::string> unreadable_pages(double rate, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {
      "nand.spare_size=2208 B",     "nand.errors.model=power_law",    fmt::format("nand.errors.base={}", rate),
      "nand.errors.wear_factor=0",  "nand.errors.retention_factor=0", "nand.errors.disturb_factor=0",
      "nand.errors.retry_rates=[]", "nand.ecc.soft_reads=0",          "nand.ecc.strength=26"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace flashloom
