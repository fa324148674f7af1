// The wires of one channel, shared by its dies: a half-duplex bus.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/channel/bus_time.hpp"
#include "models/channel/command_work.hpp"
#include "models/channel/phase_feed.hpp"
#include "models/channel/sorted_ring.hpp"
#include "models/common/alarm_clock.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_ports.hpp"

namespace flashloom {

/// Commands come in on `from_controller`, one binding and one command at a time a die, and go out on `to_die`.
///
/// Arbitration, whenever the bus is free (a grant is never preempted):
///  1. command cycles of a read or an erase: short, and they start an array operation that overlaps with bus use;
///  2. data-out of the die that has been ready longest: a host waits for it, and it frees the die;
///  3. program (command and data-in): tPROG dominates, so waiting costs little.
/// First come, first served within a class, where a command's arrival is counted OnfiCommand::urgency x kPatience later
/// than it is: urgent commands pass others, whose wait stays bounded. Simultaneous arrivals are served in call order,
/// dies that become ready at one instant in grant order. A program that kProgramBound data-outs have passed goes before
/// the next data-out.
///
/// Lazy and exact: only completions wake the channel, through one alarm. Decisions in between are committed afterwards,
/// in time order, when the channel is next used: a decision at an instant must know all commands that arrived at or
/// before it, so it is made once time has passed that instant. At each arrival or completion the channel predicts the
/// next completion, assuming no further arrivals, and sleeps until then. OnfiCommand::at holds the instants of the
/// phases, kNever until they are known. END_RESP goes to the die (which carries the command out), then to the
/// controller. Completions at one instant are ordered: data-outs first, then arrays in grant order.
///
/// Operations of one die that overlap (NandOverlap; onfi_channel_overlap.cpp), each a die at a time:
///  * Cache program: a program may arrive while another one is in the array. Its data are transferred meanwhile; its
///    array operation starts tPCBSY after the other's end.
///  * Cache read: a read may arrive while another one is under way. Its command cycles (31h) take the other's data-out
///    turn; tRCBSY later the other's data may go out, while the array reads the second page. A page read this way that
///    has no successor is moved to the cache register by a command (3Fh), in tRCBSY.
///  * Suspension: a read may arrive while a program or an erase is under way. Once the array has worked for
///    suspend_interval, a suspend command is granted before all else, and the read suspend_time later. After the read
///    the controller sends further reads, or the suspended command again; that continues after its resume command with
///    the remaining array time plus resume_time. An array operation that would end before it is suspended is completed
///    instead. A loaded cache register is not disturbed: the read then follows the operation.
///  * Independent plane reads: reads may arrive while others are under way (the die checks that their plane groups
///    differ), and are served like reads of different dies. Those next to an interrupting read begin with it.
///  * Status polling: the controller learns that an array is done at the end of the first status read that ends after
///    it; each status read takes the bus, before all but suspend commands.
///
/// Way switches (NandTiming::way_switch_time): a grant to another way than the previous one begins with the change of
/// the chip enables; the bus is occupied, moves nothing and draws nothing. OnfiCommand::at starts with the cycles that
/// follow. The first grant of all needs no switch.
///
/// Pages read together (OnfiCommand::together) arrive as their first command, and share its command cycles and array
/// time. Each data-out, with the cycles that select its plane, is a separate grant, ordered by the end of the array
/// time.
class OnfiChannel final : public sc_core::sc_module, private Alarm {
 public:
  static constexpr std::uint32_t kProgramBound = 8;
  static constexpr Picoseconds kPatience = 100 * kMicrosecond;

  /// `clock` wakes the channel, and may be shared. `meter` has the states of power_figures(), or is null.
  OnfiChannel(const sc_core::sc_module_name& name, const NandTiming& timing, std::uint32_t dies, AlarmClock& clock,
              EnergyMeter* meter = nullptr);

  sc_core::sc_vector<OnfiTargetSocket> from_controller;
  sc_core::sc_vector<OnfiInitiatorSocket> to_die;

  /// From now on `observer` is told every phase. Only while no command is under way (std::logic_error).
  void attach(OnfiObserver& observer);

  /// Commits all decisions before `now`; call it before reading meters, counters or instants.
  void settle(Picoseconds now);

