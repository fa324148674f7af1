#include "controllers/flash/channel_switch.hpp"

#include <stdexcept>

namespace flashloom {

ChannelSwitch::ChannelSwitch(const sc_core::sc_module_name& name, Picoseconds time, std::uint32_t dies)
    : sc_module(name), time_(time), by_die_(dies), timers_("timers") {
  if (time == 0) throw std::invalid_argument("a channel switch takes time, or is not there");
}

void ChannelSwitch::submit(FlashController& controller, std::uint32_t position, OnfiCommand& command) {
  queue_.push_back({&controller, position, &command, kernel_now()});
  ++by_die_[command.address.die.value()];
  if (queue_.size() == 1) hand_over();
}

void ChannelSwitch::hand_over() {
  const Picoseconds now = kernel_now();
  while (!queue_.empty()) {
    const Entry next = queue_.front();
    if (last_ != nullptr && last_ != next.controller && now < handed_ + time_) {
      timers_.schedule(*this, handed_ + time_);
      return;
    }
    queue_.pop_front();
    --by_die_[next.command->address.die.value()];
    last_ = next.controller;
    handed_ = now;
    next.controller->submit(next.position, *next.command, now - next.submitted);
  }
}

std::uint64_t ChannelSwitch::waiting() const {
  std::uint64_t sum = 0;
  for (const Entry& entry : queue_) for_each_of_group(*entry.command, [&sum](const OnfiCommand&) { ++sum; });
  return sum;
}

void ChannelSwitch::power_cut() {
  queue_.clear();
  by_die_.assign(by_die_.size(), 0);
  last_ = nullptr;
  timers_.cancel_all();
}

}  // namespace flashloom
