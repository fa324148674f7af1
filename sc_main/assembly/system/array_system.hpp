// An array of drives: all drives but the first, the array software, and the NVRAM of its journal.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "controllers/array/array_controller.hpp"
#include "controllers/host/latency_histogram.hpp"
#include "controllers/host/oracle.hpp"
#include "models/energy/energy_report.hpp"
#include "models/memory/memory_model.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/ssd.hpp"

namespace flashloom {

/// Capacity of the array in bytes.
std::uint64_t array_capacity_bytes(const DeviceConfig& config);
/// Granularity of trims in bytes: a trim of a part of such a unit leaves it unchanged.
std::uint32_t array_trim_bytes(const DeviceConfig& config);

class ArraySystem final : private CollectionTurns {
 public:
  /// `config` must be validated, have an array, and outlive it; so must `first`, its drive 0.
  ArraySystem(const DeviceConfig& config, Ssd& first, bool keep_versions);
  ~ArraySystem();

  ArrayController& controller() { return controller_; }
  const ArrayController& controller() const { return controller_; }
  /// All drives, the spare last.
  const std::vector<Ssd*>& drives() const { return drives_; }
  const DeviceConfig& config_of(std::uint32_t drive) const { return drive == 0 ? config_ : configs_[drive - 1]; }

  /// Latencies of the commands that the array sent to a drive, from submission to completion.
  struct Latencies {
    LatencyHistogram reads;
    LatencyHistogram writes;
  };
  const Latencies& latencies(std::uint32_t drive) const { return latencies_[drive]; }
  const MemoryModel* nvram() const { return nvram_.get(); }

  void begin_window(Picoseconds at);
  void power_cut();
  void reset_statistics();
  /// Reads everything that was ever written from the drives, on the instant clock, and lets the oracle check it; data
  /// that a drive cannot give is computed from the others. Returns the sectors read; adds to `unreadable` those that
  /// are lost. Throws std::runtime_error if the mirrors or the parity of a synchronised stripe do not agree.
  std::uint64_t audit(Oracle& oracle, std::uint64_t& unreadable);

 private:
  void begin(std::uint32_t drive, Picoseconds until) override;
  bool collects(std::uint32_t drive) const override;
  IoStatus read(std::uint32_t drive, std::uint64_t offset, std::uint64_t length, SectorToken* tokens);
  IoStatus read_extent(const ArrayExtent& part, SectorToken* tokens);
  std::uint64_t load_stripe(std::uint32_t stripe, std::uint64_t row, std::uint64_t length);
  void check_stripe(std::uint32_t stripe);

  const DeviceConfig& config_;
  std::deque<DeviceConfig> configs_;  // of drives 1 and on
  std::vector<std::unique_ptr<Ssd>> others_;
  std::vector<Ssd*> drives_;
  std::unique_ptr<MemoryModel> nvram_;
  ArrayController controller_;
  std::vector<Latencies> latencies_;
  std::vector<SectorToken> tokens_;  // used by an audit
};

/// The energy reports of all drives as one; components are named as "drive0.die3". Joules, counts and residencies add
/// up; peak_w is the sum of the drives' peaks, an upper bound of the peak of their sum.
EnergyReport books_of_array(const ArraySystem& array);

}  // namespace flashloom
