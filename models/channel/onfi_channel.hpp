// The wires of one channel, shared by its dies: a half-duplex bus.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/channel/wire_arbiter.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

struct NandConfig;

/// Arbitration, whenever the bus is free (a grant is never preempted):
///  1. command cycles of a read or an erase: short, and they start an array operation that overlaps with bus use;
///  2. data-out of the die that has been ready longest: a host waits for it, and it frees the die;
///  3. program (command and data-in): tPROG dominates, so waiting costs little.
/// First come, first served within a class, where a command's arrival is counted OnfiCommand::urgency x kPatience later
/// than it is: urgent commands pass others, whose wait stays bounded. Simultaneous arrivals are served in call order,
/// dies that become ready at one instant in grant order. A program that kProgramBound data-outs have passed goes before
/// the next data-out.
///
/// Lazy and exact (LazyArbiter). Completions at one instant are ordered: data-outs first, then arrays in grant order.
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
class OnfiChannel final : public WireArbiter<OnfiChannel, DieSlot> {
 public:
  /// `clock` wakes the channel, and may be shared. `meter` has the states of power_figures(), or is null.
  OnfiChannel(const sc_core::sc_module_name& name, const NandTiming& timing, std::uint32_t dies, AlarmClock& clock,
              EnergyMeter* meter = nullptr);

  /// From now on `observer` is told every phase. Only while no command is under way (std::logic_error).
  void attach(OnfiObserver& observer) { attach_to(feed_, observer); }

  /// Makes all decisions before `now`; call it before reading meters, counters or instants.
  [[gnu::noinline]] void settle(Picoseconds now);  // not on the path of a command

  /// Power fails at `at`, which is now: commands that complete at `at` are carried out but not reported; all others are
  /// dropped. Call the dies' power_cut() afterwards.
  void power_cut(Picoseconds at);

  /// Predicted instant of the next bus grant; kNever: none before the next arrival or completion. No further array
  /// operation is known to begin before that instant has passed.
  Picoseconds next_decision() const;

  /// Use of the bus in [0, now).
  BusTime bus_time(Picoseconds now);

  /// States of a channel's meter: idle (draws nothing), transfer. With the capacitance model: idle, command, data, and
  /// the operation "byte", a byte of data on the bus.
  static PowerFigures power_figures(const NandConfig& config);

 private:
  friend LazyArbiter<OnfiChannel>;
  friend WireArbiter<OnfiChannel, DieSlot>;
  using Work = CommandWork;
  enum class Due : std::uint8_t { None, Suspend, Begin, Resume };
  /// A cache command that follows the slot's command.
  struct Cached : Work {
    bool loaded = false;         ///< a program: its data are in the cache register
    Picoseconds begin = 0;       ///< `loaded`: when its array time will begin
    bool started = false;        ///< a read: its array time has begun
    Picoseconds ready = kNever;  ///< `started`: when it is known to be done
  };
  /// Cache read: where the data of the slot's read are at their turn for the bus.
  struct Registers {
    bool in_page_register = false;  ///< once the array time ends; they must be moved
    bool moved = false;             ///< ... and have gone on to the cache register; or need not
  };
  struct Suspended : Work {
    Picoseconds left = 0;  ///< array time that it still needs
  };
  /// Further state of dies whose operations may overlap, by feature. What may be there at a time (R: a read, P: a
  /// program, E: an erase, -: nothing):
  ///
  ///   slot  behind  intruder  held  due
  ///   R     - R     -         -     None                                           cache read
  ///   P     - P     -         -     None                                           cache program
  ///   P E   -       R         -     None (array not begun, or soon done), Suspend  to be suspended
  ///   R     - R     -         P E   Begin (until the array stands), None           suspended
  ///   -     -       -         P E   None, Resume                                   between reads, to be resumed
  ///   -     P       -         P     Resume                                         its cached program has come
  ///   -     -       R         P E   Resume                                         to be suspended again
  struct Overlap {
    Cached behind;
    Registers registers;
    Work intruder;                  ///< suspension: a read that is to interrupt the slot's program or erase
    Suspended held;                 ///< suspension: the program or erase that stands
    Picoseconds running_since = 0;  ///< the array: last begin or resumption
    Due due = Due::None;            ///< what the entry in due_ is for
    Picoseconds turn = 0;           ///< of `behind` or `intruder`, among commands that wait for the bus
  };

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // For LazyArbiter and WireArbiter.
  void decide(Picoseconds at);
  Picoseconds next_completion(Picoseconds now) const;
  void complete(Picoseconds now, bool report = true);
  void enqueue(std::uint32_t die, OnfiCommand& command, Picoseconds now);
  void enqueue_data(std::uint32_t index, Picoseconds ready) { reads_.insert(ready, index); }
  BusGrant occupy(std::uint32_t index, Picoseconds from, Picoseconds command, Picoseconds data, std::uint32_t bytes);
  void array_started(std::uint32_t index);
  void finished(std::uint32_t index);
  PhaseFeed* feed_of(const DieSlot&) const { return feed_.get(); }

