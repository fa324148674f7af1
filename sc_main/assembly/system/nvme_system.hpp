// An NVMe controller in front of a simulation, to which a virtual platform binds in place of a workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "controllers/nvme/nvme_controller.hpp"
#include "controllers/nvme/nvme_device.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/simulation.hpp"

namespace flashloom {

/// To be constructed after the simulation and before it runs; the sockets of controller() must be bound. job() must be
/// one of the jobs of Simulation::run(); HostDriver::end_front() ends it.
class NvmeSystem final : private NvmeDevice {
 public:
  /// `number`: index of job() among the jobs of the run. Throws ConfigProblem for a device that is no NVMe drive: one
  /// with another host interface, or behind a page cache, a heap or a tier. The arguments outlive the system.
  NvmeSystem(const DeviceConfig& config, Simulation& simulation, std::uint32_t number = 0);
  ~NvmeSystem();
  NvmeSystem(const NvmeSystem&) = delete;
  NvmeSystem& operator=(const NvmeSystem&) = delete;

  NvmeController& controller() { return controller_; }
  /// The job that reports the controller's commands.
  HostJob job() const;
  /// Saves or loads the persistent data of controller and drive; to be called after Simulation::state().
  void state(StateArchive& archive);

 private:
  std::string name() const override { return config_.name; }
  std::uint64_t capacity_bytes() const override { return simulation_.capacity_bytes(); }
  std::uint32_t sector_bytes() const override { return config_.host_interface.sector_size; }
  std::uint32_t unit_bytes() const override { return config_.ftl.mapping_unit; }
  std::uint32_t program_bytes() const override;
  std::uint32_t atomic_bytes() const override;
  NamespaceSizes namespaces() const override { return config_.host_interface.namespaces; }
  std::uint32_t queues() const override { return config_.host.queues; }
  std::uint32_t queue_depth() const override { return config_.host_interface.queue_depth; }
  bool volatile_cache() const override;
  bool keeps_bytes() const override { return simulation_.payloads() != nullptr; }
  NvmeHealth health() const override;
  NvmePlacement placement() const override;
  NvmeZones zones() const override { return zones_; }
  void take_zone_changes(std::vector<std::uint64_t>& starts) override;
  FdpEvents* fdp_events() const override;
  bool ready() const override { return ready_; }
  Picoseconds message_time() const override;
  const std::vector<PowerStateConfig>& power_states() const override { return config_.power.states; }
  std::uint32_t power_state() const override { return config_.power.state; }
  HostProtocol::Arbitration arbitration() const override { return arbitration_; }
  bool weighted_arbitration() const override { return true; }
  void arbitrate(const HostProtocol::Arbitration& arbitration) override;
  void classify(std::uint32_t queue, std::uint32_t priority) override;
  HostMemoryWish host_memory() const override { return {config_.hmb.size, config_.hmb.minimum}; }
  void lend_host_memory(std::uint64_t bytes, std::function<void()> done) override {
    simulation_.ssd().lend_host_memory(bytes, std::move(done));
  }
  void lose_host_memory() override { simulation_.ssd().lose_host_memory(); }
  std::uint32_t aggregate() const override { return aggregate_; }
  Picoseconds aggregate_time() const override { return aggregate_time_; }

  const DeviceConfig& config_;
  Simulation& simulation_;
  std::uint32_t number_;
  NvmeZones zones_;
  std::size_t zone_changes_told_ = 0;  // in this power cycle
  HostProtocol::Arbitration arbitration_;
  std::uint32_t aggregate_;
  Picoseconds aggregate_time_;
  bool ready_ = false;  // the run has begun, and the device has mounted
  NvmeHealth before_;   // counts before this simulation
  std::uint64_t bad_at_first_;
  NvmeController controller_;
};

}  // namespace flashloom
