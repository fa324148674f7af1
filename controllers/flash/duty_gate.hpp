// A hot device's duty cycle: when flash commands may begin.
#pragma once

#include "models/common/timer_queue.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Open for a share of each period, from its begin on; periods follow each other from time 0. A command that has begun
/// continues when the gate closes, so a die that always has work begins ceil(duty x period / time of a command)
/// commands in each period, if they fit. It uses its timer only while commands wait.
class DutyGate final : private Timer {
 public:
  /// What waits at the gate.
  class Waiter {
   public:
    /// It is open, now.
    virtual void gate_opened() = 0;

   protected:
    ~Waiter() = default;
  };

  /// Always open at first. `waiter` must outlive it.
  DutyGate(const sc_core::sc_module_name& name, Picoseconds period, Waiter& waiter);

  /// From now on open for this share of the time, above 0; 1: always.
  void set(double duty);
  bool always() const { return open_ == period_; }
  bool open(Picoseconds now) const { return open_ == period_ || now % period_ < open_; }
  /// Somebody waits: the waiter is told when the gate opens.
  void wait();
  /// Nobody waits any more.
  void power_cut();

 private:
  void on_timer() override;

  Picoseconds period_;
  Picoseconds open_;  // of each period
  Waiter& waiter_;
  TimerQueue timers_;
  bool waiting_ = false;
};

}  // namespace flashloom
