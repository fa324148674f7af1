// An array of drives: all drives but the first, the array software, and the NVRAM of its journal.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "controllers/array/array_controller.hpp"
#include "controllers/host/latency_histogram.hpp"
#include "controllers/host/oracle.hpp"
#include "models/energy/energy_report.hpp"
#include "models/memory/memory_model.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/stack_part.hpp"

namespace flashloom {

class ArraySystem final : public StackPart, private CollectionTurns {
 public:
  /// `config` must be validated, have an array, and outlive it; so must `first`, its drive 0.
  ArraySystem(const DeviceConfig& config, Ssd& first);
  ~ArraySystem() override;

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

  ArraySystem* array() override { return this; }
  BlockTargetSocket& target(std::uint32_t queue) override { return controller_.target(queue); }
  std::uint64_t capacity_bytes() const override { return controller_.capacity_bytes(); }
  std::vector<Ssd*> drives() override { return drives_; }
  std::uint32_t trim_bytes() const override;
  bool reads_may_fail() const override;
  void shape(Oracle::Shape&) const override {}
  void on_failure(std::function<void(std::exception_ptr)> handler) override {
    controller_.on_failure(std::move(handler));
  }
  /// Preconditions each drive by itself: to the oracle the data and the parity are zeroes. The spare stays new.
  void precondition(const std::function<void(const char*, double)>& progress) override;
  void state(StateArchive& archive) override;
  void begin() override { controller_.begin(); }
  void begin_window(Picoseconds at) override;
  /// The reports of all drives as one; components are named as "drive0.die3". Joules, counts and residencies add up;
  /// peak_w is the sum of the drives' peaks, an upper bound of the peak of their sum.
  EnergyReport books() const override;
  std::uint64_t audit(Simulation& simulation) override;
  IoStatus peek(std::uint64_t offset, std::uint64_t length, SectorToken* tokens) override;
  void check_peeked() override;
  void on_step(std::function<void(std::size_t step, const char* name)> observer) override;
  std::uint64_t written_bytes() const override { return controller_.traffic(0).write_bytes; }
  void report(const DeviceConfig& config, nlohmann::ordered_json& result) override;
  void power_cut(Picoseconds off_time) override;
  void power_on(std::function<void()> ready) override { controller_.power_on(std::move(ready)); }

  void reset_statistics();
  /// Whether a component in the books of drive 0 is the drive's: its ledger also has what the host has once.
  static bool of_drive(const ComponentEnergy& component) {
    return component.kind != "array" && component.kind != "hdd";
  }

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
  bool has_lost_ = false;            // before the statistics were reset
  std::vector<SectorToken> tokens_;  // used by an audit
  std::set<std::uint32_t> peeked_;   // stripes that an audit has read
};

}  // namespace flashloom
