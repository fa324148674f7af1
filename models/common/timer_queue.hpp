// Many timers on one kernel event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <type_traits>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// The kernel keeps its time in one place for the life of the process: looked up once, before main(), since every stage
/// of every command asks.
inline const sc_core::sc_time& kernel_clock = sc_core::sc_time_stamp();
/// The kernel's time, in its ticks of 1 ps.
[[gnu::always_inline]] inline Picoseconds kernel_now() { return kernel_clock.value(); }
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

/// Something that wants to be called at a time.
class Timer {
 public:
  virtual void on_timer() = 0;

 protected:
  ~Timer() = default;
};

/// Calls timers at their times, those of equal times in the order in which they were scheduled, from one method
/// process with one event: a heap instead of the kernel's event queue. A timer may be scheduled several times.
class TimerQueue : public sc_core::sc_module {
 public:
  /// Fatal error (SC_REPORT_FATAL) unless the kernel's resolution is 1 ps.
  explicit TimerQueue(const sc_core::sc_module_name& name);

  /// Calls `timer` at `at`. `at` = now runs in this delta cycle when called from a timer, else in the next. Fatal error
  /// when `at` is past.
  void schedule(Timer& timer, Picoseconds at);

  /// Forgets all timers (a power cut).
  void cancel_all();

  /// When the next timer is due; kNever if there is none.
  Picoseconds next() const { return heap_.empty() ? kNever : heap_.front().at; }
  std::size_t size() const { return heap_.size(); }
  /// Times that the kernel woke the queue.
  std::uint64_t wakes() const { return wakes_; }

 private:
  struct Entry {
    Picoseconds at;
    std::uint64_t order;
    Timer* timer;
    // One wide comparison, without a branch: what comes first in a heap cannot be predicted.
    __extension__ using Key = unsigned __int128;
    Key key() const { return Key{at} << 64 | order; }
    bool before(const Entry& other) const { return key() < other.key(); }
  };

  [[gnu::cold]] static void refuse(Picoseconds at);
  void wake();
  void notify();
  void sift_up(std::size_t i);
  Entry pop();

  sc_core::sc_event event_;
  std::vector<Entry> heap_;  // 4-ary: half the depth of a binary one, children in one or two cache lines
  std::uint64_t order_ = 0;
  Picoseconds notified_ = kNever;  // when the event is due
  bool waking_ = false;
  std::uint64_t wakes_ = 0;
};

}  // namespace flashloom
