// A complete SSD: link, host interface, cores, memories, firmware, flash. A target of block sockets.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>

#include "controllers/flash/instant_flash.hpp"
#include "controllers/flash/timed_flash.hpp"
#include "controllers/ftl/features/compression/compressor.hpp"
#include "controllers/ftl/features/fdp/handles/fdp_events.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/hardware/host_memory_buffer.hpp"
#include "controllers/host_interface/host_interface.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/ssd/capacitors.hpp"
#include "controllers/ssd/controller_logic.hpp"
#include "controllers/ssd/firmware.hpp"
#include "controllers/ssd/power_states.hpp"
#include "controllers/ssd/thermal_control.hpp"
#include "models/cpu/arm_cores.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/link/host_link.hpp"
#include "models/memory/memory_port.hpp"
#include "models/memory/memory_target.hpp"
#include "models/memory/nvram_contents.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/host_memory_events.hpp"

namespace flashloom {

class Ssd : public sc_core::sc_module {
 public:
  /// A target socket of TLM-2.0's base protocol, of any module.
  using MemorySocket = tlm::tlm_base_target_socket_b<>;

  /// `config` must be validated and outlive the module. `foreign_dram`: socket of a module (LT or AT) that replaces the
  /// model's DRAM, with its own times and energy; config.dram.size gives its size. `keep_versions`: must be true if
  /// power_cut() may be called on this drive, or on one that loads a state saved from it.
  Ssd(const sc_core::sc_module_name& name, const DeviceConfig& config, MemorySocket* foreign_dram = nullptr,
      bool keep_versions = true);
  ~Ssd() override;

  BlockTargetSocket& socket(std::uint32_t queue) { return interface_.socket(queue); }

  /// Changes from the instant clock, on which a drive begins, to the timed one. The firmware must be quiescent.
  void start_timed();
  /// Changes back to the instant clock. The firmware must be quiescent.
  void start_instant();

  bool keeps_versions() const { return !media_.low_bits_only(); }

  /// Enters the parts' energy up to now into the ledger, so that it can be read meanwhile. Changes no result.
  void settle();
  /// The supply fails, and capacitors power the device: it serves no more commands, and flushes its buffer; `done` is
  /// called when that is on flash. power_cut() follows then, or before.
  void hold_up(std::function<void()> done);
  /// Energy that the parts have drawn since hold_up() began, in J; 0 before it, and without power.
  double drawn_on_capacitors();
  /// Power fails now: DRAM, cores and firmware lose their state, flash operations in progress are torn, open commands
  /// fail.
  void power_cut(Picoseconds off_time);
  /// Power is back: the firmware boots and recovers; `ready` is called when the device serves commands again.
  void power_on(std::function<void()> ready);

  /// The host lends `bytes` of its memory from now on; 0: it takes its memory back. On the timed clock, with [hmb]
  /// only. `done` is called when the device needs nothing more in the memory that is taken back; at once without power.
  void lend_host_memory(std::uint64_t bytes, std::function<void()> done);
  /// The host memory is lost without notice, for good.
  void lose_host_memory();
  /// No host memory is lent until lend_host_memory() is called.
  void withhold_host_memory();

  /// Saves or loads the state of flash and firmware: saves a quiescent device on the instant clock, loads into an
  /// unused one.
  void state(StateArchive& archive);

