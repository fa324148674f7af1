// The device's host interface: submission queues on block sockets, fetched round robin, parsed and completed by
// firmware.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "controllers/runtime/hardware.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/ssd/device_config.hpp"
#include "controllers/ssd/firmware.hpp"
#include "controllers/ssd/power_states.hpp"
#include "models/block/block_protocol.hpp"

namespace flashloom {

/// One target socket a submission queue. A command is accepted (END_REQ) when its queue has an entry free, fetched when
/// the device has a command slot free, in round robin over the queues. A
/// command's slot and entry are free again when firmware is done with it; its completion (and a read's last data) may
/// still be on the link. Traffic on the link: command entry, data, completion entry.
class HostInterface : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kCommandBytes = 64;     // NVMe submission queue entry
  static constexpr std::uint32_t kCompletionBytes = 16;  // NVMe completion queue entry

  HostInterface(const sc_core::sc_module_name& name, const HostInterfaceConfig& config, std::uint32_t queues,
                Runtime& runtime, Hardware& hardware);
  ~HostInterface() override;

  BlockTargetSocket& socket(std::uint32_t queue);

  /// Begins to serve; without a firmware commands are accepted and wait.
  void attach(Firmware* firmware);
  /// From now on the first command after a rest wakes the device.
  void attach(PowerStates& states) { power_states_ = &states; }
  /// From now on firmware gets to do background work when no command has been in the device for so long.
  void use_idle_time(Picoseconds after) { idle_time_ = after; }
  /// The supply fails, and capacitors hold the device up: no command is fetched or completed any more.
  void hold() { held_ = true; }
  /// Power cut: all commands in the device or its queues fail with power_lost, at once. Firmware must be gone already.
  void power_cut();

 private:
  struct Queue;

  tlm::tlm_sync_enum submit(Queue& queue, IoCommand& command, tlm::tlm_phase& phase);
  void accept(Queue& queue, IoCommand& command);
  void fetch();
  Task<void> serve(IoCommand& command);
  Task<void> background(std::uint64_t rest);
  void complete(IoCommand& command, Picoseconds delay);

  HostInterfaceConfig config_;
  Runtime& runtime_;
  Hardware& hardware_;
  Firmware* firmware_ = nullptr;
  PowerStates* power_states_ = nullptr;
  bool held_ = false;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::uint32_t next_queue_ = 0;     // round robin
  std::uint32_t queued_ = 0;         // commands accepted and not yet fetched, in all queues
  std::vector<IoCommand*> serving_;  // commands in the device, in no order
  Picoseconds idle_time_ = kNever;
  std::uint64_t rests_ = 0;  // times that no command was left
};

}  // namespace flashloom
