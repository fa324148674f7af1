// The timed back end: a flash controller for each channel of the device, the dies, and the wires between them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "controllers/flash/channel_switch.hpp"
#include "controllers/flash/duty_gate.hpp"
#include "controllers/flash/flash_controller.hpp"
#include "controllers/flash/flash_port.hpp"
#include "controllers/flash/heat_watch.hpp"
#include "controllers/flash/page_pipeline.hpp"
#include "models/channel/flash_wires.hpp"
#include "models/nand/nand_die.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

/// Builds and binds the modules, and routes commands by die. Geometry, timing, media and ledger must outlive it.
/// Meters are named "channel0", "die0" and so on; the ledger must be finished while this module lives.
class TimedFlash final : public sc_core::sc_module, public FlashPort, private DutyGate::Waiter {
 public:
  /// `ledger` may be null; `queue_limit`: most commands queued or under way at a die, 0 = no limit; `duty_period`:
  /// needed for throttle(). Throws UnknownPart for an arbitration that does not exist, std::invalid_argument for a cap
  /// that is too low.
  TimedFlash(const sc_core::sc_module_name& name, const NandConfig& config, const NandTiming& timing, NandMedia& media,
             const PolicyChoice& arbitration, EnergyLedger* ledger = nullptr, std::uint32_t queue_limit = 0,
             const PowerCap& cap = {}, Picoseconds duty_period = 0);

  /// Queues a command at its die. Returns false: its completion comes later. Throws FirmwareViolation for an impossible
  /// die, std::logic_error for a command beyond the limit of the queue (see place()).
  bool submit(OnfiCommand& command) override;
  void submit_all(OnfiCommand* first) override;
  std::uint32_t queued(Die die) const override {
    const Route& route = routes_[die.value()];
    return route.controller->queued(route.position) + (switch_ == nullptr ? 0 : switch_->waiting(die));
  }

  const DieHistory* history(Die die) const override {
    const Route& route = routes_[die.value()];
    return &route.controller->history(route.position);
  }

  /// Power fails at `at`, which is the kernel's now, and is back at once: programs and erases in the arrays at that
  /// instant are torn, those that end at it are done, and all commands are dropped without completion.
  void power_cut(Picoseconds at);

  /// From now on commands begin only in this share of the time (DutyGate); 1: at any time. Needs a duty_period.
  void throttle(double duty) { gate_->set(duty); }
  /// From now on each command, and each opening of the gate, calls watch.look().
  void attach(HeatWatch& watch) { watch_ = &watch; }

  FlashCounters& counters() { return counters_; }
  const FlashCounters& counters() const { return counters_; }
  /// Commands that are not complete.
  std::uint64_t pending() const;
  /// Most commands that were ever queued or under way at one die.
  std::uint32_t longest_queue() const;
  /// Where the time of a die in [0, now) went.
  DieActivity activity(Die die, Picoseconds now);
  /// Use of a channel's wires in [0, now).
  BusTime bus_time(Channel channel, Picoseconds now) { return wires_->bus_time(channel, now); }
  /// Since the last forget_network_use(); null where each channel has a bus.
  const NetworkUse* network_use(Picoseconds now) { return wires_->use(now); }
  void forget_network_use(Picoseconds now) { wires_->forget_use(now); }
  /// Over all channels, of completed commands; of one origin, or of all.
  QueueWait queue_wait(FlashOperation operation, Origin origin) const;
  QueueWait queue_wait(FlashOperation operation) const;
  OverlapCounts overlap_counts() const;
  /// Kernel wakes of all channels.
  std::uint64_t wakes() const { return wires_->wakes(); }
  /// Highest mean power of the arrays over a window of the power cap, see PowerGovernor::most_watts(); 0 without a cap.
  double most_watts(Picoseconds now) const { return governor_ == nullptr ? 0 : governor_->most_watts(now); }
  /// With PowerCap::shared, else null.
  PowerBudget* budget() { return governor_ != nullptr && governor_->is_shared() ? governor_.get() : nullptr; }
  void forget_most_watts(Picoseconds now) {
    if (governor_ != nullptr) governor_->forget_most(now);
  }
  /// Commits what happened before `now` on all channels: before reading the ledger.
  void settle(Picoseconds now);
  /// From now on `ecc` decodes reads.
  void correct_by(EccEngine& ecc) {
    ecc_ = &ecc;
    for (FlashController& controller : controllers_) controller.correct_by(ecc);
  }
  /// From now on each page read takes `latency` after its data cycles (PagePipeline). Called before the first command.
  void delay_pages(Picoseconds latency);
  /// Tells `observer` every completion.
  void attach(FlashObserver& observer) {
    for (FlashController& controller : controllers_) controller.attach(observer);
  }
  /// Tells `observer` every phase on a channel; only while no command is under way there (std::logic_error).
  void attach(Channel channel, OnfiObserver& observer) { wires_->attach(channel, observer); }

 private:
  void gate_opened() override;
  [[gnu::cold]] void mark(OnfiCommand& command) const;

  struct Route {
    FlashController* controller;
    std::uint32_t position;
  };
  const Route& route_to(const OnfiCommand& command) const;
  void submit_specially(const Route& route, OnfiCommand& command);

  const NandGeometry& geometry_;
  NandMedia& media_;
  NandEnergy energy_;
  bool open_reads_;  // reads of blocks that are not full take longer
  bool plain_;       // commands go to their controller without further work
  FlashCounters counters_;
  std::unique_ptr<PowerGovernor> governor_;  // with a cap
  std::unique_ptr<DutyGate> gate_;           // with a duty_period
  std::unique_ptr<PagePipeline> pipeline_;   // with a latency of pages
  HeatWatch* watch_ = nullptr;
  std::unique_ptr<ChannelSwitch> switch_;    // where it takes time
  std::deque<FlashController> controllers_;  // modules neither move nor copy
  AlarmClock clock_;                         // of all channels
  std::unique_ptr<FlashWires> wires_;
  std::deque<NandDie> dies_;
  std::vector<Route> routes_;  // by die
};

}  // namespace flashloom
