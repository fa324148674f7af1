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
    return;
  }
  if (at < notified_ || before == notified_) notify();
}

void AlarmClock::wake() {
  const Picoseconds now = kernel_now();
  notified_ = kNever;
  waking_ = true;
  const std::size_t alarms = due_.size();
  do {
    more_ = false;
    for (std::size_t i = 0; i < alarms; ++i) {
      if (due_[i] > now) continue;
      due_[i] = kNever;
      alarms_[i]->on_alarm();
    }
  } while (more_);
  waking_ = false;
  notify();
}

void AlarmClock::notify() {
  Picoseconds next = kNever;
  for (const Picoseconds due : due_) next = std::min(next, due);
  if (next == notified_) return;
  if (next > notified_) cancel();
  notified_ = next;
  if (next != kNever) notify_at(next);
}

}  // namespace flashloom
