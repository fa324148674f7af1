#include "controllers/ssd/power_states.hpp"

#include <algorithm>
#include <string>

namespace flashloom {
namespace {

// The states that the device enters by itself, in the order of their idle times.
std::vector<std::uint32_t> autonomous_states(const PowerConfig& config) {
  std::vector<std::uint32_t> states;
  for (std::uint32_t i = 0; i < config.states.size(); ++i)
    if (!config.states[i].operational && config.states[i].idle_time != 0) states.push_back(i);
  std::stable_sort(states.begin(), states.end(), [&config](std::uint32_t a, std::uint32_t b) {
    return config.states[a].idle_time < config.states[b].idle_time;
  });
  return states;
}

}  // namespace

// State 0 is the operational state; the components account for what it draws.
PowerFigures PowerStates::power_figures(const PowerConfig& config) {
  // Data sheets give the power drawn from the supply.
  PowerFigures figures = {.states = {{"ps" + std::to_string(config.state), 0, kBackground}}, .regulated = false};
  for (const std::uint32_t i : autonomous_states(config))
    figures.states.push_back({"ps" + std::to_string(i), config.states[i].idle_power, kBackground});
  return figures;
}

PowerStates::PowerStates(const PowerConfig& config, EnergyLedger& ledger, TimedFlash& flash)
    : config_(config), ledger_(ledger), flash_(flash), autonomous_(autonomous_states(config)) {
  meter_ = &ledger.add("device", "power_state", power_figures(config));
  ledger.before_finish([this](Picoseconds end) {
    if (resting_) end_rest(end, false);
  });
}

void PowerStates::rest(Picoseconds at) {
  resting_ = true;
  since_ = at;
}

void PowerStates::end_rest(Picoseconds now, bool by_command) {
  resting_ = false;
  if (autonomous_.empty() || now <= since_ + config_.states[autonomous_.front()].idle_time) return;
  // Firmware may go on working when the host has nothing to do: the device is idle only when no part of it works.
  flash_.settle(now);
  if (flash_.pending() != 0) return;
  const Picoseconds idle = std::max(since_, ledger_.busy_until());
  if (idle >= now) return;
  Picoseconds asleep = 0;  // since when, in the state before
  for (std::uint32_t i = 0; i < autonomous_.size(); ++i) {
    const PowerStateConfig& state = config_.states[autonomous_[i]];
    if (idle + state.idle_time >= now) break;
    const Picoseconds entered = idle + state.idle_time + state.entry_latency;
    if (i != 0) {
      ledger_.power_off(asleep, entered, meter_);
      meter_->busy(i, asleep, entered);
    }
    asleep = entered;
    const bool last = i + 1 == autonomous_.size() || idle + config_.states[autonomous_[i + 1]].idle_time >= now;
    if (!last) continue;
    const Picoseconds until = std::max(now, entered);
    if (entered < until) {
      ledger_.power_off(entered, until, meter_);
      meter_->busy(i + 1, entered, until);
    }
    if (by_command) awake_ = until + state.exit_latency;
  }
}

void PowerStates::power_cut(Picoseconds now) {
  if (resting_) end_rest(now, false);
  awake_ = 0;
}

}  // namespace flashloom
