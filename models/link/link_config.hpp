// A device file's [link] table: PCIe (generation, lanes) or SATA (rate).
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.hpp"

namespace flashloom {

/// The address of a transfer behind the link that carries data of the host's commands; at address 0 are commands, lists
/// and completions.
inline constexpr std::uint64_t kHostData = 1;

struct LinkConfig {
  std::string kind = "pcie";     ///< "pcie", "sata" or "ideal" (no time, no energy)
  std::uint32_t generation = 3;  ///< PCIe 1..6
  std::uint32_t lanes = 4;
  std::uint32_t max_payload = 256;          ///< bytes a TLP or FIS carries (SATA: 8192)
  std::uint32_t packet_overhead = 24;       ///< bytes of header, CRC and framing a packet
  std::uint64_t sata_rate = 6'000'000'000;  ///< line rate in bits a second
  Picoseconds latency = 200 * kNanosecond;  ///< one way, port to port
  double active_power = 0.0;                ///< W, each direction while it moves data
  double idle_power = 0.0;                  ///< W, the whole link, in all states
  double transfer_energy = 0;               ///< J a byte on the wires, packet overhead included
  // Link states. Each direction draws half of the power of a lane.
  double lane_power = 0;             ///< W a lane in L0
  Picoseconds l0s_time = 0;          ///< idle time before a direction enters L0s; 0: never
  double l0s_power = 0;              ///< W a lane
  Picoseconds l0s_exit_latency = 0;  ///< until the direction moves data again
  Picoseconds l1_time = 0;           ///< idle time of both directions before L1; 0: never
  double l1_power = 0;               ///< W a lane
  Picoseconds l1_exit_latency = 0;

  bool sleeps() const { return l0s_time != 0 || l1_time != 0; }
  /// SATA has a single pair of pairs.
  std::uint32_t powered_lanes() const { return kind == "sata" ? 1 : lanes; }
};

/// Throws ConfigProblem for impossible values.
void check_config(const LinkConfig& link);

}  // namespace flashloom
