// The connections between the flash controllers and the dies of a device, whatever their topology.
#pragma once

#include <cstdint>
#include <memory>

#include "models/channel/bus_time.hpp"
#include "models/common/alarm_clock.hpp"
#include "models/common/extremes.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_ports.hpp"

namespace flashloom {

struct NandConfig;

/// Statistics of the transfers that were granted a path in a network, over some interval. A transfer is one use of a
/// path: command cycles (of a program with its data), the data of a page, or a status read.
struct NetworkUse {
  std::uint64_t transfers = 0;
  std::uint64_t conflicts = 0;  ///< transfers that had to wait for a path
  Picoseconds waited = 0;       ///< total wait
  Highest<Picoseconds> longest_wait;
  std::uint64_t hops = 0;         ///< total length of the paths
  std::uint64_t minimal = 0;      ///< transfers whose path is a shortest one from its port
  std::uint64_t own_port = 0;     ///< transfers through the port of their die's channel
  std::uint64_t scout_steps = 0;  ///< forward and back
  std::uint64_t bytes = 0;        ///< data, in and out
  std::uint64_t byte_hops = 0;    ///< bytes times links crossed
  std::uint32_t links = 0;        ///< number of links
  Picoseconds link_time = 0;      ///< total time that links were in use
  Picoseconds busiest_link = 0;   ///< longest time in use of any link
};

/// One binding a die on either side. Models on either side need not know the topology: one bus a channel (BusWires), or
/// a network that all channels share (FlashNetwork).
class FlashWires {
 public:
  virtual ~FlashWires() = default;

  virtual OnfiTargetSocket& from_controller(Die die) = 0;
  virtual OnfiInitiatorSocket& to_die(Die die) = 0;

  /// Makes all decisions before `now` for a channel's dies; call it before reading meters, counters or instants.
  virtual void settle(Channel channel, Picoseconds now) = 0;
  /// Power fails at `at`, the kernel's now: see OnfiChannel::power_cut().
  virtual void power_cut(Picoseconds at) = 0;
  /// Predicted instant of a channel's next bus grant: see OnfiChannel::next_decision(). std::logic_error if channels do
  /// not arbitrate separately.
  virtual Picoseconds next_decision(Channel channel) const = 0;
  /// Use of a channel's bus, or of its controller's port, in [0, now).
  virtual BusTime bus_time(Channel channel, Picoseconds now) = 0;
  /// From now on `observer` is told every phase of the commands to a channel's dies. Only while none is under way
  /// (std::logic_error).
  virtual void attach(Channel channel, OnfiObserver& observer) = 0;
  /// Number of wakes by the clock.
  virtual std::uint64_t wakes() const = 0;
  /// Statistics since the last forget_use(); null if each channel has a bus of its own.
  virtual const NetworkUse* use(Picoseconds now) = 0;
  virtual void forget_use(Picoseconds now) = 0;

  /// Figures of the meters of kind "channel".
  static PowerFigures power_figures(const NandConfig& config);
};

/// Topology by nand.network.topology. Creates the modules in the caller's hierarchy; meters go to `ledger` unless null.
std::unique_ptr<FlashWires> make_flash_wires(const NandConfig& config, const NandGeometry& geometry,
                                             const NandTiming& timing, AlarmClock& clock, EnergyLedger* ledger);

}  // namespace flashloom
