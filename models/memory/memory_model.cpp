#include "models/memory/memory_model.hpp"

#include <algorithm>
#include <cmath>

#include "models/common/timer_queue.hpp"
#include "models/memory/standby_power.hpp"

namespace flashloom {

MemoryModel::MemoryModel(const sc_core::sc_module_name& name, const MemoryConfig& config, const std::string& kind,
                         EnergyLedger& ledger)
    : MemoryTarget(name, config, kind),
      read_latency_(config.read_latency),
      write_latency_(config.write_latency),
      bandwidth_(config.bandwidth),
      sleep_(config) {
  if (config.refresh_interval != 0) {
    const double open = static_cast<double>(config.refresh_interval - config.refresh_time) /
                        static_cast<double>(config.refresh_interval);
    bandwidth_ = static_cast<std::uint64_t>(std::llround(static_cast<double>(config.bandwidth) * open));
  }
  meter_ = &ledger.add(this->name(), kind, power_figures(config, kind));
  if (!sleep_.on()) return;
  ledger.before_finish([this](Picoseconds end) { settle(end); });
  ledger.before_power_off([this](Picoseconds from, Picoseconds to) {
    settle(from);
    sleep_.off_until(to);
  });
}

PowerFigures MemoryModel::power_figures(const MemoryConfig& config, const std::string& kind) {
  return {.states = standby_states(config),
          .operations = {{"read", config.read_energy, kind + ".read"}, {"write", config.write_energy, kind + ".write"}},
          .regulated = !of_host(kind)};
}

void MemoryModel::drop_all(Picoseconds /*off_time*/) {
  const Picoseconds now = kernel_now();
  settle(now);
  free_ = std::min(free_, now);
  if (!sleep_.on()) return;
  meter_->truncate(now);
  sleep_.cut(now);
}

void MemoryModel::settle(Picoseconds now) {
  if (sleep_.on()) sleep_.settle(*meter_, sleep_.entries(free_), now);
}

Picoseconds MemoryModel::serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) {
  if (!holds(address, bytes)) [[unlikely]]
    return kNever;
  Picoseconds start = std::max(arrival, free_);
  if (sleep_.on()) [[unlikely]]
    start += sleep_.exit(sleep_.settle(*meter_, sleep_.entries(free_), start));
  free_ = start + occupancy(bytes);
  if (sleep_.on()) [[unlikely]]
    sleep_.used_until(free_);
  count(write, bytes);
  report(write, bytes, start, free_);
  meter_->count(write ? 1 : 0, bytes, start, free_);
  return free_ + (write ? write_latency_ : read_latency_);
}

}  // namespace flashloom
