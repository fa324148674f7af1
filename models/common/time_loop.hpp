// The model's instants on one kernel event, and its time, which may run ahead of the kernel's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <type_traits>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Where the model's time stands: the kernel's own, which it keeps in one place for the life of the process, or the
/// TimeLoop's while the model runs ahead of the kernel (TimeLoop::run). Every stage of every command reads it.
inline const sc_core::sc_time* model_clock = &sc_core::sc_time_stamp();
/// The model's time, in the kernel's ticks of 1 ps.
[[gnu::always_inline]] inline Picoseconds kernel_now() { return model_clock->value(); }
/// A time as the kernel has it. sc_time::from_value() is the same, but a call into the kernel's library, which is dear
/// for something that every access to a memory needs twice. An sc_time holds its ticks and nothing else, as its
/// standard layout says; its resolution is fixed by then, see TimerQueue.
[[gnu::always_inline]] inline sc_core::sc_time kernel_time(Picoseconds time) {
  static_assert(std::is_standard_layout_v<sc_core::sc_time> &&
                sizeof(sc_core::sc_time) == sizeof(sc_core::sc_time::value_type));
  sc_core::sc_time result;
  reinterpret_cast<sc_core::sc_time::value_type&>(result) = time;
  return result;
}

class TimeLoop;

/// What a method process with one event of its own is to the kernel: notified for a time, then woken.
class TimedProcess {
 public:
  TimedProcess();
  TimedProcess(const TimedProcess&) = delete;
  TimedProcess& operator=(const TimedProcess&) = delete;

 protected:
  virtual ~TimedProcess();
  /// As sc_event::notify: `at` = now is the next delta cycle, and of several times the earliest holds.
  void notify_at(Picoseconds at);
  /// As sc_event::cancel.
  void cancel();

 private:
  friend class TimeLoop;
  enum class Pending : std::uint8_t { None, Delta, Timed };

  virtual void wake() = 0;

  TimeLoop& loop_;
  Picoseconds at_ = 0;       // Timed
  std::uint64_t entry_ = 0;  // Timed: number of the queue's entry that holds
  Pending pending_ = Pending::None;
  bool runnable_ = false;
};

/// The one of this process: all TimedProcesses of the model, woken as the kernel would wake them (evaluation, delta
/// notification, time step; IEEE 1666-2011, 4.2), in the same order, from one method process with one event. So a
/// wake costs a few comparisons in place of the kernel's general machinery.
///
/// Under sc_start() it goes to the next delta cycle and to the next time through the kernel, and other processes have
/// their turns between. Under run() it goes through as many as it can without returning to the kernel: its local time
/// (kernel_now()) is then ahead of sc_time_stamp(), as with TLM-2.0's temporal decoupling, but nothing is approximated,
/// for there is nobody else: run() is for models that have no process of their own beside it.
class TimeLoop final : public sc_core::sc_module {
 public:
  /// Made when it is first asked for, which must be before the simulation starts.
  static TimeLoop& instance();

  /// sc_start() until somebody pauses, or nothing is left to do. The model may run ahead.
  void run();
  /// The same until `time` has passed: as sc_start(time, SC_RUN_TO_TIME), before what is due then.
  void run_for(Picoseconds time);
  /// sc_pause(), of what runs ahead, too: what is runnable in this delta cycle still runs.
  static void pause();

  /// Of a process that is being woken: nothing else is due at this time.
  bool quiet();
  /// When something is due next, the process itself included; kNever: nothing is.
  Picoseconds next();

  /// Delta cycles in which something was woken.
  std::uint64_t cycles() const { return cycles_; }

 private:
  friend class TimedProcess;

  // The kernel's own queue (sc_ppq) in its form, so that equal times come in the same order: a binary heap whose
  // entries stay in it when they are cancelled.
  struct Entry {
    Picoseconds at;
    std::uint64_t number;
    TimedProcess* process;  // null: of one that is no more
    bool holds() const { return process != nullptr && process->entry_ == number; }
  };

  explicit TimeLoop(const sc_core::sc_module_name& name);

  void notify(TimedProcess& process, Picoseconds at);
  void cancel(TimedProcess& process);
  void forget(TimedProcess& process);
  void notify_now(TimedProcess& process);
  void insert(const Entry& entry);
  Entry take_first();
  void lengthen_queue();
  void drop_cancelled();
  void trigger(TimedProcess& process);
  void trigger_due(Picoseconds now);
  void trigger_delta();
  void evaluate();
  bool finish_time();
  void run_ahead();
  void wake();
  void ask_kernel();
  void follow_kernel();

  sc_core::sc_event event_;
  std::size_t room_ = 64;     // entries that fit in the queue
  std::vector<Entry> queue_;
  std::size_t queued_ = 0;    // entries in it
  std::uint64_t entries_ = 0;  // ever
  std::vector<TimedProcess*> delta_;
  std::vector<TimedProcess*> runnable_;
  std::vector<TimedProcess*> running_;
  Picoseconds asked_ = kNever;  // when the kernel is to wake the loop
  Picoseconds limit_ = 0;       // run ahead of the kernel before it
  sc_core::sc_time ahead_;      // the model's time while it runs ahead
  bool waking_ = false;
  bool paused_ = false;
  std::uint64_t cycles_ = 0;
};

}  // namespace flashloom
