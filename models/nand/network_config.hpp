// [nand.network]: the network between the flash controllers and the chips, if not one bus a channel.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/quantity.hpp"
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

  /// The keys of [nand.network].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .choice(
            "topology", &NetworkConfig::topology, {"bus", "crossbar", "mesh", "vertical"},
            "between controllers and chips (ways): bus, one a channel; crossbar, each port reaches each chip; mesh, a "
            "router beside each chip (Nadig et al., Venice, ISCA 2023); vertical, a second bus for each way (Kim et "
            "al., Networked SSD, MICRO 2022)")
        .choice("routing", &NetworkConfig::routing, {"minimal", "adaptive"},
                "of a mesh: along the row and then the column; or by whatever links are free")
        .count("detour", &NetworkConfig::detour, 0, 64,
               "of adaptive routing: hops of a path beyond the shortest one from its port")
        .rare()
        .time("hop_time", &NetworkConfig::hop_time, 0,
              "for each hop of its path bytes arrive so much later (assumed: a cycle of a router at 1 GHz)", 1e9)
        .time("reserve_time", &NetworkConfig::reserve_time, 0,
              "of the scout that reserves the path, each step (assumed: a cycle of a router at 1 GHz)", 1e9)
        .key("link_rate", &NetworkConfig::link_rate, Quantity::TransferRate, {0, 4800e6},
             "of the links, transfers a second; a die is no faster than nand.transfer_rate; 0 T/s: that")
        .count("link_width", &NetworkConfig::link_width, 0, 16,
               "of the links, bits a transfer: 1, 2, 4, 8, 16, or 0: nand.bus_width")
        .common()
        .key("router_power", &NetworkConfig::router_power, Quantity::Power, {0, 10},
             "each router, always: a mesh has one a chip, a crossbar one a port, vertical buses have none")
        .rare()
        .key("link_energy", &NetworkConfig::link_energy, Quantity::EnergyPerByte, {0, 1e-6},
             "each byte on each link of its path; 0 J/B: by nand.bus_energy_model");
  }
};

}  // namespace flashloom
