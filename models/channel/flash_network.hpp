// A network between the flash controllers and the chips, which all channels share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/channel/command_work.hpp"
#include "models/channel/flash_wires.hpp"
#include "models/channel/path_finder.hpp"
#include "models/channel/phase_feed.hpp"
#include "models/channel/sorted_ring.hpp"

namespace flashloom {

/// Circuit switching: a transfer occupies all links of its path (PathFinder), and its chip, from its grant to its end.
/// First a scout reserves the path, nand.network.reserve_time a step; then come the transfer's cycles, which end
/// hop_time a hop later than on a bus. The dies of a chip share its port into the network.
///
/// Arbitration, whenever a request arrives or links become free: waiting transfers try in turn to find a path, in the
/// order of a channel's bus (OnfiChannel): status reads; command cycles of reads and erases; data-out; programs, except
/// that a program which OnfiChannel::kProgramBound data-outs of its channel have passed goes before data-outs. Within a
/// class by time and urgency. A transfer without a path waits, others may pass it, and it tries first again whenever a
/// link becomes free (ADR 53: the number of passes is not bounded; the longest wait is counted). Failed scouts, and
/// attempts from nearer ports, cost nothing.
///
/// Lazy and exact like OnfiChannel (ADR 2): decisions at an instant are made once time has moved past it. Since
/// transfers of all channels interact, the next completion is predicted as a lower bound only (ADR 26). Completions at
/// one instant are ordered by channel, within a channel data-outs first. Commands of a die never overlap on the same
/// planes: the configuration refuses cache commands, suspension, and power caps.
class FlashNetwork final : public sc_core::sc_module, public FlashWires, private Alarm {
 public:
  /// `ledger` may be null. One meter a port: "channel0" and so on; ports beyond the channels are "vertical0" and so on.
  FlashNetwork(const sc_core::sc_module_name& name, const NandConfig& config, const NandGeometry& geometry,
               const NandTiming& timing, AlarmClock& clock, EnergyLedger* ledger);

  OnfiTargetSocket& from_controller(Die die) override { return from_controller_[die.value()]; }
  OnfiInitiatorSocket& to_die(Die die) override { return to_die_[die.value()]; }
  void settle(Channel channel, Picoseconds now) override;
  void power_cut(Picoseconds at) override;
  Picoseconds next_decision(Channel) const override { refuse("a channel has no bus"); }
  BusTime bus_time(Channel channel, Picoseconds now) override;
  void attach(Channel channel, OnfiObserver& observer) override;
  std::uint64_t wakes() const override { return wakes_; }
  const NetworkUse* use(Picoseconds now) override;
  void forget_use(Picoseconds now) override;

  /// Figures of one port: its share of the routers, and the energy of each byte on each link.
  static PowerFigures power_figures(const NandConfig& config);

 private:
  /// What the command of a slot waits for.
  enum class Wants : std::uint8_t { Status, Command, Data, Program };
  static constexpr std::size_t kWants = 4;

  /// A command of a die. Dies with independent plane reads have one further slot per read.
  struct Slot : CommandWork {
    std::uint32_t die = 0;
    std::uint32_t channel = 0;
    std::uint32_t way = 0;
    Picoseconds wanted = 0;  // earliest start of its next transfer
    NetworkPath path;        // of its present transfer; no links: none
    Picoseconds until = 0;   // end of that transfer
  };
  struct Port {
    EnergyMeter* meter = nullptr;
    BusTime time;
    BusGrant last;
  };
  /// The controller's end of one binding.
  struct Entry final : OnfiTarget {
    FlashNetwork* network = nullptr;
    std::uint32_t die = 0;
    tlm::tlm_sync_enum nb_transport_fw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  };
  struct Due {
    std::uint64_t order = 0;
    std::uint32_t index = 0;
  };

  [[noreturn, gnu::cold]] void refuse(const char* why) const;
  void arrive(std::uint32_t die, OnfiCommand& command, Picoseconds now);
  void commit_until(Picoseconds now);
  Picoseconds next_decision() const;
  void decide(Picoseconds at);
  bool grant_what_can(Picoseconds at);
  bool grant_from(Wants wants, Picoseconds at);
  bool grant_overdue(Picoseconds at);
  bool grant(Wants wants, std::uint32_t index, Picoseconds at);
  bool find_path(std::uint32_t index);
  BusGrant transfer(Slot& slot, Picoseconds at, Picoseconds command, Picoseconds data, std::uint32_t bytes);
  void release(Slot& slot);
  void start(Slot& slot, std::uint32_t index, Picoseconds at);
  void send_data(Slot& slot, std::uint32_t index, Picoseconds at);
  void poll(Slot& slot, std::uint32_t index, Picoseconds at);
  void await_data(std::uint32_t index, Picoseconds ready);
  OnfiCommand& finish(std::uint32_t index);
  Picoseconds least_time(Wants wants, const Slot& slot) const;
  Picoseconds earliest_completion(Picoseconds now) const;
  void sleep(Picoseconds now);
  void on_alarm() override;
  void collect_due(Picoseconds now);
  std::uint32_t chip_of(const Slot& slot) const { return finder_->links() + slot.channel * geometry_.ways + slot.way; }
  SortedRing& waiting(Wants wants) { return waiting_[static_cast<std::size_t>(wants)]; }
  PhaseFeed* feed_of(const Slot& slot) const { return feeds_[slot.channel].get(); }

  const NandGeometry& geometry_;
  const NandTiming& timing_;
  Picoseconds hop_time_;
  Picoseconds reserve_time_;
  sc_core::sc_vector<OnfiTargetSocket> from_controller_;
  sc_core::sc_vector<OnfiInitiatorSocket> to_die_;
  std::unique_ptr<Entry[]> entries_;
  DieEnd die_end_;
  AlarmClock& clock_;
  std::uint32_t alarm_;
  std::unique_ptr<PathFinder> finder_;
  std::vector<std::uint8_t> taken_;  // 1: in use; links, then chips
  std::vector<Picoseconds> link_time_;
  std::vector<Port> ports_;
  std::vector<Slot> slots_;
  std::array<SortedRing, kWants> waiting_;  // slots that wait for a path, in arbitration order
  SortedRing loads_;                        // transfers that are not the last of their command, by end
  SortedRing reads_;                        // by the end of their array time, until then
  SortedRing polls_;                        // by their next status read, until it is due
  SortedRing data_outs_;                    // by their end, a completion
  SortedRing arrays_;                       // programs and erases, by the end of their array time, a completion
  std::vector<std::uint32_t> programs_;     // waiting programs, by channel
  std::vector<std::uint32_t> overtaken_;    // by channel: data-outs that have passed the first waiting program
  std::vector<Due> due_;
  bool changed_ = false;       // a request arrived, or a link became free, at committed_
  Picoseconds committed_ = 0;  // all decisions before this instant are made
  Picoseconds alarm_at_ = kNever;
  bool waking_ = false;
  std::uint64_t wakes_ = 0;
  NetworkUse use_;                                 // link times, without transfers under way
  NetworkUse use_told_;                            // as of the last use()
  std::vector<std::unique_ptr<PhaseFeed>> feeds_;  // by channel
};

}  // namespace flashloom
