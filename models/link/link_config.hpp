// A device file's [link] table: PCIe (generation, lanes) or SATA (rate).
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.hpp"

namespace flashloom {

struct LinkConfig {
  std::string kind = "pcie";     ///< "pcie", "sata" or "ideal" (no time, no energy)
  std::uint32_t generation = 3;  ///< PCIe 1..6
  std::uint32_t lanes = 4;
  std::uint32_t max_payload = 256;          ///< bytes a TLP or FIS carries (SATA: 8192)
  std::uint32_t packet_overhead = 24;       ///< bytes of header, CRC and framing a packet
  std::uint64_t sata_rate = 6'000'000'000;  ///< line rate in bits a second
  Picoseconds latency = 200 * kNanosecond;  ///< one way, port to port
  double active_power = 0.0;                ///< W, each direction while it moves data
  double idle_power = 0.0;                  ///< W, the whole link
};

/// Throws ConfigProblem for what no link can be.
void check_config(const LinkConfig& link);

}  // namespace flashloom
