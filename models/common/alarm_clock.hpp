// A few alarms that are often reset, as one process.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/common/time_loop.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Woken at a time that it may move at will.
class Alarm {
 public:
  virtual void on_alarm() = 0;

 protected:
  ~Alarm() = default;
};

/// Wakes each alarm at its time, ties in order of their numbers. Unlike in TimerQueue an alarm has at most one time,
/// which can be moved and cancelled; setting it costs O(1) or a scan of all alarms, so they should be few. The queue of
/// processes then holds one entry for all alarms.
class AlarmClock : public sc_core::sc_module, private TimedProcess {
 public:
  explicit AlarmClock(const sc_core::sc_module_name& name);

  /// Returns the alarm's number; `alarm` must live as long as the clock runs.
  std::uint32_t add(Alarm& alarm);

  /// Moves alarm `number` to `at` >= now, replacing its previous time; kNever: cancels it. If `at` is now, it is woken
  /// in this delta cycle when called from an alarm, else in the next.
  void set(std::uint32_t number, Picoseconds at);

 private:
  void wake() override;
  Picoseconds earliest() const;
  void notify(Picoseconds next);

  std::vector<Picoseconds> due_;
  std::vector<Alarm*> alarms_;
  Picoseconds notified_ = kNever;  // when the event is due
  std::uint32_t woken_ = 0;        // the last one woken
  bool waking_ = false;
  bool others_moved_ = false;  // an alarm was set while another was woken
  bool more_ = false;          // an alarm was set for now while others were woken
};

}  // namespace flashloom
