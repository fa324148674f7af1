// Hands commands over to the flash controllers of several channels, one after the other.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "controllers/flash/flash_controller.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

/// NandConfig::channel_switch_time: the starts of two commands on different channels lie at least so far apart; on the
/// same channel they may follow at once. Commands keep their order, so one that waits for its channel stops those
/// behind it. (Yoo et al., "SSD characterization: from energy consumption's perspective", HotStorage 2011, measure such
/// a delay; this is how the simulator of the same group has it: Yoo et al., "VSSIM", MSST 2013.)
///
/// A command passes the switch once, when firmware submits it: the second half of a copyback, and the resumption of a
/// suspended operation, do not pass it again.
class ChannelSwitch final : public sc_core::sc_module, private Timer {
 public:
  /// `time` > 0. Commands for `dies` dies.
  ChannelSwitch(const sc_core::sc_module_name& name, Picoseconds time, std::uint32_t dies);

  /// For `position` on the channel of `controller`: at once, or as soon as it may.
  void submit(FlashController& controller, std::uint32_t position, OnfiCommand& command);

  /// Groups of `die` that wait here.
  std::uint32_t waiting(Die die) const { return by_die_[die.value()]; }
  /// Commands that wait here.
  std::uint64_t waiting() const;

  /// Power fails: drops all waiting commands.
  void power_cut();

 private:
  struct Entry {
    FlashController* controller;
    std::uint32_t position;
    OnfiCommand* command;
    Picoseconds submitted;
  };

  void on_timer() override { hand_over(); }
  void hand_over();

  Picoseconds time_;
  std::deque<Entry> queue_;
  std::vector<std::uint32_t> by_die_;
  const FlashController* last_ = nullptr;  // had the last command
  Picoseconds handed_ = 0;                 // when
  TimerQueue timers_;
};

}  // namespace flashloom
