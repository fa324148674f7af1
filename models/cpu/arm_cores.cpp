#include "models/cpu/arm_cores.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace flashloom {

ArmCores::ArmCores(const sc_core::sc_module_name& name, const CpuConfig& config, EnergyLedger& ledger)
    : sc_core::sc_module(name),
      ideal_(config.ideal),
      affinity_(config.spread == "affinity"),
      least_loaded_(config.spread == "least_loaded"),
      clock_(config.clock),
      cycles_(config.cycles),
      config_(config) {
  if (ideal_) return;
  if (config.cores == 0) throw std::invalid_argument("cpu: cores must be at least 1");
  if (config.clock == 0) throw std::invalid_argument("cpu: clock must be above 0 Hz");
  points_ = operating_points(config_);
  if (config.governed()) {
    period_ = 1;  // work is counted in cycles
  } else if (kSecond % clock_ == 0) {
    period_ = kSecond / clock_;
  }
  for (std::size_t i = 0; i < kFirmwareSteps; ++i)
    once_[i] = config.governed() ? cycles_[i] : transfer_time(cycles_[i], clock_);

  groups_ = {config.host_cores, config.ftl_cores, config.flash_cores};
  const std::array<std::uint32_t, kGroups> single = {config.host_core, config.ftl_core, config.flash_core};
  for (std::size_t group = 0; group < kGroups; ++group) {
    if (groups_[group].empty()) groups_[group] = {single[group] % config.cores};
    spread_ = spread_ || groups_[group].size() > 1;
    for (const std::uint32_t core : groups_[group])
      if (core >= config.cores) throw std::invalid_argument("cpu: there is no core " + std::to_string(core));
  }
  for (std::size_t step = 0; step < kFirmwareSteps; ++step)
    core_of_[step] = groups_[group_of(static_cast<FirmwareStep>(step))].front();

  cores_.reserve(config.cores);
  for (std::uint32_t i = 0; i < config.cores; ++i) {
    const std::string meter_name = "cpu.core" + std::to_string(i);
    ServiceReport& report = reports_.emplace_back();
    EnergyMeter& meter = ledger.add(meter_name, "cpu", power_figures(config_));
    meters_.push_back(&meter);
    if (config.governed()) {
      governed_.emplace_back(config_, points_, meter, report);
    } else {
      cores_.emplace_back(CoreBusy{&meter, &report});
    }
  }
  before_.resize(governed_.size());
  ledger.before_finish([this](Picoseconds end) {
    for (CoreServer& core : cores_) core.settle(end);
    for (GovernedCore& core : governed_) core.close(end);
  });
  if (!governed_.empty())
    ledger.before_power_off([this](Picoseconds from, Picoseconds to) {
      for (GovernedCore& core : governed_) core.power_off(from, to);
    });
}

std::size_t ArmCores::group_of(FirmwareStep step) {
  switch (step) {
    case FirmwareStep::CommandParse:
    case FirmwareStep::CommandComplete:
    case FirmwareStep::BufferLookup:
    case FirmwareStep::WriteCommand:
      return 0;
    case FirmwareStep::FlashIssue:
    case FirmwareStep::FlashComplete:
      return 2;
    default:
      return 1;
  }
}

std::uint32_t ArmCores::core_in_group(FirmwareStep step, std::uint32_t key) {
  const std::size_t group = group_of(step);
  const std::vector<std::uint32_t>& cores = groups_[group];
  if (affinity_) return cores[key % cores.size()];
  if (least_loaded_)
    return *std::min_element(cores.begin(), cores.end(), [this, now = kernel_now()](auto a, auto b) {
      return std::max(now, done_at(a)) < std::max(now, done_at(b));
    });
  std::uint32_t& turn = turn_[group];
  const std::uint32_t core = cores[turn];
  turn = turn + 1 == cores.size() ? 0 : turn + 1;
  return core;
}

PowerFigures ArmCores::power_figures(const CpuConfig& config) {
  if (config.governed()) return GovernedCore::power_figures(config, operating_points(config));
  return {{{"idle", config.idle_power, kBackground}, {"busy", config.active_power, "cpu"}}};
}

void ArmCores::drop_all() {
  const Picoseconds now = kernel_now();
  for (CoreServer& core : cores_) core.drop_all(now);
  for (GovernedCore& core : governed_) core.drop_all(now);
  for (EnergyMeter* meter : meters_) meter->truncate(now);
}

double ArmCores::utilization(std::uint32_t core, Picoseconds end) {
  if (ideal_ || end == 0) return 0;
  const auto share = [end](auto& server) {
    server.settle(end);
    // Committed jobs have arrived already, so their service beyond `end` is contiguous.
    const Picoseconds beyond = server.free_at() > end ? server.free_at() - end : 0;
    return static_cast<double>(server.busy_time() - std::min(beyond, server.busy_time())) / static_cast<double>(end);
  };
  return governed_.empty() ? share(cores_.at(core)) : share(governed_.at(core));
}

ArmCores::Activity ArmCores::activity(std::uint32_t core) const {
  const GovernedCore& server = governed_.at(core);
  return {server.transitions() - before_[core].transitions, server.sleeps() - before_[core].sleeps};
}

void ArmCores::reset_counters() {
  for (std::size_t core = 0; core < governed_.size(); ++core)
    before_[core] = {governed_[core].transitions(), governed_[core].sleeps()};
}

}  // namespace flashloom
