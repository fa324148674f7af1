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
/// Operations of one die that overlap (NandOverlap; onfi_channel_overlap.cpp), each a die at a time:
///  * Cache program: a program may arrive while another one is in the array. Its data come in meanwhile; its array
///  starts
///    when the other is done, tPCBSY later.
///  * Cache read: a read may arrive while another one is under way. In the turn of the other's data-out its command
///    cycles (31h) go first, and tRCBSY later the other's data may go, while the array works for the second. A page
///    that was read so and has no follower of its own goes to the cache register by a command (3Fh), and tRCBSY.
///  * Suspension: a read may arrive while a program or an erase is under way. When the array has worked for
///    suspend_interval, a suspend command is granted before all else, and so is the read, suspend_time later. When it
///    is complete, the controller hands over further reads, or the suspended command again, which goes on after its
///    resume command for what was left and resume_time. An array that would be done before it stood is let finish. A
///    loaded cache register is not disturbed: then the read comes next.
///  * Independent plane reads: reads may arrive while others are under way (the die checks that each has plane groups of
///    its own), and are served as those of different dies. Beside a read that is to interrupt, they begin with it.
///  * Status polling: an array is known to be done by the end of the first status read that ends behind it; each takes
///    the bus, before all but suspend commands.
///
/// Way switches (NandTiming::way_switch_time): where a grant goes to another way than the one before, the chip enables
/// change first, from the instant of the grant on; the wires are taken, nothing moves on them, and nothing is drawn.
/// OnfiCommand::at begins with the cycles. The first grant finds its way selected.
///
/// Pages read together (OnfiCommand::together) arrive as their first one, and share its command cycles and array time.
/// Each one's data-out, with the cycles that select its plane, is a grant of its own, by the instant the array was
/// done.
class OnfiChannel final : public sc_core::sc_module, private Alarm {
 public:
  static constexpr std::uint32_t kProgramBound = 8;
  static constexpr Picoseconds kPatience = 100 * kMicrosecond;

  /// `clock` wakes the channel, and may serve others. `meter` with the states of power_figures(), or null.
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

  /// When it decides next who gets the wires, as far as is known; kNever: not before something arrives or completes. Not
  /// before that instant has passed can another array be known to begin.
  Picoseconds next_decision() const;

  /// Use of the bus in [0, now).
  BusTime bus_time(Picoseconds now);

  /// Times that the clock woke the channel.
  std::uint64_t wakes() const { return wakes_; }

  /// States of a channel's meter: idle (nothing drawn), transfer. By capacitance: idle, command, data, and the operation
  /// "byte", bytes of data on the bus.
  static PowerFigures power_figures(const NandConfig& config);

 private:
  enum class State : std::uint8_t { Empty, Waiting, Array, Transfer };

  using Work = CommandWork;
  /// What the channel knows of one die: the command whose array or data come first. Dies whose plane groups read by
  /// themselves have a slot for each further read, `position` and a multiple of the number of dies.
  struct Slot : Work {
    State state = State::Empty;
    std::uint32_t position = 0;  ///< of its die on the channel
  };
  enum class Due : std::uint8_t { None, Suspend, Begin, Resume };
  /// The rest of what it knows, of dies whose operations may overlap.
  struct Overlap {
    Work behind;                        ///< a cached command
    bool loaded = false;                ///< `behind` is a program, and its data are in the cache register
    Picoseconds behind_begin = 0;       ///< `loaded`: when the array will begin with it
    bool started = false;               ///< `behind` is a read that the array works for, or has
    Picoseconds turn = 0;               ///< of `behind` or `intruder`, among commands that wait for the bus
    Picoseconds behind_ready = kNever;  ///< `started`: it is known to be done
    bool in_page_register = false;      ///< of the slot's read: its data, once its array is done
    bool moved = false;                 ///< or no longer
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
  // Indices of slots: waiting for the bus by arrival and urgency (first class, third class); reads by the end of their
  // array times; programs and erases by theirs, which is their completion.
  SortedRing short_commands_;
  SortedRing programs_;
  SortedRing reads_;
  SortedRing arrays_;
  std::vector<Overlap> overlaps_;   // by slot; none if nothing overlaps, and the bus knows commands and data only
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

// Of every command: here, so that the compiler can see through them wherever one begins.

/// Grants the bus to the slot at `from`; returns when its cycles begin. `bytes`: of page data, that go in the data
/// cycles.
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

/// The array of the slot's command is known to be done at `ready`; what moves no data is complete then.
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

/// The array begins to work for the slot's command. `told`: observers know already.
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
