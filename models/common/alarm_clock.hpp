// A few alarms that are set anew all the time, as one process.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/common/time_loop.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Something that wants to be woken at a time that it moves as it likes.
class Alarm {
 public:
  virtual void on_alarm() = 0;

 protected:
  ~Alarm() = default;
};

/// Wakes each alarm at its time, those of equal times in the order of their numbers. In contrast to TimerQueue an alarm
/// has one time at most, which can be moved and taken back; setting it costs O(1) or a look at all alarms, so they
/// should be few. The queue of processes then holds one instead of one for each, and orders the less.
class AlarmClock : public sc_core::sc_module, private TimedProcess {
 public:
  explicit AlarmClock(const sc_core::sc_module_name& name);

  /// Returns the alarm's number; `alarm` must live as long as the clock runs.
  std::uint32_t add(Alarm& alarm);

  /// `number` is woken at `at` >= now, and at no other time that was set before; kNever: not at all. For now: in this
  /// delta cycle when called from an alarm, else in the next.
  void set(std::uint32_t number, Picoseconds at);

 private:
  void wake() override;
  Picoseconds earliest() const;
  void notify(Picoseconds next);

  std::vector<Picoseconds> due_;
  std::vector<Alarm*> alarms_;
  Picoseconds notified_ = kNever;  // when the event is due
  std::uint32_t woken_ = 0;  // the last one
  bool waking_ = false;
  bool others_moved_ = false;  // one has been set while another was woken
  bool more_ = false;  // an alarm has been set for now while others were woken
};

}  // namespace flashloom
