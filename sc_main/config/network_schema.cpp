// The keys of [nand.network].
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_network(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "nand.network")
      .choice(
          "topology", FLASHLOOM_MEMBER(nand.network.topology), {"bus", "crossbar", "mesh", "vertical"},
          "between controllers and chips (ways): bus, one a channel; crossbar, each port reaches each chip; mesh, a "
          "router beside each chip (Nadig et al., Venice, ISCA 2023); vertical, a second bus for each way (Kim et "
          "al., Networked SSD, MICRO 2022)")
      .choice("routing", FLASHLOOM_MEMBER(nand.network.routing), {"minimal", "adaptive"},
              "of a mesh: along the row and then the column; or by whatever links are free")
      .count("detour", FLASHLOOM_MEMBER(nand.network.detour), 0, 64,
             "of adaptive routing: hops of a path beyond the shortest one from its port")
      .time("hop_time", FLASHLOOM_MEMBER(nand.network.hop_time), 0,
            "for each hop of its path bytes arrive so much later (assumed: a cycle of a router at 1 GHz)", 1e9)
      .time("reserve_time", FLASHLOOM_MEMBER(nand.network.reserve_time), 0,
            "of the scout that reserves the path, each step (assumed: a cycle of a router at 1 GHz)", 1e9)
      .key("link_rate", FLASHLOOM_MEMBER(nand.network.link_rate), Quantity::TransferRate, {0, 4800e6},
           "of the links, transfers a second; a die is no faster than nand.transfer_rate; 0 T/s: that")
      .count("link_width", FLASHLOOM_MEMBER(nand.network.link_width), 0, 16,
             "of the links, bits a transfer: 1, 2, 4, 8, 16, or 0: nand.bus_width")
      .key("router_power", FLASHLOOM_MEMBER(nand.network.router_power), Quantity::Power, {0, 10},
           "each router, always: a mesh has one a chip, a crossbar one a port, vertical buses have none")
      .key("link_energy", FLASHLOOM_MEMBER(nand.network.link_energy), Quantity::EnergyPerByte, {0, 1e-6},
           "each byte on each link of its path; 0 J/B: by nand.bus_energy_model");
}

}  // namespace flashloom
