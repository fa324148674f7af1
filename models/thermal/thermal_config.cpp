#include "models/thermal/thermal_config.hpp"

#include "models/common/config_problem.hpp"
#include "models/thermal/thermal_network.hpp"

namespace flashloom {

void check_config(const ThermalConfig& thermal) {
  if (!thermal.on()) return;
  require(thermal.start_temperatures.empty() || thermal.start_temperatures.size() == kThermalNodes,
          "thermal.start_temperatures", thermal.start_temperatures.size(),
          " values; valid: none, or three, of controller, NAND and board");
  const std::size_t levels = thermal.throttle.size();
  require(thermal.duty.size() == levels, "thermal.duty", thermal.duty.size(), " values beside ", levels,
          " temperatures of thermal.throttle; valid: one a temperature");
  require(thermal.link.size() == levels, "thermal.link", thermal.link.size(), " values beside ", levels,
          " temperatures of thermal.throttle; valid: one a temperature");
  for (std::size_t i = 1; i < levels; ++i) {
    require(thermal.throttle[i - 1] < thermal.throttle[i], "thermal.throttle", thermal.throttle[i], " C follows ",
            thermal.throttle[i - 1], " C; valid: rising temperatures");
    require(thermal.duty[i - 1] >= thermal.duty[i], "thermal.duty", thermal.duty[i], " follows ", thermal.duty[i - 1],
            "; valid: no level with more than the one before");
    require(thermal.link[i - 1] >= thermal.link[i], "thermal.link", thermal.link[i], " follows ", thermal.link[i - 1],
            "; valid: no level with more than the one before");
  }
}

}  // namespace flashloom
