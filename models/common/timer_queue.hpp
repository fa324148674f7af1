// Many timers as one process.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/common/time_loop.hpp"
#include "models/common/time_ring.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Called back at a scheduled time.
class Timer {
 public:
  virtual void on_timer() = 0;

 protected:
  ~Timer() = default;
};

/// Calls timers at their times, ties in order of scheduling, from one process: replaces the kernel's event queue.
/// A timer may be scheduled several times.
///
/// Most timers are scheduled after nearly all others: these go into a sorted row, from its end. A timer that would go
/// further than kReach places before the end goes into a heap.
class TimerQueue : public sc_core::sc_module, private TimedProcess {
 public:
  /// Fatal error (SC_REPORT_FATAL) unless the kernel's resolution is 1 ps.
  explicit TimerQueue(const sc_core::sc_module_name& name);

  /// Calls `timer` at `at`. `at` = now runs in this delta cycle when called from a timer, else in the next. Fatal error
  /// when `at` is past.
  void schedule(Timer& timer, Picoseconds at);

  /// Forgets all timers (a power cut).
  void cancel_all();

  /// When the next timer is due; kNever if there is none.
  Picoseconds next() const {
    const Picoseconds in_row = row_.empty() ? kNever : row_.front().at;
    return heap_.empty() ? in_row : std::min(in_row, heap_.front().at);
  }
  std::size_t size() const { return row_.size() + heap_.size(); }
  /// Times that the queue was woken.
  std::uint64_t wakes() const { return wakes_; }

 private:
  static constexpr std::size_t kReach = 16;  // maximum distance of an insertion from the row's end

  struct Entry {
    Picoseconds at;
    std::uint64_t order;
    Timer* timer;
    // One wide comparison without a branch: comparisons in a heap are unpredictable.
    __extension__ using Key = unsigned __int128;
    Key key() const { return Key{at} << 64 | order; }
    bool before(const Entry& other) const { return key() < other.key(); }
  };

  [[gnu::cold]] static void refuse(Picoseconds at);
  /// Its place in the row is more than kReach before the end.
  bool goes_far(Picoseconds at) const { return row_.size() > kReach && row_[row_.size() - 1 - kReach].at > at; }
  void schedule_slow_path(Timer& timer, Picoseconds at);
  void notify_if_earlier(Picoseconds at) {
    if (!waking_ && at < notified_) notify(at);
  }
  void wake() override;
  void notify(Picoseconds at);
  Timer& pop();
  void push_on_heap(const Entry& entry);
  Timer& pop_from_heap();

  TimeRing<Entry> row_{64};
  std::vector<Entry> heap_;  // 4-ary: half the depth of a binary one, children in one or two cache lines
  std::uint64_t order_ = 0;
  Picoseconds notified_ = kNever;  // when the event is due
  bool waking_ = false;
  std::uint64_t wakes_ = 0;
};

}  // namespace flashloom
