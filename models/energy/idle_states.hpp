// Low-power states that a component enters by idling: a shallow one and a deep one, worked out when the idle time is
// over.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

/// Books the states of an idle component, without an event: between two uses it draws the power of state 0 of its
/// meter, and from the instants that its owner gives, the shallow and then the deep state, until the next use.
class IdleStates {
 public:
  /// Entry instants if no use comes before; kNever: not entered. The deep state ends the shallow one.
  struct Entries {
    Picoseconds shallow = kNever;
    Picoseconds deep = kNever;
  };
  enum class In : std::uint8_t { Idle, Shallow, Deep };

  /// `shallow` and `deep`: the states' numbers in the meter.
  IdleStates(std::uint32_t shallow, std::uint32_t deep) : shallow_(shallow), deep_(deep) {}

  /// Books idle time up to `until` that is not booked yet; returns the state right before `until`.
  In settle(EnergyMeter& meter, const Entries& entries, Picoseconds until) {
    const Picoseconds deep = std::max(entries.deep, booked_);
    const Picoseconds shallow = std::max(entries.shallow, booked_);
    if (shallow < std::min(deep, until)) meter.busy(shallow_, shallow, std::min(deep, until));
    if (deep < until) meter.busy(deep_, deep, until);
    booked_ = std::max(booked_, until);
    return entries.deep < until ? In::Deep : entries.shallow < until ? In::Shallow : In::Idle;
  }
  /// The component is in use, or off, until `at`: nothing is booked before.
  void used_until(Picoseconds at) { booked_ = std::max(booked_, at); }
  /// Bookings after `now` were taken back.
  void cut(Picoseconds now) { booked_ = std::min(booked_, now); }

 private:
  std::uint32_t shallow_;
  std::uint32_t deep_;
  Picoseconds booked_ = 0;
};

/// `at` + `time`; kNever for a time of 0, which means never.
inline Picoseconds entry_after(Picoseconds at, Picoseconds time) { return time == 0 ? kNever : at + time; }

}  // namespace flashloom
