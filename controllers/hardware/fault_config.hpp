// Injected drive faults of a device file: [faults].
#pragma once

#include <cstdint>

namespace flashloom {

/// [faults]: probabilities.
struct FaultConfig {
  double flush_ignored = 0;  ///< of a flush: it is acknowledged, and nothing is done
  double fua_ignored = 0;    ///< of a FUA write: it is acknowledged as soon as it is in the volatile buffer
  double torn_writes = 0;    ///< of a write that a cut strikes in its program: some of its sectors stay what they were
  double lost_writes = 0;    ///< of a write: it is acknowledged, and nothing is done
  double misdirected_writes = 0;  ///< of a write: its data go to another place

  bool any() const { return flush_ignored + fua_ignored + torn_writes + lost_writes + misdirected_writes > 0; }
};

/// Throws ConfigProblem for faults that cannot show themselves in mapping units of `unit_bytes`.
void check_config(const FaultConfig& faults, std::uint32_t unit_bytes, std::uint32_t sector_bytes);

}  // namespace flashloom
