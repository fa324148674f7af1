// [nand.network]: the network between the flash controllers and the chips, if not one bus a channel.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.hpp"

namespace flashloom {

/// Rows are channels, columns ways; a chip is a way, with all its dies. Hop times are assumptions: a cycle at 1 GHz.
struct NetworkConfig {
  std::string topology = "bus";            ///< "bus", "crossbar", "mesh" or "vertical" (PathFinder)
  std::string routing = "adaptive";        ///< of a mesh: "minimal" or "adaptive"
  std::uint32_t detour = 8;                ///< adaptive: hops of a path beyond the shortest one from its port
  Picoseconds hop_time = kNanosecond;      ///< delay of a transfer's bytes for each hop of its path
  Picoseconds reserve_time = kNanosecond;  ///< time of each step of the scout, before the transfer
  std::uint64_t link_rate = 0;             ///< transfers a second; 0: nand.transfer_rate
  std::uint32_t link_width = 0;            ///< bits; 0: nand.bus_width
  double router_power = 0;                 ///< W each, at all times; a mesh has one a chip, a crossbar one a port
  double link_energy = 0;                  ///< J a byte and hop; 0: by nand.bus_energy_model

  bool on() const { return topology != "bus"; }
};

}  // namespace flashloom
