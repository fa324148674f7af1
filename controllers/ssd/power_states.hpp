// NVMe-style power states of the whole device: when it sleeps by itself, and what waking costs.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/flash/timed_flash.hpp"
#include "controllers/ssd/power_config.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

/// Non-operational states are entered autonomously (APST): when the device has been idle for the state's idle_time, the
/// transition begins, and takes entry_latency; then the device as a whole draws idle_power, and nothing
/// else is drawn. A command that comes meanwhile waits until a transition under way is over, and for exit_latency; what
/// the device draws while it changes is its usual background. The residencies of the states are those of the ledger's
/// component "device".
///
/// No event is needed for this: the states of an idle time are computed and booked when it ends.
class PowerStates {
 public:
  /// Adds the component. `config.states` must not be empty; all must outlive this.
  PowerStates(const PowerConfig& config, EnergyLedger& ledger, TimedFlash& flash);

  static PowerFigures power_figures(const PowerConfig& config);

  /// The host's last command has left the device at `at`.
  void rest(Picoseconds at);
  /// A command of the host is there; returns the instant from which the device serves it (0: at once).
  Picoseconds wake(Picoseconds now) {
    if (resting_) end_rest(now, true);
    return awake_ > now ? awake_ : 0;
  }
  /// Power fails; afterwards the device is awake.
  void power_cut(Picoseconds now);

 private:
  void end_rest(Picoseconds now, bool by_command);

  const PowerConfig& config_;
  EnergyLedger& ledger_;
  TimedFlash& flash_;
  EnergyMeter* meter_;
  std::vector<std::uint32_t> autonomous_;  // states entered by idling, by idle_time
  bool resting_ = false;
  Picoseconds since_ = 0;
  Picoseconds awake_ = 0;
};

}  // namespace flashloom
