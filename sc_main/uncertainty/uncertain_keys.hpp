// The keys of a configuration whose figures have a range, and which of them need another run for another value.
#pragma once

#include <string>
#include <vector>

#include "sc_main/config/device_config.hpp"
#include "sc_main/config/key_range.hpp"
#include "sc_main/config/schema.hpp"

namespace flashloom {

/// Why a run with another value of the key does something else, or at another time; empty where the key decides only what
/// parts draw: then energy follows from what the run has counted (recomputed_energy()). The one place that knows where
/// a power or an energy is acted on.
std::string why_it_runs_again(const DeviceConfig& config, const ConfigKey& key);

struct UncertainKey {
  const ConfigKey* key = nullptr;
  KeyRange range{};
  std::vector<double> nominal{};  ///< in the unit that the key is kept in
  std::string reason{};           ///< of its own: why_it_runs_again()

  /// The value at a share of the range (numbers_at()), in si_unit(); of a list of several the factor of all of them.
  double shown_at(double share) const;
  double shown_nominal() const;
  const char* unit() const;
  void set(DeviceConfig& config, double share) const {
    set_numbers(*key, config, numbers_at(*key, range, nominal, share));
  }
};

/// Keys that go up and down together, by one sample: those that say so, or one alone.
struct UncertainGroup {
  std::string name{};  ///< path of the key that the others go with; it may have no range itself
  std::vector<UncertainKey> keys{};

  /// Of the first that has one; empty: energy follows without another run.
  std::string reason() const;
  void set(DeviceConfig& config, double share) const {
    for (const UncertainKey& key : keys) key.set(config, share);
    if (!config.nand.senses.empty()) config.nand.read_time = config.nand.times_by_senses();  // may be of these keys
  }
};

/// In the order of the schema, of each group's first key.
std::vector<UncertainGroup> uncertain_groups(const DeviceConfig& config);

}  // namespace flashloom
