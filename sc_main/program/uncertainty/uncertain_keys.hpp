// The keys of a configuration that have a range, and which of them need a new run for each value.
#pragma once

#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/key_range.hpp"
#include "sc_main/assembly/config/schema.hpp"

namespace flashloom {

/// Why another value of the key changes what a run does, or when; empty if the key only affects the power of parts, so
/// that energy can be computed from the run's counts (recomputed_energy()). Only this function knows which power and
/// energy keys affect decisions of the device.
std::string why_it_runs_again(const DeviceConfig& config, const ConfigKey& key);

struct UncertainKey {
  const ConfigKey* key = nullptr;
  KeyRange range{};
  std::vector<double> nominal{};  ///< in the unit of the key's member
  std::string reason{};           ///< why_it_runs_again() of this key

  /// The value at a share of the range (numbers_at()), in si_unit(); for a list of several values their common factor.
  double shown_at(double share) const;
  double shown_nominal() const;
  const char* unit() const;
  void set(DeviceConfig& config, double share) const {
    set_numbers(*key, config, numbers_at(*key, range, nominal, share));
  }
};

/// Keys that vary in common, by one sample: keys whose ranges name each other, or a single key.
struct UncertainGroup {
  std::string name{};  ///< path of the key with which the others vary; it may have no range itself
  std::vector<UncertainKey> keys{};

  /// The reason of the first key that has one; empty: energy can be computed without another run.
  std::string reason() const;
  void set(DeviceConfig& config, double share) const {
    for (const UncertainKey& key : keys) key.set(config, share);
    if (!config.nand.senses.empty()) config.nand.read_time = config.nand.times_by_senses();  // may be of these keys
  }
};

/// The groups, in the schema's order of their first keys.
std::vector<UncertainGroup> uncertain_groups(const DeviceConfig& config);

}  // namespace flashloom
