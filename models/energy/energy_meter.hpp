// The account of one component: its states and operations are reported here; joules are computed once, at the end.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/booking_log.hpp"
#include "models/energy/energy_report.hpp"
#include "models/energy/power_by_kind.hpp"
#include "models/energy/power_figures.hpp"
#include "models/energy/power_record.hpp"

namespace flashloom {

/// The account of one component (a die, a channel, a DRAM, a core, the link).
///
/// Residency law: the sum over the states of a meter's residencies is the simulated time, exactly. A meter begins in
/// state 0 at time 0. Two ways to report, not to be mixed by one component:
///  * `change(state, at)`: enters `state` at `at`; calls must come in time order;
///  * `busy(state, from, to)`: was in `state` (not 0) during [from, to), else in state 0; intervals of one meter must
///    not overlap, and may come in any order. `to` may lie after now (a reservation).
/// States and operations are given by their index.
class EnergyMeter {
 public:
  using Clock = PowerRecord::Clock;
  /// Intervals ahead that a meter remembers at first, so as to cut them. One that has not ended yet is never forgotten:
  /// where more of them lie ahead, room is made for twice as many.
  static constexpr std::size_t kRemembered = 8;

  /// Throws std::invalid_argument for no state, and for a power or an energy that is negative or not finite. `clock`:
  /// the present instant. `supply`: what is drawn from the supply of the device for each joule of the component.
  EnergyMeter(std::string name, std::string kind, PowerFigures figures, PowerRecord& record, BookingLog& log,
              Clock clock, bool enabled = true, double supply = 1);

  const std::string& name() const { return name_; }
  const std::string& kind() const { return kind_; }

  void change(std::uint32_t state, Picoseconds at) {
    if (!enabled_) return;
    assert(state < state_count_ && at >= since_);
    log_->settle();
    if (current_ != 0) book(current_, since_, at);
    current_ = state;
    since_ = at;
    ++states_[state].intervals;
  }

  // What nearly every booking is comes first, here and in count(): of nobody's interest but the record's, and within its
  // ring, it waits in the log.
  void busy(std::uint32_t state, Picoseconds from, Picoseconds to) {
    assert(state != 0 && state < state_count_ && from <= to);
    if (from < plain_from_ || !record_->holds(from, to)) [[unlikely]]
      return busy_with_care(state, from, to);
    log_->add({from, to, this, state, 0});
  }

  /// Counts `n` operations at `at`, which is not ahead: they are never taken back.
  void count(std::uint32_t operation, std::uint64_t n, Picoseconds at) {
    assert(operation < operation_count_);
    if (at < plain_from_ || !record_->holds(at, at) || !loggable(n)) [[unlikely]]
      return count_with_care(operation, n, at);
    log_->add({at, at, this, operation, static_cast<std::uint32_t>(n)});
  }

  /// Counts `n` operations, one after the other, whose energy is drawn evenly over [from, to), which may lie ahead;
  /// at `from` where that would be more than the record takes as power, as in no time at all.
  void count(std::uint32_t operation, std::uint64_t n, Picoseconds from, Picoseconds to) {
    assert(operation < operation_count_ && from <= to);
    if (from == to) ++to;
    if (from < plain_from_ || !record_->holds(from, to) || !loggable(n)) [[unlikely]]
      return count_with_care(operation, n, from, to);
    log_->add({from, to, this, operation, static_cast<std::uint32_t>(n)});
  }

  /// Power is cut, or the run ends, at `at`: what was reported for later is taken back, operations that would have been
  /// done later included, and the meter is in state 0. Throws std::logic_error when `at` is so far in the past that
  /// intervals which lie after it were forgotten.
  void truncate(Picoseconds at);

  /// Device power is off in [from, to): nothing is drawn; the time is booked in an extra state "off". Truncates at
  /// `from`. A `to` after the end of the run is cut there; calls in time order. One that begins within the last one
  /// makes it longer: devices that share a ledger lose their power together, or one after the other.
  void off(Picoseconds from, Picoseconds to);

  /// The latest end of what was reported: in state 0 from then on, or resting. kNever in another state entered by
  /// change().
  Picoseconds busy_until() const;

  /// What was drawn for it from the supply in [0, now), as far as is known.
  double joules_until(Picoseconds now) const;

  /// What is drawn for it from the supply while it does nothing.
  double idle_watts() const { return enabled_ ? base_ : 0; }
  /// Of what is drawn from the supply, the share that reaches it; the regulators lose the rest.
  double share() const { return 1 / supply_; }

