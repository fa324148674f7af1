// What a device file says of supply and power states: [power].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Bounds of power.peak_window: those of PeakWindow.
inline constexpr Picoseconds kShortestPeakWindow = 10 * kMicrosecond;
inline constexpr Picoseconds kLongestPeakWindow = kSecond;

/// [[power.states]]: an NVMe-style power state of the whole device.
struct PowerStateConfig {
  bool operational = true;        ///< it serves commands; the device leaves other states at the first command
  double max_power = 0;           ///< W, operational: of the whole device, mean over each cap_window; 0 = any
  double idle_power = 0;          ///< W, non-operational: what the whole device draws
  Picoseconds idle_time = 0;      ///< non-operational: idling so long, the device enters it by itself; 0 = never
  Picoseconds entry_latency = 0;  ///< from the decision until idle_power is drawn
  Picoseconds exit_latency = 0;   ///< from the first command until it is served

  /// The keys of [[power.states]].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .key("operational", &PowerStateConfig::operational, "serves commands")
        .key("max_power", &PowerStateConfig::max_power, Quantity::Power, {0, 1000},
             "operational: that the whole device draws at most, mean over each power.cap_window; what other parts can "
             "draw is set aside, the arrays and the bytes on the link share the rest; 0 W: any")
        .draws_only(false)
        .key("idle_power", &PowerStateConfig::idle_power, Quantity::Power, {0, 1000},
             "non-operational: what the whole device draws")
        .time("idle_time", &PowerStateConfig::idle_time, 0,
              "non-operational: after idling so long the device enters it by itself; 0 s: never")
        .time("entry_latency", &PowerStateConfig::entry_latency, 0,
              "from the end of idle_time until idle_power is drawn")
        .time("exit_latency", &PowerStateConfig::exit_latency, 0, "from the first command until it is served");
  }
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

  /// The keys of [power].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .time("cut_at", &PowerConfig::cut_at, 0, "instant of a power cut; 0 s: none", kMaxTime)
        .count("cuts", &PowerConfig::cuts, 0, 1e6, "power cuts in all; 0: one if cut_at is given, else none")
        .time("cut_spacing", &PowerConfig::cut_spacing, 0,
              "cuts that cut_at does not set: mean time from power-on, uniform up to twice that")
        .rare()
        .count("cut_seed", &PowerConfig::cut_seed, 0, kMaxCount, "seed of their instants; 0: the device's")
        .choice("torn", &PowerConfig::torn, {"mixed", "uncorrectable"},
                "programs and erases that a cut strikes: uncorrectable, garbage or seemingly fine by seeded choice, or "
                "always uncorrectable")
        .common()
        .key("plp", &PowerConfig::plp, "power-loss protection: capacitors hold the device up for a flush")
        .key("plp_energy", &PowerConfig::plp_energy, Quantity::Energy, {0, 1000},
             "what the capacitors give; 0 J: as much as it takes")
        .draws_only(false)
        .rare()
        .choice(
            "plp_flush", &PowerConfig::plp_flush, {"buffer", "flash"},
            "what a flush and FUA wait for with plp: the buffer, which the capacitors hold up (plp_energy must do), or "
            "flash")
        .key("plp_leakage", &PowerConfig::plp_leakage, Quantity::Power, {0, 100},
             "what keeps the capacitors charged, before the regulators")
        .draws_only(true)
        .key("plp_charge_efficiency", &PowerConfig::plp_charge_efficiency, Quantity::Ratio, {0.1, 1},
             "of their charger: what comes to them of what the supply gives, after each power cut")
        .draws_only(false)
        .time("off_time", &PowerConfig::off_time, 1, "until power returns")
        .common()
        .key("cap", &PowerConfig::cap, Quantity::Power, {0, 1000},
             "flash arrays with the standby of their dies draw no more, on the mean of any window; 0 W: no cap")
        .draws_only(false)
        .time("cap_window", &PowerConfig::cap_window, 1e3, "length of the window", 1e12)
        .count("cap_dies", &PowerConfig::cap_dies, 0, 65536,
               "dies whose array is busy at the same time at most; 0: any number")
        .time("peak_window", &PowerConfig::peak_window, kShortestPeakWindow,
              "window of the reported peak power of the whole device: its highest mean over any so long",
              kLongestPeakWindow)
        .key("supply_voltage", &PowerConfig::supply_voltage, Quantity::Voltage, {0.1, 100},
             "of the device's supply: currents in tables and figures are its power divided by that, nothing else "
             "changes")
        .key("regulator_efficiency", &PowerConfig::regulator_efficiency, Quantity::Ratio, {0.5, 1},
             "of the regulators between supply and parts: what is lost there is a component of its own; 1: nothing")
        .draws_only(true)
        .rare()
        .count("state", &PowerConfig::state, 0, 31, "operational power state that the host has chosen")
        .common()
        .key("states", &PowerConfig::states,
             "power states of the device, [[power.states]]: operational, max_power, idle_power, idle_time, "
             "entry_latency, exit_latency")
        .samples(
            {R"([{}, { operational = false, idle_power = "5 mW", idle_time = "1 ms", exit_latency = "100 us" }])"});
  }
};

/// Throws ConfigProblem for cuts, capacitors and power states that contradict each other.
void check_config(const PowerConfig& power);

}  // namespace flashloom
