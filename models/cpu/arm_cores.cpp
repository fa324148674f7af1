#include "models/cpu/arm_cores.hpp"

#include <stdexcept>
#include <string>

namespace flashloom {

ArmCores::ArmCores(const sc_core::sc_module_name& name, const CpuConfig& config, EnergyLedger& ledger)
    : sc_core::sc_module(name), ideal_(config.ideal), clock_(config.clock), cycles_(config.cycles) {
  if (ideal_) return;
  if (config.cores == 0) throw std::invalid_argument("cpu: cores must be at least 1");
  if (config.clock == 0) throw std::invalid_argument("cpu: clock must be above 0 Hz");
  if (kSecond % clock_ == 0) period_ = kSecond / clock_;
  for (std::size_t i = 0; i < kFirmwareSteps; ++i) once_[i] = transfer_time(cycles_[i], clock_);

  const std::uint32_t host = config.host_core % config.cores;
  const std::uint32_t ftl = config.ftl_core % config.cores;
  const std::uint32_t flash = config.flash_core % config.cores;
  core_of_[index(FirmwareStep::CommandParse)] = host;
  core_of_[index(FirmwareStep::CommandComplete)] = host;
  core_of_[index(FirmwareStep::BufferLookup)] = host;
  core_of_[index(FirmwareStep::MapLookup)] = ftl;
  core_of_[index(FirmwareStep::MapUpdate)] = ftl;
  core_of_[index(FirmwareStep::VictimSelect)] = ftl;
  core_of_[index(FirmwareStep::FlashIssue)] = flash;
  core_of_[index(FirmwareStep::FlashComplete)] = flash;

  cores_.reserve(config.cores);
  for (std::uint32_t i = 0; i < config.cores; ++i) {
    EnergyMeter& meter = ledger.add("cpu.core" + std::to_string(i), "cpu",
                                    {{"idle", config.idle_power, kBackground}, {"busy", config.active_power, "cpu"}});
    meters_.push_back(&meter);
    cores_.emplace_back(CoreBusy{&meter, &reports_.emplace_back()});
  }
  ledger.before_finish([this](Picoseconds end) {
    for (Core& core : cores_) core.settle(end);
  });
}

void ArmCores::drop_all() {
  const Picoseconds now = kernel_now();
  for (Core& core : cores_) core.drop_all(now);
  for (EnergyMeter* meter : meters_) meter->truncate(now);
}

double ArmCores::utilization(std::uint32_t core, Picoseconds end) {
  if (ideal_ || end == 0) return 0;
  Core& server = cores_.at(core);
  server.settle(end);
  // What is committed beyond the end is one unbroken stretch: it has arrived before.
  const Picoseconds beyond = server.free_at() > end ? server.free_at() - end : 0;
  return static_cast<double>(server.busy_time() - beyond) / static_cast<double>(end);
}

}  // namespace flashloom
