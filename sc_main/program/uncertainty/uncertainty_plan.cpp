#include "sc_main/program/uncertainty/uncertainty_plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "sc_main/program/uncertainty/stratified.hpp"

namespace flashloom {

UncertaintyPlan::UncertaintyPlan(const DeviceConfig& config, const SamplingOptions& options)
    : config_(config), options_(options), groups_(uncertain_groups(config)) {
  if (groups_.empty()) throw std::invalid_argument("no key has a range");
  options_.runs = std::min(options_.runs, options_.samples);
  if (!again().empty()) draws_ = options_.runs;
  for (std::size_t group = 0; group < groups_.size(); ++group)
    shares_.push_back(stratified(groups_[group].name, options_.seed, runs_again(group) ? draws_ : options_.samples));
}

std::vector<std::size_t> UncertaintyPlan::again() const {
  std::vector<std::size_t> found;
  for (std::size_t group = 0; group < groups_.size(); ++group)
    if (runs_again(group)) found.push_back(group);
  return found;
}

std::size_t UncertaintyPlan::reruns() const { return draws_ == 1 ? 0 : draws_ + 2 * again().size(); }

std::size_t UncertaintyPlan::rerun_at_bound(std::size_t group, std::size_t bound) const {
  const std::vector<std::size_t> found = again();
  const auto place = std::find(found.begin(), found.end(), group) - found.begin();
  return draws_ + 2 * static_cast<std::size_t>(place) + bound;
}

DeviceConfig UncertaintyPlan::config_of_rerun(std::size_t rerun) const {
  DeviceConfig config = config_;
  const std::vector<std::size_t> found = again();
  if (rerun >= draws_) {
    const std::size_t end = rerun - draws_;
    groups_[found[end / 2]].set(config, static_cast<double>(end % 2));
    return config;
  }
  for (const std::size_t group : found) groups_[group].set(config, share(group, rerun));
  return config;
}

std::string UncertaintyPlan::name_of_rerun(std::size_t rerun) const {
  if (rerun < draws_) return "draw " + std::to_string(rerun);
  const std::size_t end = rerun - draws_;
  return groups_[again()[end / 2]].name + (end % 2 == 0 ? " at its low bound" : " at its high bound");
}

}  // namespace flashloom
