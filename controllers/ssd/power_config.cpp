#include "controllers/ssd/power_config.hpp"

#include <algorithm>
#include <utility>

#include "models/common/config_problem.hpp"
#include "models/energy/peak_window.hpp"

namespace flashloom {

static_assert(kShortestPeakWindow == PeakWindow::kShortest && kLongestPeakWindow == PeakWindow::kLongest);

void check_config(const PowerConfig& power) {
  require(power.cut_count() == (power.cut_at != 0 ? 1U : 0U) || power.cut_spacing != 0, "power.cut_spacing",
          power.cut_count(), " power cuts come at random, after what mean time; valid: above 0 s");
  for (const auto& [key, said] :
       {std::pair{"power.plp_energy", power.plp_energy != 0}, std::pair{"power.plp_leakage", power.plp_leakage != 0},
        std::pair{"power.plp_charge_efficiency", power.plp_charge_efficiency != 1}})
    require(power.plp || !said, key, "is of capacitors: needs power.plp = true");
  require(power.states.empty() ? power.state == 0
                               : power.state < power.states.size() && power.states[power.state].operational,
          "power.state", power.state, " is not one of the ", power.states.size(),
          " power states, or serves no commands; valid: an operational one of [[power.states]], counted from 0");
  std::vector<PowerStateConfig> asleep;
  for (const PowerStateConfig& state : power.states) {
    require(!state.operational || (state.idle_time == 0 && state.idle_power == 0), "power.states",
            "an operational state has neither idle_time nor idle_power: its components say what they draw");
    require(state.operational || state.max_power == 0, "power.states",
            "max_power is of operational states; a non-operational one draws idle_power");
    if (state.idle_time != 0) asleep.push_back(state);
  }
  std::sort(asleep.begin(), asleep.end(), [](const auto& a, const auto& b) { return a.idle_time < b.idle_time; });
  for (std::size_t i = 1; i < asleep.size(); ++i)
    require(asleep[i - 1].idle_time + asleep[i - 1].entry_latency < asleep[i].idle_time, "power.states",
            "the state that is entered after ", MessageTime{asleep[i - 1].idle_time},
            " has not been reached when the one after ", MessageTime{asleep[i].idle_time},
            " would begin; valid: idle_time above idle_time + entry_latency of the state before");
}

}  // namespace flashloom
