// A network between the flash controllers and the chips, which all channels share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/channel/flash_wires.hpp"
#include "models/channel/path_finder.hpp"
#include "models/channel/wire_arbiter.hpp"

namespace flashloom {

struct NetworkSlot : DieSlot {
  std::uint32_t channel = 0;
  std::uint32_t way = 0;
  Picoseconds wanted = 0;  ///< earliest start of its next transfer
  NetworkPath path;        ///< of its present transfer; no links: none
  Picoseconds until = 0;   ///< end of that transfer
};

/// Circuit switching: a transfer occupies all links of its path (PathFinder), and its chip, from its grant to its end.
/// First a scout reserves the path, nand.network.reserve_time a step; then come the transfer's cycles, which end
/// hop_time a hop later than on a bus. The dies of a chip share its port into the network.
///
/// Arbitration, whenever a request arrives or links become free: waiting transfers try in turn to find a path, in the
/// order of a channel's bus (OnfiChannel): status reads; command cycles of reads and erases; data-out; programs, except
/// that a program which kProgramBound data-outs of its channel have passed goes before data-outs. Within a class by time
/// and urgency. A transfer without a path waits, others may pass it, and it tries first again whenever a link becomes
/// free (ADR 53: the number of passes is not bounded; the longest wait is counted). Failed scouts, and attempts from
/// nearer ports, cost nothing.
///
/// Lazy and exact (LazyArbiter); since transfers of all channels interact, the next completion is predicted as a lower
/// bound only (ADR 26). Completions at one instant are ordered by channel, within a channel data-outs first. Commands of
/// a die never overlap on the same planes: the configuration refuses cache commands, suspension, and power caps.
class FlashNetwork final : public WireArbiter<FlashNetwork, NetworkSlot>, public FlashWires {
 public:
  /// `ledger` may be null. One meter a port: "channel0" and so on; ports beyond the channels are "vertical0" and so on.
  FlashNetwork(const sc_core::sc_module_name& name, const NandConfig& config, const NandGeometry& geometry,
               const NandTiming& timing, AlarmClock& clock, EnergyLedger* ledger);

  OnfiTargetSocket& from_controller(Die die) override { return WireArbiter::from_controller[die.value()]; }
  OnfiInitiatorSocket& to_die(Die die) override { return WireArbiter::to_die[die.value()]; }
  void settle(Channel channel, Picoseconds now) override;
  void power_cut(Picoseconds at) override;
  Picoseconds next_decision(Channel) const override { refuse("a channel has no bus"); }
  BusTime bus_time(Channel channel, Picoseconds now) override;
  void attach(Channel channel, OnfiObserver& observer) override { attach_to(feeds_[channel.value()], observer); }
  std::uint64_t wakes() const override { return LazyArbiter::wakes(); }
  const NetworkUse* use(Picoseconds now) override;
  void forget_use(Picoseconds now) override;

  /// Figures of one port: its share of the routers, and the energy of each byte on each link.
  static PowerFigures power_figures(const NandConfig& config);

 private:
  friend LazyArbiter<FlashNetwork>;
  friend WireArbiter<FlashNetwork, NetworkSlot>;
  using Slot = NetworkSlot;

  /// What the command of a slot waits for.
  enum class Wants : std::uint8_t { Status, Command, Data, Program };
  static constexpr std::size_t kWants = 4;

  struct Port {
    EnergyMeter* meter = nullptr;
    BusTime time;
    BusGrant last;
  };
  struct Due {
    std::uint64_t order = 0;
    std::uint32_t index = 0;
  };

  // For LazyArbiter and WireArbiter.
  Picoseconds next_decision() const;
  void decide(Picoseconds at);
  Picoseconds next_completion(Picoseconds now) const;
  void complete(Picoseconds now, bool report = true);
  void enqueue(std::uint32_t die, OnfiCommand& command, Picoseconds now);
  void enqueue_data(std::uint32_t index, Picoseconds ready);
  BusGrant occupy(std::uint32_t index, Picoseconds at, Picoseconds command, Picoseconds data, std::uint32_t bytes);
  void array_started(std::uint32_t index) { watch_array(index, slots_[index].command->at.array_begin); }
  void finished(std::uint32_t index);
  PhaseFeed* feed_of(const Slot& slot) const { return feeds_[slot.channel].get(); }

  bool grant_what_can(Picoseconds at);
  bool grant_from(Wants wants, Picoseconds at);
  bool grant_overdue(Picoseconds at);
  bool grant(Wants wants, std::uint32_t index, Picoseconds at);
  bool find_path(std::uint32_t index);
  void release(Slot& slot);
  Picoseconds least_time(Wants wants, const Slot& slot) const;
  std::uint32_t chip_of(const Slot& slot) const { return finder_->links() + slot.channel * geometry_.ways + slot.way; }
  SortedRing& waiting(Wants wants) { return waiting_[static_cast<std::size_t>(wants)]; }

  const NandGeometry& geometry_;
  Picoseconds hop_time_;
  Picoseconds reserve_time_;
  std::unique_ptr<PathFinder> finder_;
  std::vector<std::uint8_t> taken_;  // 1: in use; links, then chips
  std::vector<Picoseconds> link_time_;
  std::vector<Port> ports_;
  std::array<SortedRing, kWants> waiting_;  // slots that wait for a path, in arbitration order; reads_, polls_ once due
  SortedRing loads_;                        // transfers that are not the last of their command, by end
  SortedRing data_outs_;                    // by their end, a completion
  std::vector<std::uint32_t> programs_;     // waiting programs, by channel
  std::vector<std::uint32_t> overtaken_;    // by channel: data-outs that have passed the first waiting program
  std::vector<Due> due_;
  bool changed_ = false;                           // a request arrived, or a link became free, at decided()
  NetworkUse use_;                                 // link times, without transfers under way
  NetworkUse use_told_;                            // as of the last use()
  std::vector<std::unique_ptr<PhaseFeed>> feeds_;  // by channel
};

}  // namespace flashloom
