// The flat memory: DRAM or NVRAM as one port with a bandwidth and a latency.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "models/common/duration_cache.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/memory/memory_config.hpp"
#include "models/memory/memory_sleep.hpp"
#include "models/memory/memory_target.hpp"

namespace flashloom {

/// One port, pipelined: a transaction occupies it for bytes / bandwidth, in order of request, and completes a latency
/// later. Refresh takes its share of the bandwidth. Exact while requests come in order of arrival; a request made later
/// that arrives earlier waits behind.
///
/// Energy: component `name` of kind `kind`: state "standby" (background power and refresh), with MemorySleep
/// "power_down" and "self_refresh", operations "read" and
/// "write", counted in bytes, rows "KIND.read" and "KIND.write".
class MemoryModel final : public MemoryTarget {
 public:
  /// `kind` is "dram" or "nvram". Throws std::invalid_argument for size 0 and for a refresh that leaves no time.
  MemoryModel(const sc_core::sc_module_name& name, const MemoryConfig& config, const std::string& kind,
              EnergyLedger& ledger);

  /// Bytes a second after refresh; 0 = unlimited.
  std::uint64_t effective_bandwidth() const { return bandwidth_; }

  void drop_all(Picoseconds off_time) override;
  void settle(Picoseconds now) override;

  static PowerFigures power_figures(const MemoryConfig& config, const std::string& kind);
  /// Components of that kind belong to the host's memory, not to the drive.
  static bool of_host(const std::string& kind) { return kind == "heap" || kind == "array"; }

 private:
  Picoseconds serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) override;
  Picoseconds occupancy(std::uint64_t bytes) {
    return durations_.get(bytes, [this](std::uint64_t size) { return transfer_time(size, bandwidth_); });
  }

  Picoseconds read_latency_;
  Picoseconds write_latency_;
  std::uint64_t bandwidth_;
  EnergyMeter* meter_;
  Picoseconds free_ = 0;
  MemorySleep sleep_;
  DurationCache durations_;
};

}  // namespace flashloom
