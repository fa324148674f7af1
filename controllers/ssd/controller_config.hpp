// What a device file says of the logic of the controller beside its cores: [controller].
#pragma once

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// [controller]
struct ControllerConfig {
  double idle_power = 0;   ///< W, at all times
  double byte_energy = 0;  ///< J a byte that the host has read or written
  // Latencies that occupy nothing: a pipeline takes the next command, or page, at once.
  Picoseconds read_latency = 0;   ///< each read command, between its entry and firmware
  Picoseconds write_latency = 0;  ///< each write command, the same
  /// Each page that is read, from its last data cycle until the data are handed on. Without bit errors alone: with
  /// them EccConfig::decode_time is that.
  Picoseconds read_page_latency = 0;

  /// It draws something.
  bool present() const { return idle_power != 0 || byte_energy != 0; }

  /// The keys of [controller].
  template <class Keys>
  static void describe(Keys& keys) {
    constexpr double kMostLatency = 1e12;  // 1 s
    keys.timed_only()
        .key("idle_power", &ControllerConfig::idle_power, Quantity::Power, {0, 100},
             "logic of the controller beside its cores, at all times")
        .key("byte_energy", &ControllerConfig::byte_energy, Quantity::EnergyPerByte, {0, 1e-6},
             "each byte that the host has read or written")
        .time("read_latency", &ControllerConfig::read_latency, 0,
              "each read command, beside the firmware's cycles: hardware automation, DMA set-up; occupies nothing",
              kMostLatency)
        .time("write_latency", &ControllerConfig::write_latency, 0,
              "each write command, the same; before its data are fetched", kMostLatency)
        .rare()
        .time(
            "read_page_latency", &ControllerConfig::read_page_latency, 0,
            "each page read, from its last data cycle until it goes to DRAM; occupies nothing; with nand.errors.model "
            "that is nand.ecc.decode_time",
            kMostLatency);
  }
};

}  // namespace flashloom
