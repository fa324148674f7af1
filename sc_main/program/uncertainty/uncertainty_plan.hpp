// The samples drawn for the keys with a range, and the additional runs that they need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "sc_main/program/uncertainty/uncertain_keys.hpp"

namespace flashloom {

/// Draws a Latin hypercube (stratified()), half of the samples below each value and half above, uniformly in each half.
/// Keys that affect only power are drawn `samples` times. Keys that affect timing are drawn `runs` times with a run for
/// each draw; sample i belongs to draw i mod `runs`. Two more runs for each group of these show its effect at its
/// bounds.
class UncertaintyPlan {
 public:
  /// Throws std::invalid_argument if no key has a range.
  UncertaintyPlan(const DeviceConfig& config, const SamplingOptions& options);

  const SamplingOptions& options() const { return options_; }
  const std::vector<UncertainGroup>& groups() const { return groups_; }
  /// Whether the group is drawn `runs` times, with a run for each.
  bool runs_again(std::size_t group) const { return !groups_[group].reason().empty(); }
  /// Whether the group keeps its values because it would need runs of its own.
  bool holds(std::size_t group) const { return runs_again(group) && draws() == 1; }
  /// Draws of keys that affect timing: 1 without such keys, and if they keep their values.
  std::size_t draws() const { return draws_; }
  /// Lets such keys keep their values, if the additional runs cannot be compared with the run itself.
  void hold_all() { draws_ = 1; }

  /// Number of additional runs: first the draws, then each group that runs again at its low and high bound.
  std::size_t reruns() const;
  DeviceConfig config_of_rerun(std::size_t rerun) const;
  std::string name_of_rerun(std::size_t rerun) const;
  /// The rerun with a group at a bound (0: low, 1: high).
  std::size_t rerun_at_bound(std::size_t group, std::size_t bound) const;

  /// Share of the group's range in a sample; not to be called for a group that keeps its values.
  double share(std::size_t group, std::size_t sample) const {
    const std::vector<double>& shares = shares_[group];
    return shares[sample % shares.size()];
  }
  std::size_t draw_of(std::size_t sample) const { return sample % draws_; }
  const DeviceConfig& nominal() const { return config_; }

 private:
  std::vector<std::size_t> again() const;

  DeviceConfig config_;
  SamplingOptions options_;
  std::vector<UncertainGroup> groups_;
  std::vector<std::vector<double>> shares_;  // by group and draw
  std::size_t draws_ = 1;
};

}  // namespace flashloom
