// The capacitors that hold a drive up (power.plp): what keeps them charged, and what charging them anew loses.
#pragma once

#include <cmath>

#include "controllers/ssd/power_config.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

/// Component "capacitors" of kind "capacitors", before the device's regulators: state "charged" with power.plp_leakage,
/// and the operation "charge", counted in nanojoules given, whose energy is what the charger loses of them. What they
/// give is drawn by the parts, and is in the ledger there, when it is drawn.
class Capacitors {
 public:
  /// Without leakage and losses there is nothing to account for.
  static bool present(const PowerConfig& config) {
    return config.plp && (config.plp_leakage != 0 || config.plp_charge_efficiency != 1);
  }

  Capacitors(const PowerConfig& config, EnergyLedger& ledger)
      : meter_(ledger.add("capacitors", "capacitors", power_figures(config))) {}

  /// The supply is back at `at`, and charges what they gave, in J.
  void charge(double given, Picoseconds at) {
    meter_.count(0, static_cast<std::uint64_t>(std::llround(given / kGrain)), at);
  }

  static PowerFigures power_figures(const PowerConfig& config) {
    return {.states = {{"charged", config.plp_leakage, kBackground}},
            .operations = {{"charge", kGrain * (1 / config.plp_charge_efficiency - 1), "capacitors"}},
            .regulated = false};
  }

 private:
  static constexpr double kGrain = 1e-9;  // J

  EnergyMeter& meter_;
};

}  // namespace flashloom