  /// Power fails at `at`, which is now: commands that complete at `at` are carried out but not reported; all others are
  /// dropped. Call the dies' power_cut() afterwards.
  void power_cut(Picoseconds at);

  /// Predicted instant of the next bus grant; kNever: none before the next arrival or completion. No further array
  /// operation is known to begin before that instant has passed.
  Picoseconds next_decision() const;

  /// Use of the bus in [0, now).
  BusTime bus_time(Picoseconds now);

  /// Times that the clock woke the channel.
  std::uint64_t wakes() const { return wakes_; }

  /// States of a channel's meter: idle (draws nothing), transfer. With the capacitance model: idle, command, data, and
  /// the operation "byte", a byte of data on the bus.
  static PowerFigures power_figures(const NandConfig& config);

 private:
  enum class State : std::uint8_t { Empty, Waiting, Array, Transfer };

  using Work = CommandWork;
  /// What the channel knows of one die: the command whose array time or data-out comes first. Dies with independent
  /// plane reads have one further slot per read, at `position` + a multiple of the number of dies.
  struct Slot : Work {
    State state = State::Empty;
    std::uint32_t position = 0;  ///< of the slot's die on the channel
  };
  enum class Due : std::uint8_t { None, Suspend, Begin, Resume };
  /// Further state of dies whose operations may overlap.
  struct Overlap {
    Work behind;                        ///< a cached command
    bool loaded = false;                ///< `behind` is a program, and its data are in the cache register
    Picoseconds behind_begin = 0;       ///< `loaded`: when its array time will begin
    bool started = false;               ///< `behind` is a read whose array time has begun
    Picoseconds turn = 0;               ///< of `behind` or `intruder`, among commands that wait for the bus
    Picoseconds behind_ready = kNever;  ///< `started`: when it is known to be done
    bool in_page_register = false;      ///< the slot's read has its data there once its array time ends
    bool moved = false;                 ///< ... and they have gone on to the cache register
    Work intruder;                      ///< a read that is to interrupt the slot's program or erase
    Work held;                          ///< suspended
    Picoseconds held_left = 0;          ///< array time that it still needs
    Picoseconds running_since = 0;      ///< the array: last begin or resumption
    Due due = Due::None;                ///< what the entry in due_ is for
  };

  /// The controller's end of one binding.
  struct Port final : OnfiTarget {
    OnfiChannel* channel = nullptr;
    std::uint32_t index = 0;
    tlm::tlm_sync_enum nb_transport_fw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  };

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[noreturn, gnu::cold]] void refuse(const char* why) const;
  void arrive(std::uint32_t index, OnfiCommand& command, Picoseconds now);
  std::uint32_t free_slot(std::uint32_t position, const OnfiCommand& command) const;
  void commit_until(Picoseconds now);
  void grant(Picoseconds at);
  void start(std::uint32_t index, Picoseconds at);
  void send_data(Picoseconds at);
  Picoseconds occupy(std::uint32_t index, Picoseconds from, Picoseconds command, Picoseconds data, std::uint32_t bytes);
  void count_bytes(Picoseconds from, Picoseconds data_begin, std::uint32_t bytes);
  Picoseconds turned_to(std::uint32_t index, Picoseconds at) const;
  OnfiCommand& finish(std::uint32_t index);
  void await_data(std::uint32_t index, Picoseconds ready);
  void respond(std::uint32_t index);
  Picoseconds next_completion(Picoseconds now) const;
  void sleep(Picoseconds now);
  void on_alarm() override;
  Work work_of(OnfiCommand& command) const { return {command, timing_}; }
  void run_array(std::uint32_t index, Picoseconds begin, bool told = false);
  void call_die(std::uint32_t index, OnfiCommand& command, Picoseconds array_time, bool told = false);

