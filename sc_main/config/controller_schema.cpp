// Keys of [controller].
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_controller(std::vector<ConfigKey>& keys) {
  constexpr double kMostLatency = 1e12;  // 1 s
  TableBuilder(keys, "controller")
      .key("idle_power", FLASHLOOM_MEMBER(controller.idle_power), Quantity::Power, {0, 100},
           "logic of the controller beside its cores, at all times")
      .key("byte_energy", FLASHLOOM_MEMBER(controller.byte_energy), Quantity::EnergyPerByte, {0, 1e-6},
           "each byte that the host has read or written")
      .time("read_latency", FLASHLOOM_MEMBER(controller.read_latency), 0,
            "each read command, beside the firmware's cycles: hardware automation, DMA set-up; occupies nothing",
            kMostLatency)
      .time("write_latency", FLASHLOOM_MEMBER(controller.write_latency), 0,
            "each write command, the same; before its data are fetched", kMostLatency)
      .time("read_page_latency", FLASHLOOM_MEMBER(controller.read_page_latency), 0,
            "each page read, from its last data cycle until it goes to DRAM; occupies nothing; with nand.errors.model "
            "that is nand.ecc.decode_time",
            kMostLatency);
}

}  // namespace flashloom
