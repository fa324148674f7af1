// What a device file says of supply and power states: [power].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// [[power.states]]: an NVMe-style power state of the whole device.
struct PowerStateConfig {
  bool operational = true;        ///< it serves commands; the device leaves other states at the first command
  double max_power = 0;           ///< W, operational: of the whole device, mean over each cap_window; 0 = any
  double idle_power = 0;          ///< W, non-operational: what the whole device draws
  Picoseconds idle_time = 0;      ///< non-operational: idling so long, the device enters it by itself; 0 = never
  Picoseconds entry_latency = 0;  ///< from the decision until idle_power is drawn
  Picoseconds exit_latency = 0;   ///< from the first command until it is served
};

/// [power]: supply of the device.
struct PowerConfig {
  Picoseconds cut_at = 0;                     ///< instant of a power cut; 0 = none
  std::uint32_t cuts = 0;                     ///< power cuts in all; 0: one if cut_at is given
  Picoseconds cut_spacing = 0;                ///< mean time from power-on to a cut at random; uniform up to twice that
  std::uint64_t cut_seed = 0;                 ///< of the random instants; 0: the device's seed
  std::string torn = "mixed";                 ///< state of interrupted programs and erases: "mixed", "uncorrectable"
  bool plp = false;                           ///< capacitors hold the device up until its buffer is on flash
  double plp_energy = 0;                      ///< J that they give; 0: as much as needed
  std::string plp_flush = "buffer";           ///< a flush and FUA wait for the "buffer", held up, or "flash"
  double plp_leakage = 0;                     ///< W that keep them charged
  double plp_charge_efficiency = 1;           ///< energy that they give / energy that charges them
  Picoseconds off_time = 100 * kMillisecond;  ///< until power returns
  double cap = 0;                             ///< W that the flash arrays draw at most, mean over each window; 0 = any
  Picoseconds cap_window = kMillisecond;      ///< length of the window
  Picoseconds peak_window = kMillisecond;     ///< width of the window of the reported peak power
  double supply_voltage = 3.3;                ///< V: of currents in reports, nothing else
  std::uint32_t cap_dies = 0;                 ///< dies with a busy array at most; 0 = any number
  double regulator_efficiency = 1;            ///< of the device's regulators: output / input power
  std::vector<PowerStateConfig> states;
  std::uint32_t state = 0;  ///< the operational one that the host has chosen

  /// A flush and FUA wait for the data buffer alone.
  bool holds_buffer_up() const { return plp && plp_flush == "buffer"; }
  std::uint32_t cut_count() const { return cuts != 0 ? cuts : cut_at != 0 ? 1 : 0; }
  /// Of the chosen state; 0 = any.
  double max_power() const { return state < states.size() ? states[state].max_power : 0; }
  /// Flash operations wait for power.
  bool is_limited() const { return cap != 0 || max_power() != 0; }
};

/// Throws ConfigProblem for cuts, capacitors and power states that contradict each other.
void check_config(const PowerConfig& power);

}  // namespace flashloom
