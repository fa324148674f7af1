// A device file's [link] table: PCIe (generation, lanes) or SATA (rate).
#pragma once

#include <cstdint>
#include <string>

#include "models/common/quantity.hpp"
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

  /// The keys of [link].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .choice("kind", &LinkConfig::kind, {"pcie", "sata", "ideal"},
                "link to the host; ideal takes no time and no energy; sata sets the default of max_payload")
        .brings({"max_payload"})
        .count("generation", &LinkConfig::generation, 1, 6, "PCIe generation")
        .count("lanes", &LinkConfig::lanes, 1, 32, "PCIe lanes: 1, 2, 4, 8, 12, 16 or 32")
        .rare()
        .key("max_payload", &LinkConfig::max_payload, Quantity::Bytes, {64, 65536},
             "data that one packet (TLP, FIS) carries")
        .common()
        .key("packet_overhead", &LinkConfig::packet_overhead, Quantity::Bytes, {0, 4096},
             "header, CRC and framing of one packet")
        .key("sata_rate", &LinkConfig::sata_rate, Quantity::BitRate, {1e6, 1e12}, "SATA line rate")
        .time("latency", &LinkConfig::latency, 0, "one way, port to port")
        .key("active_power", &LinkConfig::active_power, Quantity::Power, {0, 1000},
             "each direction while it moves data")
        .key("idle_power", &LinkConfig::idle_power, Quantity::Power, {0, 1000}, "the whole link, in all its states")
        .rare()
        .key("transfer_energy", &LinkConfig::transfer_energy, Quantity::EnergyPerByte, {0, 1e-6},
             "each byte on the wires, packet overhead included")
        .common()
        .key("lane_power", &LinkConfig::lane_power, Quantity::Power, {0, 10},
             "each lane in L0, half of it a direction; SATA counts as one lane")
        .rare()
        .time("l0s_time", &LinkConfig::l0s_time, 0, "a direction that has been idle so long is in L0s; 0 s: never")
        .key("l0s_power", &LinkConfig::l0s_power, Quantity::Power, {0, 10}, "each lane in L0s")
        .time("l0s_exit_latency", &LinkConfig::l0s_exit_latency, 0, "from L0s until the direction moves data again",
              1e12)
        .time("l1_time", &LinkConfig::l1_time, 0,
              "when both directions have been idle so long the link is in L1 (SATA: Partial or Slumber); 0 s: never")
        .key("l1_power", &LinkConfig::l1_power, Quantity::Power, {0, 10}, "each lane in L1")
        .time("l1_exit_latency", &LinkConfig::l1_exit_latency, 0, "from L1 until the link moves data again", 1e12);
  }
};

/// Throws ConfigProblem for impossible values.
void check_config(const LinkConfig& link);

}  // namespace flashloom
