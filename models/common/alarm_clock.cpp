#include "models/common/alarm_clock.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

AlarmClock::AlarmClock(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

std::uint32_t AlarmClock::add(Alarm& alarm) {
  alarms_.push_back(&alarm);
  due_.push_back(kNever);
  return static_cast<std::uint32_t>(alarms_.size() - 1);
}

void AlarmClock::set(std::uint32_t number, Picoseconds at) {
  const Picoseconds before = std::exchange(due_[number], at);
  if (waking_) {
    more_ |= at <= kernel_now();
    others_moved_ |= number != woken_;
    return;
  }
  if (at < notified_ || before == notified_) notify(earliest());
}

// Finds the next alarm time in the same scan, unless a woken alarm moved one that was already scanned.
void AlarmClock::wake() {
  const Picoseconds now = kernel_now();
  notified_ = kNever;
  waking_ = true;
  others_moved_ = false;
  const auto alarms = static_cast<std::uint32_t>(due_.size());
  Picoseconds next = kNever;
  do {
    more_ = false;
    next = kNever;
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < alarms; ++i) {
      if (due_[i] <= now) [[unlikely]] {
        due_[i] = kNever;
        woken_ = i;
        alarms_[i]->on_alarm();
      }
      next = std::min(next, due_[i]);
    }
  } while (more_);
  waking_ = false;
  notify(others_moved_ ? earliest() : next);
}

Picoseconds AlarmClock::earliest() const {
  Picoseconds next = kNever;
  for (const Picoseconds due : due_) next = std::min(next, due);
  return next;
}

void AlarmClock::notify(Picoseconds next) {
  if (next == notified_) return;
  if (next > notified_) cancel();
  notified_ = next;
  if (next != kNever) notify_at(next);
}

}  // namespace flashloom