  // onfi_channel_overlap.cpp: what only channels with overlaps_ do.
  bool arrive_overlapping(std::uint32_t index, OnfiCommand& command, Picoseconds now);
  Picoseconds next_instant() const;
  bool grant_instant(Picoseconds at);
  void join_reads(std::uint32_t index, OnfiCommand& command, Picoseconds now);
  template <class F>
  void for_each_beside(std::uint32_t index, F&& f) const;
  void plan(std::uint32_t index, Due due, Picoseconds at);
  void plan_suspension(std::uint32_t index, Picoseconds now);
  void suspend(std::uint32_t index, Picoseconds at);
  void resume(std::uint32_t index, Picoseconds at);
  void poll(std::uint32_t index, Picoseconds at);
  void load_behind(std::uint32_t index, Picoseconds at);
  bool move_register(std::uint32_t index, Picoseconds at);
  void array_started(std::uint32_t index);
  void promote(std::uint32_t index);
  Picoseconds earliest_completion(Picoseconds now) const;

  const NandTiming& timing_;
  EnergyMeter* meter_;
  bool counts_bytes_;
  std::unique_ptr<Port[]> ports_;
  DieEnd die_end_;
  AlarmClock& clock_;
  std::uint32_t alarm_;
  std::vector<Slot> slots_;
  // Slot indices. Waiting for the bus, by arrival and urgency: short_commands_ (class 1) and programs_ (class 3). By
  // the end of the array time: reads; programs and erases, for which it is the completion.
  SortedRing short_commands_;
  SortedRing programs_;
  SortedRing reads_;
  SortedRing arrays_;
  std::vector<Overlap> overlaps_;   // by slot; empty if nothing overlaps and the bus carries commands and data only
  SortedRing due_;                  // slots by the instant from which Overlap::due may be granted the bus
  SortedRing polls_;                // and their next status reads
  std::uint32_t selected_ = kNone;  // slot that had the bus last; kept only where way switches take time
  std::uint32_t sending_ = kNone;   // slot whose data-out is on the bus until bus_free_
  Picoseconds bus_free_ = 0;
  Picoseconds committed_ = 0;  // all decisions before this instant are made
  Picoseconds alarm_at_ = kNever;
  std::uint32_t passed_ = 0;  // data-outs that went before the first waiting program
  bool waking_ = false;
  std::uint64_t wakes_ = 0;
  BusTime bus_time_;
  BusGrant last_grant_;
  std::unique_ptr<PhaseFeed> feed_;
};

// Used for every command: inline, so that the compiler can optimise across the call.

/// Grants the bus to the slot at `from`; returns the start of its cycles. `bytes`: page data that the data cycles move.
inline Picoseconds OnfiChannel::occupy(std::uint32_t index, Picoseconds from, Picoseconds command, Picoseconds data,
                                       std::uint32_t bytes) {
  Picoseconds begin = from;
  if (timing_.way_switch_time() != 0) [[unlikely]] {
    begin = turned_to(index, from);
    selected_ = index;
  }
  bus_free_ = begin + command + data;
  bus_time_.command += begin - from + command;
  bus_time_.data += data;
  last_grant_ = {from, begin + command, bus_free_};
  if (counts_bytes_) [[unlikely]]
    count_bytes(begin, begin + command, bytes);
  else if (meter_ != nullptr)
    meter_->busy(1, begin, bus_free_);
  return begin;
}

/// The slot's array is known to be done at `ready`, which completes a command without data-out.
inline void OnfiChannel::await_data(std::uint32_t index, Picoseconds ready) {
  Slot& slot = slots_[index];
  OnfiCommand& command = *slot.command;
  if (slot.sends_data()) {
    reads_.insert(ready, index);
  } else {
    command.at.complete = command.at.data_begin = ready;
    arrays_.insert(ready, index);
  }
}

inline void OnfiChannel::call_die(std::uint32_t index, OnfiCommand& command, Picoseconds array_time, bool told) {
  if (!begin_array(to_die[slots_[index].position], command, array_time)) [[unlikely]]
    refuse("a die is not of its channel's timing");
  if (feed_ != nullptr && !told) [[unlikely]]
    feed_->add(command, OnfiPhase::BeginResponse, command.at.array_end);
}

/// The array starts the slot's command. `told`: observers know of it already.
inline void OnfiChannel::run_array(std::uint32_t index, Picoseconds begin, bool told) {
  Slot& slot = slots_[index];
  slot.state = State::Array;
  slot.command->at.array_begin = begin;
  call_die(index, *slot.command, slot.array_time, told);
  if (overlaps_.empty()) [[likely]]
    await_data(index, begin + slot.array_time);
  else
    array_started(index);
}

}  // namespace flashloom
