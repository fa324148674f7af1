// The wires of one channel, shared by its dies: a half-duplex bus.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/common/alarm_clock.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_ports.hpp"
#include "models/onfi/phase_feed.hpp"
#include "models/onfi/sorted_ring.hpp"

namespace flashloom {

/// Commands come in on `from_controller`, one binding and one command at a time a die, and go out on `to_die`.
///
/// Arbitration, whenever the bus is free (a grant is never broken off):
///  1. command cycles of a read or an erase: short, and they start an array that then works beside the bus;
///  2. data-out of the die that has been ready longest: a host waits for it, and it frees the die;
///  3. program (command and data-in): its array is the slow part, so little is lost by a wait.
/// First come first served within a class, where a command counts as coming OnfiCommand::urgency x kPatience later than
/// it does: an urgent one passes others, which wait a bounded time. Simultaneous arrivals in the order of their calls,
/// dies that become ready at one instant in the order of their grants. A program that kProgramBound data-outs have
/// passed goes before the next.
///
/// Lazy and exact: nothing but a completion wakes the channel, one alarm in all. What happens in between
/// is committed afterwards, in time order, when somebody looks: an instant's decision knows all commands that arrived
/// at or before it, and is therefore made only once time has moved past it. Whenever something arrives or completes,
/// the channel works out the next completion as it will be if nothing more arrives, and sleeps until then. The instants
/// of the phases are in OnfiCommand::at, kNever until they are known; END_RESP is sent to the die (which carries the
/// command out), then to the controller, whatever completes at one instant in the order: data-out, then arrays by the
/// order of their grants.
///
/// Pages read together (OnfiCommand::together) arrive as their first one, and share its command cycles and array time.
/// Each one's data-out, with the cycles that select its plane, is a grant of its own, by the instant the array was
/// done.
class OnfiChannel final : public sc_core::sc_module, private Alarm {
 public:
  static constexpr std::uint32_t kProgramBound = 8;
  static constexpr Picoseconds kPatience = 100 * kMicrosecond;

  /// Time that the wires were in use.
  struct BusTime {
    Picoseconds command = 0;  ///< command and address cycles
    Picoseconds data = 0;     ///< data-in and data-out cycles
  };

  /// `clock` wakes the channel, and may serve others. `meter` with the states of power_states(), or null.
  OnfiChannel(const sc_core::sc_module_name& name, const NandTiming& timing, std::uint32_t dies, AlarmClock& clock,
              EnergyMeter* meter = nullptr);

  sc_core::sc_vector<OnfiTargetSocket> from_controller;
  sc_core::sc_vector<OnfiInitiatorSocket> to_die;

  /// From now on `observer` is told every phase. Only while no command is under way (std::logic_error).
  void attach(OnfiObserver& observer);

  /// Commits what happened before `now`, for those who read meters, counters or instants.
  void settle(Picoseconds now);

  /// Power fails at `at`, the kernel's now: what completes at `at` is still carried out, but not reported; all other
  /// commands are forgotten. The dies' power_cut() comes after.
  void power_cut(Picoseconds at);

  /// Until when the wires are in use, as far as is decided: nothing that waits for them gets them earlier.
  Picoseconds bus_free() const { return bus_free_; }

  /// Use of the bus in [0, now).
  BusTime bus_time(Picoseconds now);

  /// Times that the clock woke the channel.
  std::uint64_t wakes() const { return wakes_; }

  /// States of a channel's meter: idle (nothing drawn), transfer.
  static std::vector<PowerState> power_states(const NandConfig& config);

 private:
  enum class State : std::uint8_t { Empty, Waiting, Array, Transfer };

  /// What the channel knows of one die; of pages read together `command` is the one whose data go next.
  struct Slot {
    OnfiCommand* command = nullptr;
    Picoseconds command_time = 0;
    Picoseconds select_time = 0;  ///< before each data-out of a multi-plane read
    Picoseconds data_time = 0;
    Picoseconds array_time = 0;
    State state = State::Empty;
  };

  /// The controller's end of one binding.
  struct Port final : OnfiTarget {
    OnfiChannel* channel = nullptr;
    std::uint32_t index = 0;
    tlm::tlm_sync_enum nb_transport_fw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  };
  /// The dies' end: they answer on the forward path only.
  struct DieEnd final : OnfiInitiator {
    tlm::tlm_sync_enum nb_transport_bw(OnfiCommand&, tlm::tlm_phase&, sc_core::sc_time&) override;
  };

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[noreturn, gnu::cold]] void refuse(const char* why) const;
  void arrive(std::uint32_t index, OnfiCommand& command, Picoseconds now);
  void commit_until(Picoseconds now);
  void grant(Picoseconds at);
  void start(std::uint32_t index, Picoseconds at);
  void send_data(Picoseconds at);
  void occupy(Picoseconds from, Picoseconds command, Picoseconds data);
  OnfiCommand& finish(std::uint32_t index);
  void await_data(std::uint32_t index);
  void respond(std::uint32_t index);
  Picoseconds next_completion(Picoseconds now) const;
  void sleep(Picoseconds now);
  void on_alarm() override;

  const NandTiming& timing_;
  EnergyMeter* meter_;
  std::unique_ptr<Port[]> ports_;
  DieEnd die_end_;
  AlarmClock& clock_;
  std::uint32_t alarm_;
  std::vector<Slot> slots_;
  // Indices of slots: waiting for the bus by arrival and urgency (first class, third class); reads by the end of their
  // array times; programs and erases by theirs, which is their completion.
  SortedRing short_commands_;
  SortedRing programs_;
  SortedRing reads_;
  SortedRing arrays_;
  std::uint32_t sending_ = kNone;  // slot whose data-out is on the bus until bus_free_
  Picoseconds bus_free_ = 0;
  Picoseconds committed_ = 0;  // all decisions before this instant are made
  Picoseconds alarm_at_ = kNever;
  std::uint32_t passed_ = 0;  // data-outs that went before the first waiting program
  bool waking_ = false;
  std::uint64_t wakes_ = 0;
  BusTime bus_time_;
  std::array<Picoseconds, 3> last_grant_{};  // begin of the last grant, end of its command cycles, its end
  std::unique_ptr<PhaseFeed> feed_;
};

}  // namespace flashloom