  /// Time in `state` so far, as reported; not for state 0, whose time is the rest.
  Picoseconds residency(std::uint32_t state) const {
    log_->settle();
    return states_[state].residency;
  }
  /// Intervals that there is room for at present.
  std::size_t remembers() const { return recent_.size(); }
  std::uint64_t counted(std::uint32_t operation) const {
    log_->settle();
    return operations_[operation].count;
  }
  std::uint32_t operations() const { return static_cast<std::uint32_t>(operations_.size()); }

 private:
  friend class BookingLog;
  friend class EnergyLedger;
  struct State {
    double extra = 0;  // W above state 0, from the supply, quantised
    Picoseconds residency = 0;
    std::uint64_t intervals = 0;
    Picoseconds until = 0;  // the latest end of an interval that is forgotten
    bool resting = false;
  };
  struct Operation {
    double supplied = 0;  // J from the supply
    std::uint64_t count = 0;
    Picoseconds until = 0;  // as of a state
  };
  struct Interval {
    Picoseconds from = 0;
    Picoseconds to = 0;
    std::uint32_t state = 0;  // or, from state_count_ on, an operation
    std::uint64_t n = 0;      // operations
  };

  // So many as a booking of the log says.
  static bool loggable(std::uint64_t n) { return n - 1 < std::numeric_limits<std::uint32_t>::max(); }
  void settle(const BookingLog::Booking& booking, Picoseconds now, PowerRecord::Inside& record);
  std::uint32_t next_place() const { return (newest_ + 1) & last_place_; }
  void book(std::uint32_t state, Picoseconds from, Picoseconds to);
  void busy_with_care(std::uint32_t state, Picoseconds from, Picoseconds to);
  void count_with_care(std::uint32_t operation, std::uint64_t n, Picoseconds at);
  void count_with_care(std::uint32_t operation, std::uint64_t n, Picoseconds from, Picoseconds to);
  void remember(const Interval& interval);
  void forget(const Interval& interval);
  Picoseconds forgotten_until() const;
  // Watts are PowerTimeline::quantised().
  void draw(Picoseconds from, Picoseconds to, double watts) {
    record_->add_quantised(from, to, watts);
    if (kind_record_ != nullptr) [[unlikely]]
      kind_record_->add(from, to, watts);
  }
  void spend(Picoseconds at, double joules) {
    record_->add_energy(at, joules);
    if (kind_record_ != nullptr) [[unlikely]]
      kind_record_->add_energy(at, joules);
  }
  void spread(Picoseconds from, Picoseconds to, double joules) {
    record_->add_spread(from, to, joules * 1e12);
    if (kind_record_ != nullptr) [[unlikely]]
      kind_record_->add_spread(from, to, joules * 1e12);
  }
  // Of the operations of a burst, those that are done by `at`.
  static std::uint64_t done_by(const Interval& burst, Picoseconds at);
  void cut_burst(Interval& burst, Picoseconds at);
  void record_kind(PowerOfKind& record);
  void book_before(std::uint32_t state, Picoseconds from, Picoseconds to);
  void make_room(std::uint32_t place);
  void begin(Picoseconds at);
  void find_plain() { plain_from_ = enabled_ && kind_record_ == nullptr ? begin_ : kNever; }
  void finish(Picoseconds end);
  ComponentEnergy done() const;

  // What had been booked when the books began.
  struct Before {
    std::vector<State> states;
    std::vector<std::uint64_t> counts;
    Picoseconds off = 0;
  };

  // What each report needs, together.
  bool enabled_;
  std::uint32_t state_count_ = 0;
  std::uint32_t operation_count_ = 0;
  std::uint32_t newest_ = 0;
  std::uint32_t last_place_ = kRemembered - 1;  // of recent_, of which there is a power of two
  Picoseconds plain_from_ = kNever;  // what begins then or later is for the record alone
  Picoseconds begin_ = 0;
  PowerRecord* record_;
  BookingLog* log_;
  PowerOfKind* kind_record_ = nullptr;  // where somebody asked for it
  std::vector<State> states_;
  Picoseconds over_until_ = 0;  // now, when it was last looked at: what ended by then can be forgotten
  std::vector<Interval> recent_;  // round and round, the oldest behind the newest
  std::uint32_t current_ = 0;     // change(): the state, and since when
  Picoseconds since_ = 0;
  std::vector<Operation> operations_;
  double supply_;    // J from the supply for each one drawn
  double base_ = 0;  // W of state 0 from the supply
  Clock clock_;
  Before before_;
  Picoseconds off_ = 0;
  Picoseconds off_from_ = 0;  // the last time off
  Picoseconds off_until_ = 0;
  PowerFigures figures_;
  std::string name_;
  std::string kind_;
};

}  // namespace flashloom
