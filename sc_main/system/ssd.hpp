// One SSD put together: link, host interface, cores, memories, firmware, flash. A block-socket target.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>

#include "controllers/flash/instant_flash.hpp"
#include "controllers/flash/timed_flash.hpp"
#include "controllers/ftl/fdp_events.hpp"
#include "controllers/hardware/compressor.hpp"
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
#include "sc_main/config/device_config.hpp"
#include "sc_main/system/host_memory_events.hpp"

namespace flashloom {

class Ssd : public sc_core::sc_module {
 public:
  /// A target socket of TLM-2.0's base protocol, whatever module it is of.
  using MemorySocket = tlm::tlm_base_target_socket_b<>;

  /// `config` must be validated and outlive the module. With `foreign_dram` the device's DRAM is the module of that
  /// socket, LT or AT, in place of ours; config.dram.size says how large it is, and its times and energy are its own.
  /// `keep_versions`: power_cut() may be called, or a state is saved that a drive begins from of which it may be.
  Ssd(const sc_core::sc_module_name& name, const DeviceConfig& config, MemorySocket* foreign_dram = nullptr,
      bool keep_versions = true);
  ~Ssd() override;

  BlockTargetSocket& socket(std::uint32_t queue) { return interface_.socket(queue); }

  /// From the instant clock, on which it begins, to the timed one. Only when the firmware is quiescent.
  void start_timed();
  /// And back. Only when it is quiescent.
  void start_instant();

  bool keeps_versions() const { return !media_.low_bits_only(); }

  /// Books what the parts did up to now, for who looks at the ledger meanwhile. Changes no result.
  void settle();
  /// The supply fails, and capacitors hold the device up: commands are no longer served, and the buffer is flushed;
  /// `done` is called when it is on flash. Then, or before, comes power_cut().
  void hold_up(std::function<void()> done);
  /// What the parts have drawn since hold_up() began, in J; 0 before it, and without power.
  double drawn_on_capacitors();
  /// Power fails now: DRAM, cores and firmware lose everything, what is in the flash arrays is torn, open commands
  /// fail.
  void power_cut(Picoseconds off_time);
  /// Power is back: firmware boots anew and recovers; `ready` is called when the device serves again.
  void power_on(std::function<void()> ready);

  /// The host lends so many bytes of its memory from now on; 0: it asks for them. On the timed clock; with [hmb] alone.
  /// `done` is called when nothing that is needed is left in what it takes back. Without power it is called at once.
  void lend_host_memory(std::uint64_t bytes, std::function<void()> done);
  /// It is gone without a word, and for good.
  void lose_host_memory();
  /// Nothing is lent until somebody does.
  void withhold_host_memory();

  /// Saves or loads what flash and firmware hold: of a quiescent device on the instant clock, into one that nothing was
  /// done to.
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
  /// Null where cells have no bit errors.
  const EccEngine* ecc() const { return ecc_.get(); }
  /// Null: nothing models heat.
  ThermalControl* thermal() { return thermal_.get(); }
  /// Null: an honest drive.
  DriveFaults* faults() { return faults_.get(); }
  ArmCores& cores() { return cores_; }
  HostLink& link() { return link_; }
  /// Null: no flexible data placement.
  FdpEvents* fdp_events() { return fdp_events_.get(); }
  const FdpEvents* fdp_events() const { return fdp_events_.get(); }
  /// Ours; null if none is fitted, or a foreign one.
  const MemoryTarget* dram() const { return dram_.get(); }
  /// In its place; null: a DRAM, or nothing.
  const MemoryTarget* sram() const { return sram_.get(); }
  MemoryTarget* sram() { return sram_.get(); }
  const MemoryTarget* nvram() const { return nvram_.get(); }
  /// Null: the host lends nothing.
  HostMemoryBuffer* host_memory() { return host_memory_.get(); }
  /// Null: data are not compressed.
  Compressor* compressor() { return compressor_.get(); }
  const Compressor* compressor() const { return compressor_.get(); }
  const HostMemoryBuffer* host_memory() const { return host_memory_.get(); }
  MemoryTarget* dram() { return dram_.get(); }
  MemoryTarget* nvram() { return nvram_.get(); }
  /// Statistics of firmware that a power cut has ended, with those of the present one.
  FtlStatistics ftl_statistics() const;
  BufferStatistics buffer_statistics() const;
  RoomWaitCounts room_waits() const;
  /// Forgets what was counted so far (preconditioning, ramps).
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
  std::unique_ptr<DramLayout> layout_;  // of a DRAM that looks at addresses
  HostLink link_;
  MemoryPort link_port_;
  NvramContents nvram_contents_;
  Hardware hardware_;
  std::unique_ptr<DriveFaults> faults_;  // with [faults]
  std::unique_ptr<FdpEvents> fdp_events_;  // with [fdp]
  std::unique_ptr<HostMemoryBuffer> host_memory_;  // with [hmb]
  std::unique_ptr<HostMemoryEvents> host_memory_events_;
  std::unique_ptr<Compressor> compressor_;  // with [compression]
  // Of the host's memory: the firmware is not at work, and hears of it when it has mounted.
  bool told_by_mount_ = false;
  Runtime runtime_;
  std::unique_ptr<Firmware> firmware_;
  HostInterface interface_;
  std::unique_ptr<PowerStates> power_states_;  // with [[power.states]]
  std::unique_ptr<ThermalControl> thermal_;    // with thermal.model
  std::unique_ptr<ControllerLogic> controller_;  // with [controller]
  std::unique_ptr<Capacitors> capacitors_;       // with power.plp, where they cost something
  IoCommand emergency_;                          // of hold_up()
  std::optional<double> drawn_before_;           // J, at hold_up(); none: the supply is there, or nothing is
  double given_ = 0;                             // J, by the capacitors at the last cut
  FtlStatistics ended_ftl_, ftl_baseline_;
  BufferStatistics ended_buffer_, buffer_baseline_;
  RoomWaitCounts ended_room_waits_, room_waits_baseline_;
};

}  // namespace flashloom
