// An object heap in the place of the host's driver, on one SSD.
#pragma once

#include "sc_main/assembly/system/stack_part.hpp"
#include "sc_main/stack/heap/heap_system.hpp"

namespace flashloom {

class HeapPart final : public StackPart {
 public:
  /// `config` must be validated, have a heap, and outlive it.
  HeapPart(const DeviceConfig& config, Ssd& ssd) : StackPart(ssd), config_(config) {}

  /// The jobs of start().
  void take(std::vector<HeapJob> jobs) { jobs_ = std::move(jobs); }

  HeapSystem* heap() override { return system_.get(); }
  std::uint32_t trim_bytes() const override { return config_.ftl.mapping_unit; }
  bool zeroes_are_data() const override { return false; }
  void shape(Oracle::Shape& shape) const override;
  void meet(Oracle* oracle) override { system_ = std::make_unique<HeapSystem>(config_, ssd_, oracle); }
  void on_failure(std::function<void(std::exception_ptr)> handler) override {
    system_->processes().on_failure(std::move(handler));
  }
  void begin_window(Picoseconds) override { system_->reset_statistics(); }
  std::uint64_t audit(Simulation& simulation) override;
  std::uint64_t written_bytes() const override { return totals().written(); }
  void report(const DeviceConfig& config, nlohmann::ordered_json& result) override;
  void power_lost() override { system_->power_lost(); }
  void power_back() override { system_->power_back(); }
  bool replaces_host() const override { return true; }
  void start(std::function<void()> measured, std::function<void()> done) override;
  bool finished() const override { return system_->finished(); }
  Picoseconds end() const override { return system_->processes().end(); }
  std::uint64_t media_errors() const override { return system_->heap().device_media_errors(); }
  HostTotals totals() const override { return system_->device_totals(); }
  void on_progress(std::function<void(std::uint64_t)> progress) override {
    system_->processes().on_progress(std::move(progress));
  }
  void stop_jobs() override { system_->processes().stop(); }

 private:
  const DeviceConfig& config_;
  std::unique_ptr<HeapSystem> system_;
  std::vector<HeapJob> jobs_;
};

}  // namespace flashloom
