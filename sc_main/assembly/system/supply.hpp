// Cuts and restores the power as the device file says; capacitors power the SSD for a while after a cut.
#pragma once

#include "models/common/timer_queue.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "workloads/random.hpp"

namespace flashloom {

class Simulation::Supply final : public sc_core::sc_module, private Timer {
 public:
  Supply(const sc_core::sc_module_name& name, Simulation& simulation);

  /// Whether power is on, and all devices have mounted.
  bool ready() const { return phase_ == Phase::On && !mounting_; }
  /// Moves the next cut to `at`; kNever: no cut. Has no effect while the power is off.
  void cut_at(Picoseconds at, bool orderly);

 private:
  enum class Phase : std::uint8_t { On, HoldUp, Off };

  void on_timer() override;
  void next(Picoseconds at);
  Picoseconds spacing() { return 1 + random_.below(2 * power_.cut_spacing); }
  void fail();
  void shut_down();
  void lose_power();
  void look();
  void cut_off();
  void restore();
  void device_ready();
  void mounted(Picoseconds begin);
  bool exhausted_since_mount() const;

  Simulation& simulation_;
  StackPart* const part_;  // null: none
  const PowerConfig& power_;
  Random random_;
  TimerQueue timers_;
  Phase phase_ = Phase::On;
  bool mounting_ = false;
  bool flushed_ = false;
  std::uint32_t held_ = 0;     // devices on their capacitors that have not flushed
  bool orderly_;               // the next cut comes after an orderly shutdown
  bool stopping_ = false;      // an orderly shutdown is in progress
  bool stopped_ = false;       // the last cut outside a mount came after an orderly shutdown
  std::uint32_t waiting_ = 0;  // devices that do not yet serve
  Picoseconds on_at_ = 0;
};

}  // namespace flashloom
