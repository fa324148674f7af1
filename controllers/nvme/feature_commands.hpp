// Get and Set Features, and the effects of the features.
#pragma once

#include <cstdint>
#include <functional>

#include "controllers/nvme/controller_parts.hpp"
#include "controllers/nvme/features.hpp"
#include "controllers/nvme/host_memory.hpp"

namespace flashloom::nvme {

class FeatureCommands {
 public:
  /// Declares the features in parts.features.
  explicit FeatureCommands(ControllerParts& parts);

  Task<Status> set(NvmeCommand& command);
  Task<Status> get(NvmeCommand& command);

  /// Queues exist: the number of queues can no longer be set.
  void queues_created() { queues_created_ = true; }
  /// Restarts the keep-alive timer.
  void kept_alive() { heard_at_ = kernel_now(); }
  /// Called when the keep-alive timer expires.
  void on_silence(std::function<void()> handler) { on_silence_ = std::move(handler); }
  /// The controller was reset or enabled: puts the current values into effect.
  void reset();
  /// The controller is reset: its coroutines and the host memory buffer are gone.
  void forget() { host_memory_.reset(); }
  /// The clock of the host is forgotten.
  void power_on();

 private:
  Status check(std::uint8_t feature, std::uint32_t of, std::uint32_t value) const;
  void take_effect(std::uint8_t feature, std::uint32_t of);
  Task<Status> set_timestamp(NvmeCommand& command);
  Task<Status> get_timestamp(NvmeCommand& command);
  void tell_time();
  Task<void> watch(std::uint32_t milliseconds);

  ControllerParts& parts_;
  HostMemory host_memory_;
  bool queues_created_ = false;
  std::uint64_t timestamp_ = 0;  // ms, at timestamp_set_
  Picoseconds timestamp_set_ = 0;
  bool timestamp_of_host_ = false;
  Picoseconds heard_at_ = 0;
  std::function<void()> on_silence_;
};

}  // namespace flashloom::nvme
