// The implementation of an NVMe controller: its parts and registers, enable and reset.
#pragma once

#include <cstdint>

#include "controllers/nvme/admin_commands.hpp"
#include "controllers/nvme/error_log.hpp"
#include "controllers/nvme/events.hpp"
#include "controllers/nvme/feature_commands.hpp"
#include "controllers/nvme/io_commands.hpp"
#include "controllers/nvme/life.hpp"
#include "controllers/nvme/nvme_controller.hpp"
#include "controllers/nvme/self_test.hpp"
#include "controllers/nvme/zoned_namespace.hpp"

namespace flashloom {

class NvmeController::Core final : private nvme::CommandServer {
 public:
  Core(const NvmeConfig& config, NvmeDevice& device, HostDriver& host, std::uint32_t job);
  ~Core();

  tlm::tlm_response_status access_bar(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status access_configuration(tlm::tlm_generic_payload& payload);

  void power_cut();
  void power_on();
  void function_reset();
  void device_ready();
  void state(StateArchive& archive);

  void on_completion(std::function<void()> handler) { on_completion_ = std::move(handler); }
  Work work() const;
  nvme::InterruptVectors& vectors() { return interrupts_; }
  std::uint64_t bar_bytes() const { return bar_bytes_; }
  nvme::Dma& dma() { return dma_; }
  Runtime& runtime() { return runtime_; }
  std::uint64_t interrupts() const { return interrupts_.sent(); }

 private:
  // Delays a state change by a delta cycle if it must: a register write may come from within one of the controller's
  // own transfers, and a reset destroys their coroutines.
  class Change final : public Timer {
   public:
    explicit Change(Core& core) : core_(core) {}
    void on_timer() override { core_.settle(); }

   private:
    Core& core_;
  };
  struct Layout {
    std::uint32_t table;
    std::uint32_t pending;
    std::uint64_t bytes;
  };

  static Layout layout(const NvmeConfig& config, std::uint32_t queues);

  Task<nvme::Status> serve(nvme::NvmeCommand& command) override;
  void failed(const nvme::NvmeCommand& command, nvme::Status status) override;
  void posted() override {
    if (on_completion_) on_completion_();
  }
  void queue_lost() override { fail(); }
  void submit(nvme::NvmeCommand& command) override { host_.submit(job_, command); }

  std::uint32_t read_register(std::uint32_t offset) const;
  void write_register(std::uint32_t offset, std::uint32_t value);
  void write_configuration(std::uint32_t value);
  void ring(std::uint32_t offset, std::uint32_t value);
  void settle();
  void enable();
  void reset();
  void forget();
  void clear();
  void shut_down(bool orderly);
  Task<void> flush_and_stop();
  void fail();
  void look_at_health();
  void get_ready();

  const NvmeConfig& config_;
  NvmeDevice& device_;
  HostDriver& host_;
  std::uint32_t job_;
  Layout layout_;
  std::uint64_t bar_bytes_;
  Runtime runtime_;
  TimerQueue timers_;
  TimerQueue changes_;
  nvme::PciConfiguration pci_;
  nvme::Dma dma_;
  nvme::InterruptVectors interrupts_;
  nvme::NvmeQueues queues_;
  nvme::NamespaceTable namespaces_;
  nvme::Features features_;
  nvme::Life life_;
  nvme::ErrorLog errors_;
  nvme::ChangedZones changed_zones_;
  nvme::EventQueue events_;
  nvme::ControllerParts parts_;
  nvme::SelfTest self_test_;
  nvme::FeatureCommands feature_commands_;
  nvme::AdminCommands admin_;
  nvme::IoCommands io_;
  Change change_{*this};
  std::function<void()> on_completion_;

  bool powered_ = true;
  bool change_due_ = false;
  bool enabled_ = false;     // CC.EN has taken effect
  std::uint8_t warned_ = 0;  // critical warnings at the last look_at_health()
  std::uint32_t cc_ = 0;
  std::uint32_t csts_ = 0;
  std::uint32_t masked_ = 0;  // INTMS
  std::uint32_t aqa_ = 0;
  std::uint64_t asq_ = 0;
  std::uint64_t acq_ = 0;
};

}  // namespace flashloom
