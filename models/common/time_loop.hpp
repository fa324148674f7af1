// Runs all timed processes of the model on one kernel event, with a model time that may run ahead of the kernel's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <type_traits>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Points to the current time: the kernel's own, which stays at one address for the life of the process, or that of the
/// TimeLoop while the model runs ahead of the kernel (TimeLoop::run). One pointer, since every stage of every command
/// reads it.
inline const sc_core::sc_time* model_clock = &sc_core::sc_time_stamp();
/// The model's time, in the kernel's ticks of 1 ps.
[[gnu::always_inline]] inline Picoseconds kernel_now() { return model_clock->value(); }
/// Converts a time to sc_time. sc_time::from_value() does the same, but is a library call, too slow for memory
/// accesses, which need two each. An sc_time of standard layout holds its ticks and nothing else; its resolution is
/// fixed by then, see TimerQueue.
[[gnu::always_inline]] inline sc_core::sc_time kernel_time(Picoseconds time) {
  static_assert(std::is_standard_layout_v<sc_core::sc_time> &&
                sizeof(sc_core::sc_time) == sizeof(sc_core::sc_time::value_type));
  sc_core::sc_time result;
  reinterpret_cast<sc_core::sc_time::value_type&>(result) = time;
  return result;
}

class TimeLoop;

/// Equivalent of a method process with one event of its own: notified for a time, then woken.
class TimedProcess {
 public:
  TimedProcess();
  TimedProcess(const TimedProcess&) = delete;
  TimedProcess& operator=(const TimedProcess&) = delete;

 protected:
  virtual ~TimedProcess();
  /// Like sc_event::notify: `at` = now means the next delta cycle; the earliest of several notifications holds.
  void notify_at(Picoseconds at);
  /// Like sc_event::cancel.
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

/// Singleton that wakes all TimedProcesses of the model as the kernel would (evaluation, delta notification, time step;
/// IEEE 1666-2011, 4.2), in the same order, from one method process with one event. So a wake costs a few comparisons
/// instead of the kernel's general scheduling.
///
/// Under sc_start() it advances to the next delta cycle and the next time through the kernel, and other processes run
/// in between. Under run() it advances as far as it can without returning to the kernel: its local time (kernel_now())
/// is then ahead of sc_time_stamp(), as with TLM-2.0's temporal decoupling, but exact, provided that the model has no
/// other processes.
class TimeLoop final : public sc_core::sc_module {
 public:
  /// Created at the first call, which must come before the simulation starts.
  static TimeLoop& instance();

  /// sc_start() until a pause, or until nothing is left to do. The model may run ahead.
  void run();
  /// Same, until `time` has passed: like sc_start(time, SC_RUN_TO_TIME), it stops before what is due then.
  void run_for(Picoseconds time);
  /// sc_pause(), also for a model that runs ahead: what is runnable in this delta cycle still runs.
  static void pause();

  /// For a process that is being woken: whether nothing else is due at this time.
  bool quiet();
  /// Time of the next wake, including those of the calling process; kNever: none.
  Picoseconds next();

  /// Delta cycles in which something was woken.
  std::uint64_t cycles() const { return cycles_; }

 private:
  friend class TimedProcess;

  // Works like the kernel's own queue (sc_ppq), so that equal times come in the same order: a binary heap in which
  // cancelled entries remain.
  struct Entry {
    Picoseconds at;
    std::uint64_t number;
    TimedProcess* process;  // null: the process no longer exists
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
  std::size_t room_ = 64;  // entries that fit in the queue
  std::vector<Entry> queue_;
  std::size_t queued_ = 0;     // entries in use
  std::uint64_t entries_ = 0;  // entries made so far
  std::vector<TimedProcess*> delta_;
  std::vector<TimedProcess*> runnable_;
  std::vector<TimedProcess*> running_;
  Picoseconds asked_ = kNever;  // when the kernel is to wake the loop
  Picoseconds limit_ = 0;       // runs ahead of the kernel only to before this time
  sc_core::sc_time ahead_;      // the model's time while it runs ahead
  bool waking_ = false;
  bool paused_ = false;
  std::uint64_t cycles_ = 0;
};

}  // namespace flashloom
