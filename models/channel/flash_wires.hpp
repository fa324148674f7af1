// What lies between the flash controllers and the dies, of a whole device: the wires, whatever their topology.
#pragma once

#include <cstdint>
#include <memory>

#include "models/channel/bus_time.hpp"
#include "models/common/alarm_clock.hpp"
#include "models/common/extremes.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_ports.hpp"

namespace flashloom {

/// What transfers met in a network, of those that were granted a path in a stretch of time. A transfer is one use of a
/// path: command cycles (of a program with its data), the data of a page, a status read.
struct NetworkUse {
  std::uint64_t transfers = 0;
  std::uint64_t conflicts = 0;     ///< transfers that had to wait for a path
  Picoseconds waited = 0;          ///< all of them
  Highest<Picoseconds> longest_wait;
  std::uint64_t hops = 0;          ///< of their paths
  std::uint64_t minimal = 0;       ///< transfers whose path is the shortest one from its port
  std::uint64_t own_port = 0;      ///< transfers through the port of their die's channel
  std::uint64_t scout_steps = 0;   ///< forward and back
  std::uint64_t bytes = 0;         ///< data, in and out
  std::uint64_t byte_hops = 0;     ///< of each, the links that it crossed
  std::uint32_t links = 0;         ///< that there are
  Picoseconds link_time = 0;       ///< that links were taken, over all of them
  Picoseconds busiest_link = 0;    ///< of the link that was taken longest
};

/// One binding a die on either side. A model behind it need not know what lies in front: a bus for each channel
/// (BusWires), or a network that all channels share (FlashNetwork).
class FlashWires {
 public:
  virtual ~FlashWires() = default;

  virtual OnfiTargetSocket& from_controller(Die die) = 0;
  virtual OnfiInitiatorSocket& to_die(Die die) = 0;

  /// Commits what happened before `now` to a channel's dies, for those who read meters, counters or instants.
  virtual void settle(Channel channel, Picoseconds now) = 0;
  /// Power fails at `at`, the kernel's now: see OnfiChannel::power_cut().
  virtual void power_cut(Picoseconds at) = 0;
  /// When a channel decides next who gets its wires: see OnfiChannel::next_decision(). std::logic_error where it has
  /// none of its own.
  virtual Picoseconds next_decision(Channel channel) const = 0;
  /// Use of a channel's bus, or of its controller's port, in [0, now).
  virtual BusTime bus_time(Channel channel, Picoseconds now) = 0;
  /// From now on `observer` is told every phase of the commands to a channel's dies. Only while none is under way
  /// (std::logic_error).
  virtual void attach(Channel channel, OnfiObserver& observer) = 0;
  /// Times that the clock woke them.
  virtual std::uint64_t wakes() const = 0;
  /// Since the last forget_use(); null where each channel has a bus of its own.
  virtual const NetworkUse* use(Picoseconds now) = 0;
  virtual void forget_use(Picoseconds now) = 0;

  /// What the meters of the kind "channel" draw.
  static PowerFigures power_figures(const NandConfig& config);
};

/// By nand.network.topology. Modules are made where the caller is made; meters are added to `ledger` unless it is null.
std::unique_ptr<FlashWires> make_flash_wires(const NandConfig& config, const NandGeometry& geometry,
                                             const NandTiming& timing, AlarmClock& clock, EnergyLedger* ledger);

}  // namespace flashloom
