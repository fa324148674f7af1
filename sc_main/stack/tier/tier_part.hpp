// A tier: an SSD, or an array of them, as the cache of a hard disk, and the software that combines them.
#pragma once

#include <memory>

#include "controllers/tier/tier_controller.hpp"
#include "models/hdd/hdd.hpp"
#include "sc_main/assembly/system/stack_part.hpp"

namespace flashloom {

class TierPart final : public StackPart {
 public:
  /// `config` must be validated, have an HDD, and outlive it.
  TierPart(const DeviceConfig& config, Ssd& ssd);

  TierController* tier() override { return &tier_; }
  const Hdd* hdd() const override { return &hdd_; }
  ArraySystem* array() override { return array_ != nullptr ? array_->array() : nullptr; }
  BlockTargetSocket& target(std::uint32_t queue) override { return tier_.target(queue); }
  std::uint64_t capacity_bytes() const override { return tier_.capacity_bytes(); }
  std::vector<Ssd*> drives() override { return array_ != nullptr ? array_->drives() : StackPart::drives(); }
  std::uint32_t trim_bytes() const override { return 0; }
  bool reads_may_fail() const override {
    return config_.tier.ssd_fails_at != 0 || (array_ != nullptr && array_->reads_may_fail());
  }
  bool forgets() const override { return config_.hdd.write_cache; }
  void shape(Oracle::Shape& shape) const override;
  void on_failure(std::function<void(std::exception_ptr)> handler) override;
  void precondition(const std::function<void(const char*, double)>& progress) override;
  void state(StateArchive& archive) override;
  void begin() override;
  void begin_window(Picoseconds at) override;
  EnergyReport books() const override { return array_ != nullptr ? array_->books() : StackPart::books(); }
  std::uint64_t audit(Simulation& simulation) override;
  void on_step(std::function<void(std::size_t step, const char* name)> observer) override;
  std::uint64_t written_bytes() const override {
    return array_ != nullptr ? array_->written_bytes() : tier_.statistics().cache.write_bytes;
  }
  void report(const DeviceConfig& config, nlohmann::ordered_json& result) override;
  std::vector<std::pair<std::string, std::string>> tables() override;
  bool stops() const override { return true; }
  void stop(std::function<void()> done) override { tier_.stop(std::move(done)); }
  std::uint32_t devices() const override { return 1; }
  void power_cut(Picoseconds off_time) override;
  void power_on_devices(const std::function<void()>& ready) override { hdd_.power_on(ready); }
  void power_on(std::function<void()> ready) override;
  void answer_by(std::function<Picoseconds(BlockTransfer&)> device) override {
    tier_.cache_port().answer_by(std::move(device));
  }

 private:
  IoStatus peek_cache(std::uint64_t offset, std::uint64_t length, SectorToken* tokens);

  const DeviceConfig& config_;
  std::unique_ptr<StackPart> array_;  // the cache; null: the SSD alone
  Hdd hdd_;
  TierController tier_;
};

}  // namespace flashloom
