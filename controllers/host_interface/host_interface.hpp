// The device's host interface: submission queues on block sockets. A protocol of the family "host_interface" decides
// how commands are fetched and reported; firmware parses and completes them.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "controllers/flash/heat_watch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/host_interface/host_interface_config.hpp"
#include "controllers/host_interface/host_protocol.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/ssd/controller_logic.hpp"
#include "controllers/ssd/firmware.hpp"
#include "controllers/ssd/power_states.hpp"
#include "models/block/block_protocol.hpp"

namespace flashloom {

/// What a protocol sends apart from data and the two entries of each command; interrupts are counted where completions
/// are aggregated.
struct HostInterfaceStatistics {
  std::uint64_t lists = 0;  ///< pieces of lists (PRP lists, ranges of trims) read from the host
  std::uint64_t list_bytes = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t reported = 0;  ///< completions reported by interrupts
  std::uint64_t by_time = 0;   ///< interrupts raised at the end of the aggregation time
};

/// One target socket a submission queue. A command is accepted (END_REQ) when its queue has an entry free, and fetched
/// when the device has a command slot free, in the order that the protocol says. Slot and entry are free again when
/// firmware is done with the command, though its completion and a read's last data may still be on the link; or, where
/// the protocol says so, when the host has its completion. Traffic on the link: command
/// entry, what the protocol adds, data, completion entry.
///
/// The protocol is asked only for what it adds: plain NVMe (no lists, round robin) is served without a call.
class HostInterface : public sc_core::sc_module, private SubmissionQueues, private ReadEnd {
 public:
  /// Throws UnknownPart for a protocol that does not exist. What `context` refers to outlives the module.
  HostInterface(const sc_core::sc_module_name& name, const HostProtocolContext& context, Runtime& runtime,
                Hardware& hardware);
  ~HostInterface() override;

  BlockTargetSocket& socket(std::uint32_t queue);

  /// Begins to serve; null: stops serving. A command that arrives while the device has power and does not serve is an
  /// error (SC_REPORT_ERROR, "/flashloom/ssd").
  void attach(Firmware* firmware);
  /// From now on the first command after an idle time wakes the device.
  void attach(PowerStates& states) { power_states_ = &states; }
  /// From now on each command calls watch.look().
  void attach(HeatWatch& watch) { heat_ = &watch; }
  /// From now on `logic` is told of the data of completed commands.
  void attach(ControllerLogic& logic) { logic_ = &logic; }
  /// From now on read and write commands reach firmware this much later, as through a pipeline of unlimited depth.
  void delay(Picoseconds reads, Picoseconds writes) {
    read_latency_ = reads;
    write_latency_ = writes;
    delays_ = reads != 0 || writes != 0;
  }
  /// From now on firmware does background work when the device has had no command for `after`.
  void use_idle_time(Picoseconds after) { idle_time_ = after; }
  /// Firmware does background work until `until`, also beside commands, as long as there is some. works(): it does now.
  void work_until(Picoseconds until);
  bool works() const { return works_; }
  /// The supply has failed and the device runs on its capacitors: no command is fetched or completed any more.
  void hold() { held_ = true; }
  const HostInterfaceStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }
  const HostProtocol::Traits& traits() const { return traits_; }
  /// For a front end with registers (HostProtocol).
  HostProtocol::Arbitration arbitration() const { return protocol_->arbitration(); }
  void arbitrate(const HostProtocol::Arbitration& arbitration);
  void classify(std::uint32_t queue, std::uint32_t priority) { protocol_->classify(queue, priority); }
  void report_at_once();
  /// Power cut: all commands in the device or its queues fail with power_lost, at once. Firmware must be gone already.
  void power_cut();

 private:
  struct Queue;

  tlm::tlm_sync_enum submit(Queue& queue, IoCommand& command, tlm::tlm_phase& phase);
  void accept(Queue& queue, IoCommand& command);
  void accept_waiting(Queue& queue);
  Task<void> accept_later(Queue& queue);
  void free_entries(Queue& queue);
  void fetch();
  void require_started() const;
  Queue* next_queue();
  Task<void> serve(IoCommand& command);
  bool serves_plainly() const;
  void begin_read(IoCommand& command);
  void read_done(IoCommand& command) override;
  Task<Picoseconds> fetch_lists(const IoCommand& command, std::uint32_t accepted, Picoseconds fetched);
  Picoseconds wake(IoCommand& command);
  Picoseconds pass_pipeline(IoCommand& command, Picoseconds fetched) const;
  static Picoseconds charge_end(IoCommand& command, Picoseconds reported, Picoseconds now);
  void served(IoCommand& command, Picoseconds done);
  void retire(IoCommand& command, Picoseconds done);
  void rest();
  void report(IoCommand& command);
  void interrupt(Queue& queue);
  Task<void> interrupt_later(Queue& queue, std::uint64_t batch);
  const IoCommand* head(std::uint32_t queue) const override;
  std::uint32_t in_device() const override { return in_device_; }
  Task<void> background(std::uint64_t rest);
  Task<void> work(Picoseconds until);
  void complete(IoCommand& command, Picoseconds delay);

  const HostInterfaceConfig& config_;
  std::unique_ptr<HostProtocol> protocol_;
  HostProtocol::Traits traits_;
  Runtime& runtime_;
  Hardware& hardware_;
  Firmware* firmware_ = nullptr;
  PowerStates* power_states_ = nullptr;
  HeatWatch* heat_ = nullptr;
  ControllerLogic* logic_ = nullptr;
  bool started_ = false;
  bool held_ = false;
  bool works_ = false;
  bool delays_ = false;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::uint32_t next_queue_ = 0;  // round robin
  std::uint32_t queued_ = 0;      // commands accepted and not yet fetched, in all queues
  // The commands in the device, in no order; behind them, free entries. A command keeps the number of its entry
  // (IoCommand::slot), so that a move of the entry touches no command.
  struct Entry {
    IoCommand* command;
    std::uint32_t number;
  };
  std::vector<Entry> serving_;
  std::vector<std::uint32_t> place_of_;  // in serving_, by number
  std::uint32_t in_device_ = 0;
  Picoseconds idle_time_ = kNever;
  Picoseconds read_latency_ = 0;
  Picoseconds write_latency_ = 0;
  std::uint64_t rests_ = 0;  // number of times that the device became idle
  HostInterfaceStatistics statistics_;
};

}  // namespace flashloom
