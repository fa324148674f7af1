// Injected drive faults of a device file: [faults].
#pragma once

#include <cstdint>

#include "models/common/quantity.hpp"

namespace flashloom {

/// [faults]: probabilities.
struct FaultConfig {
  double flush_ignored = 0;  ///< of a flush: it is acknowledged, and nothing is done
  double fua_ignored = 0;    ///< of a FUA write: it is acknowledged as soon as it is in the volatile buffer
  double torn_writes = 0;    ///< of a write that a cut strikes in its program: some of its sectors stay what they were
  double lost_writes = 0;    ///< of a write: it is acknowledged, and nothing is done
  double misdirected_writes = 0;  ///< of a write: its data go to another place

  bool any() const { return flush_ignored + fua_ignored + torn_writes + lost_writes + misdirected_writes > 0; }

  /// The keys of [faults].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .rare()
        .key("flush_ignored", &FaultConfig::flush_ignored, Quantity::Ratio, {0, 1},
             "a drive that lies: probability of a flush to be acknowledged, and not carried out")
        .key("fua_ignored", &FaultConfig::fua_ignored, Quantity::Ratio, {0, 1},
             "of a FUA write to be acknowledged as soon as it is in the volatile buffer")
        .key(
            "torn_writes", &FaultConfig::torn_writes, Quantity::Ratio, {0, 1},
            "of a write whose program a power cut strikes to leave some of its sectors new, others old, in one mapping "
            "unit; with verify")
        .key("lost_writes", &FaultConfig::lost_writes, Quantity::Ratio, {0, 1},
             "of a write to be acknowledged, and not carried out")
        .key("misdirected_writes", &FaultConfig::misdirected_writes, Quantity::Ratio, {0, 1},
             "of a write to overwrite another place of the device");
  }
};

/// Throws ConfigProblem for faults that cannot show themselves in mapping units of `unit_bytes`.
void check_config(const FaultConfig& faults, std::uint32_t unit_bytes, std::uint32_t sector_bytes);

}  // namespace flashloom