  const DeviceConfig& config() const { return config_; }
  const NandGeometry& geometry() const { return geometry_; }
  const NandTiming& timing() const { return timing_; }
  NandMedia& media() { return media_; }
  Runtime& runtime() { return runtime_; }
  Firmware& firmware() { return *firmware_; }
  const Firmware& firmware() const { return *firmware_; }
  const HostInterface& host_interface() const { return interface_; }
  HostInterface& host_interface() { return interface_; }
  bool powered() const { return firmware_ != nullptr; }
  TimedFlash& flash() { return flash_; }
  InstantFlash& instant_flash() { return instant_flash_; }
  EnergyLedger& ledger() { return ledger_; }
  /// Null if the model has no bit errors.
  const EccEngine* ecc() const { return ecc_.get(); }
  /// Null: no thermal model.
  ThermalControl* thermal() { return thermal_.get(); }
  /// Null: no faults are injected.
  DriveFaults* faults() { return faults_.get(); }
  ArmCores& cores() { return cores_; }
  HostLink& link() { return link_; }
  /// Null: no flexible data placement.
  FdpEvents* fdp_events() { return fdp_events_.get(); }
  const FdpEvents* fdp_events() const { return fdp_events_.get(); }
  /// The model's DRAM; null if the device has none, or a foreign one.
  const MemoryTarget* dram() const { return dram_.get(); }
  /// The SRAM that replaces the DRAM; null if there is none.
  const MemoryTarget* sram() const { return sram_.get(); }
  MemoryTarget* sram() { return sram_.get(); }
  const MemoryTarget* nvram() const { return nvram_.get(); }
  /// Null: no host memory buffer.
  HostMemoryBuffer* host_memory() { return host_memory_.get(); }
  /// Null: no compression.
  Compressor* compressor() { return compressor_.get(); }
  const Compressor* compressor() const { return compressor_.get(); }
  const HostMemoryBuffer* host_memory() const { return host_memory_.get(); }
  MemoryTarget* dram() { return dram_.get(); }
  MemoryTarget* nvram() { return nvram_.get(); }
  /// Sum of the statistics of the present firmware and of those before power cuts.
  FtlStatistics ftl_statistics() const;
  BufferStatistics buffer_statistics() const;
  RoomWaitCounts room_waits() const;
  /// Resets all statistics (after preconditioning and ramps).
  void reset_statistics();

 private:
  void model_errors();
  void model_faults();
  void log_fdp_events();
  void model_compression();
  void forget_versions(bool keep_versions);
  Task<void> boot(std::function<void()> ready);
  Task<void> flush(std::function<void()> done);
  Task<void> change_host_memory(std::function<void()> done);
  std::unique_ptr<HostMemoryBuffer> make_host_memory();
  std::unique_ptr<Firmware> make_firmware() {
    return std::make_unique<Firmware>(config_.firmware(), geometry_, media_, nvram_contents_, hardware_);
  }

  const DeviceConfig& config_;
  NandGeometry geometry_;
  NandTiming timing_;
  EnergyLedger ledger_;
  NandMedia media_;
  std::unique_ptr<EccEngine> ecc_;  // with nand.errors
  InstantFlash instant_flash_;
  TimedFlash flash_;
  TimerQueue timers_;
  ArmCores cores_;
  std::unique_ptr<MemoryTarget> dram_;
  std::unique_ptr<MemoryTarget> sram_;
  std::unique_ptr<MemoryTarget> nvram_;
  std::unique_ptr<MemoryPort> dram_port_;  // of DRAM or SRAM
  std::unique_ptr<MemoryPort> nvram_port_;
  std::unique_ptr<DramLayout> layout_;  // for a DRAM model that uses addresses
  HostLink link_;
  MemoryPort link_port_;
  NvramContents nvram_contents_;
  Hardware hardware_;
  std::unique_ptr<DriveFaults> faults_;            // with [faults]
  std::unique_ptr<FdpEvents> fdp_events_;          // with [fdp]
  std::unique_ptr<HostMemoryBuffer> host_memory_;  // with [hmb]
  std::unique_ptr<HostMemoryEvents> host_memory_events_;
  std::unique_ptr<Compressor> compressor_;  // with [compression]
  // The firmware is not running; it learns of changes of the host memory when it mounts.
  bool told_by_mount_ = false;
  Runtime runtime_;
  std::unique_ptr<Firmware> firmware_;
  HostInterface interface_;
  std::unique_ptr<PowerStates> power_states_;    // with [[power.states]]
  std::unique_ptr<ThermalControl> thermal_;      // with thermal.model
  std::unique_ptr<ControllerLogic> controller_;  // with [controller]
  std::unique_ptr<Capacitors> capacitors_;       // with power.plp, if they draw power
  IoCommand emergency_;                          // the flush of hold_up()
  std::optional<double> drawn_before_;           // J, at hold_up(); none: not on capacitors
  double given_ = 0;                             // J, from the capacitors at the last cut
  FtlStatistics ended_ftl_, ftl_baseline_;
  BufferStatistics ended_buffer_, buffer_baseline_;
  RoomWaitCounts ended_room_waits_, room_waits_baseline_;
};

}  // namespace flashloom
