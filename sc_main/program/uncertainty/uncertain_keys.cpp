#include "sc_main/program/uncertainty/uncertain_keys.hpp"

#include <algorithm>

#include "controllers/ssd/capacitors.hpp"

namespace flashloom {

std::string why_it_runs_again(const DeviceConfig& config, const ConfigKey& key) {
  if (!key.draws_only) return "acts on what is done, and when";
  // A run without the feature has not counted what the energy of another value would need.
  const std::string path = key.path();
  if ((path == "link.transfer_energy" && config.link.transfer_energy == 0) ||
      (path == "nand.plane_current_share" && config.nand.plane_current_share == 0) ||
      (path == "power.regulator_efficiency" && config.power.regulator_efficiency == 1) ||
      (path == "power.plp_leakage" && !Capacitors::present(config.power)) ||
      (key.table == "controller" && !config.controller.present()))
    return "switches on what this run has not counted";
  const PowerConfig& power = config.power;
  if (power.is_limited() && key.table == "nand") return "a cap on power admits flash operations by what they draw";
  if (power.plp_energy != 0 && power.cut_count() != 0)
    return "capacitors of limited energy last as long as what is drawn lets them";
  if (power.plp_charge_efficiency != 1 && power.cut_count() != 0)
    return "capacitors are charged anew with what was drawn from them";
  const bool in_the_drive = key.table != "hdd" && key.table != "heap.nvram" && path != "power.supply_voltage";
  if (power.max_power() != 0 && in_the_drive) return "leaves less of the device's maximum power to arrays and link";
  if (config.thermal.on() && (!config.thermal.throttle.empty() || config.nand.errors.on()) && in_the_drive)
    return "heats the drive, which throttles and ages by its temperature";
  return {};
}

double UncertainKey::shown_at(double share) const {
  const double value = numbers_at(*key, range, nominal, share).front();
  return nominal.size() == 1 ? value * si_scale(key->quantity) : value / nominal.front();
}

double UncertainKey::shown_nominal() const {
  return nominal.size() == 1 ? nominal.front() * si_scale(key->quantity) : 1;
}

const char* UncertainKey::unit() const { return nominal.size() == 1 ? si_unit(key->quantity) : "1"; }

std::string UncertainGroup::reason() const {
  for (const UncertainKey& key : keys)
    if (!key.reason.empty()) return key.reason;
  return {};
}

std::vector<UncertainGroup> uncertain_groups(const DeviceConfig& config) {
  std::vector<UncertainGroup> groups;
  for (const ConfigKey& key : config_schema()) {
    const auto found = config.ranges.find(key.path());
    if (found == config.ranges.end()) continue;
    const KeyRange& range = found->second;
    const std::string name = range.with.empty() ? key.path() : range.with;
    auto group = std::find_if(groups.begin(), groups.end(), [&name](const auto& g) { return g.name == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), UncertainGroup{.name = name});
    group->keys.push_back({&key, range, numbers_of(key, config), why_it_runs_again(config, key)});
  }
  return groups;
}

}  // namespace flashloom
