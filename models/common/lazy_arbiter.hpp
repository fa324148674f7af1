// Makes decisions afterwards, in the right order, and sleeps until something is complete.
#pragma once

#include <cstdint>

#include "models/common/alarm_clock.hpp"
#include "models/common/time_loop.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Base of a model that arbitrates what arrives, and is woken only when something is complete (ADR 2). A decision at an
/// instant must know all that arrived at or before it, so it is made once time has passed that instant, whenever the
/// model is next used. At each arrival or completion the model predicts its next completion, assuming no further
/// arrivals, and sleeps until then.
///
/// `Owner`, derived from this class, calls decide_before(now) and set_alarm(now) around each arrival, and has
///   Picoseconds next_decision() const;                   >= decided(); kNever: none before an arrival or completion
///   void decide(Picoseconds at);                         at next_decision(), of which something is decided thereby
///   Picoseconds next_completion(Picoseconds now) const;  or a lower bound, which costs a wake for nothing
///   void complete(Picoseconds now);                      what is complete by now
template <class Owner>
class LazyArbiter : private Alarm {
 public:
  /// Times that the clock woke it.
  std::uint64_t wakes() const { return wakes_; }

 protected:
  /// `clock` may be shared.
  explicit LazyArbiter(AlarmClock& clock) : clock_(clock), alarm_(clock.add(*this)) {}
  ~LazyArbiter() = default;

  /// All decisions before this instant are made.
  Picoseconds decided() const { return decided_; }

  void decide_before(Picoseconds now) {
    for (;;) {
      const Picoseconds at = owner().next_decision();
      if (at >= now) break;
      decided_ = at;
      owner().decide(at);
    }
    decided_ = now;
  }

  /// Sleeps until the next completion; during complete() it follows by itself.
  void set_alarm(Picoseconds now) {
    if (completing_) return;
    const Picoseconds next = owner().next_completion(now);
    if (next == alarm_at_) return;
    alarm_at_ = next;
    clock_.set(alarm_, next);
  }

  void cancel_alarm() {
    alarm_at_ = kNever;
    clock_.set(alarm_, kNever);
  }

 private:
  void on_alarm() final {
    const Picoseconds now = kernel_now();
    ++wakes_;
    alarm_at_ = kNever;
    completing_ = true;
    decide_before(now);
    owner().complete(now);
    completing_ = false;
    set_alarm(now);
  }

  Owner& owner() { return static_cast<Owner&>(*this); }

  AlarmClock& clock_;
  std::uint32_t alarm_;
  Picoseconds decided_ = 0;
  Picoseconds alarm_at_ = kNever;
  bool completing_ = false;
  std::uint64_t wakes_ = 0;
};

}  // namespace flashloom
