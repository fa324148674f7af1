#include "controllers/flash/duty_gate.hpp"

#include <algorithm>

namespace flashloom {

DutyGate::DutyGate(const sc_core::sc_module_name& name, Picoseconds period, Waiter& waiter)
    : period_(period), open_(period), waiter_(waiter), timers_(name) {}

void DutyGate::set(double duty) {
  open_ = std::clamp(static_cast<Picoseconds>(static_cast<double>(period_) * duty), Picoseconds{1}, period_);
  // Who waits for the next period need not any more.
  if (!waiting_ || !open(kernel_now())) return;
  timers_.cancel_all();
  timers_.schedule(*this, kernel_now());
}

void DutyGate::wait() {
  if (waiting_) return;
  waiting_ = true;
  timers_.schedule(*this, (kernel_now() / period_ + 1) * period_);
}

void DutyGate::power_cut() {
  waiting_ = false;
  timers_.cancel_all();
}

void DutyGate::on_timer() {
  waiting_ = false;
  if (open(kernel_now()))
    waiter_.gate_opened();
  else
    wait();
}

}  // namespace flashloom
