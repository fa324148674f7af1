// Power-down and self-refresh of an idle memory.
#pragma once

#include <algorithm>

#include "models/common/types.hpp"
#include "models/energy/idle_states.hpp"
#include "models/memory/memory_config.hpp"

namespace flashloom {

/// The states of standby_states(), as in DRAMPower: precharge power-down (IDD2P) after an idle time, which each refresh
/// interrupts (the mean power is drawn), self-refresh (IDD6) after a longer one. The access that ends a state begins an
/// exit latency later (tXP, tXS), during which standby power is drawn.
class MemorySleep {
 public:
  explicit MemorySleep(const MemoryConfig& config)
      : power_down_time_(config.power_down_time),
        self_refresh_time_(config.self_refresh_time),
        power_down_exit_(config.power_down_exit),
        self_refresh_exit_(config.self_refresh_exit),
        on_(power_down_time_ != 0 || self_refresh_time_ != 0) {}

  bool on() const { return on_; }

  /// Entry times for a memory idle since `since`, which cannot enter a state before `ready`.
  IdleStates::Entries entries(Picoseconds since, Picoseconds ready = 0) const {
    since = std::max(since, on_since_);
    const auto entry = [&](Picoseconds time) { return time == 0 ? kNever : std::max(since + time, ready); };
    return {entry(power_down_time_), entry(self_refresh_time_)};
  }
  /// Books the states up to `until`.
  IdleStates::In settle(EnergyMeter& meter, const IdleStates::Entries& entries, Picoseconds until) {
    return idle_.settle(meter, entries, until);
  }
  Picoseconds exit(IdleStates::In state) const {
    return state == IdleStates::In::Deep ? self_refresh_exit_ : state == IdleStates::In::Shallow ? power_down_exit_ : 0;
  }
  void used_until(Picoseconds at) { idle_.used_until(at); }
  /// Power is off until `at`.
  void off_until(Picoseconds at) {
    on_since_ = std::max(on_since_, at);
    idle_.used_until(at);
  }
  void cut(Picoseconds now) { idle_.cut(now); }

 private:
  Picoseconds power_down_time_;
  Picoseconds self_refresh_time_;
  Picoseconds power_down_exit_;
  Picoseconds self_refresh_exit_;
  bool on_;
  Picoseconds on_since_ = 0;
  IdleStates idle_{1, 2};
};

}  // namespace flashloom