  void count_bytes(Picoseconds from, Picoseconds data_begin, std::uint32_t bytes);
  Picoseconds turned_to(std::uint32_t index, Picoseconds at) const;
  Work work_of(OnfiCommand& command) const { return {command, timing_}; }

  // onfi_channel_overlap.cpp: what only channels with overlaps_ do.
  bool enqueue_overlapping(std::uint32_t index, OnfiCommand& command, Picoseconds now);
  Picoseconds next_instant() const;
  bool grant_instant(Picoseconds at);
  void join_reads(std::uint32_t index, OnfiCommand& command, Picoseconds now);
  template <class F>
  void for_each_beside(std::uint32_t index, F&& f) const;
  void plan(std::uint32_t index, Due due, Picoseconds at);
  void plan_suspension(std::uint32_t index, Picoseconds now);
  void suspend(std::uint32_t index, Picoseconds at);
  void resume(std::uint32_t index, Picoseconds at);
  const OnfiCommand& polled(std::uint32_t index) const {
    return overlaps_[index].behind.started ? *overlaps_[index].behind.command : *slots_[index].command;
  }
  void poll(std::uint32_t index, Picoseconds at);
  void load_behind(std::uint32_t index, Picoseconds at);
  bool move_register(std::uint32_t index, Picoseconds at);
  void overlapping_started(std::uint32_t index);
  void promote(std::uint32_t index);
  Picoseconds completion_bound(Picoseconds now) const;

  EnergyMeter* meter_;
  bool counts_bytes_;
  // Slot indices, waiting for the bus, by arrival and urgency: class 1, class 3. Class 2 are reads_ that are ready.
  SortedRing short_commands_;
  SortedRing programs_;
  std::vector<Overlap> overlaps_;   // by slot; empty if nothing overlaps and the bus carries commands and data only
  SortedRing due_;                  // slots by the instant from which Overlap::due may be granted the bus
  std::uint32_t selected_ = kNone;  // slot that had the bus last; kept only where way switches take time
  std::uint32_t sending_ = kNone;   // slot whose data-out is on the bus until bus_free_
  Picoseconds bus_free_ = 0;
  std::uint32_t passed_ = 0;  // data-outs that went before the first waiting program
  BusTime bus_time_;
  BusGrant last_grant_;
  std::unique_ptr<PhaseFeed> feed_;
};

// Used for every command: inline, so that the compiler can optimise across the call.

inline BusGrant OnfiChannel::occupy(std::uint32_t index, Picoseconds from, Picoseconds command, Picoseconds data,
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
  return {begin, begin + command, bus_free_};
}

inline void OnfiChannel::array_started(std::uint32_t index) {
  if (overlaps_.empty()) [[likely]]
    await_data(index, slots_[index].command->at.array_end);
  else
    overlapping_started(index);
}

inline void OnfiChannel::finished(std::uint32_t index) {
  if (!overlaps_.empty() && slots_[index].command == nullptr) [[unlikely]]
    promote(index);
}

}  // namespace flashloom
