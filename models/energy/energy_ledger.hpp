// The energy ledger: every component reports its states and operations here; joules are computed once, at the end.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/common/types.hpp"
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
  /// Initial capacity for intervals that truncate() can cut. An interval that has not ended is never forgotten: if more
  /// of them lie ahead, the capacity doubles.
  static constexpr std::size_t kRemembered = 8;

  /// Throws std::invalid_argument if there is no state, or a power or an energy is negative or not finite. `supply`:
  /// joules drawn from the device's supply for each joule of the component.
  EnergyMeter(std::string name, std::string kind, PowerFigures figures, PowerRecord& record, bool enabled = true,
              double supply = 1);
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  const std::string& name() const { return name_; }
  const std::string& kind() const { return kind_; }

  void change(std::uint32_t state, Picoseconds at) {
    if (!enabled_) return;
    assert(state < state_count_ && at >= since_);
    if (current_ != 0) book(current_, since_, at);
    current_ = state;
    since_ = at;
    ++states_[state].intervals;
  }

  void busy(std::uint32_t state, Picoseconds from, Picoseconds to);

  /// Counts `n` operations at `at`, which must not be in the future: they are never taken back.
  void count(std::uint32_t operation, std::uint64_t n, Picoseconds at) {
    if (!enabled_) return;
    assert(operation < operations_.size());
    operations_[operation].count += n;
    spend(at, static_cast<double>(n) * operations_[operation].supplied);
  }

  /// Counts `n` consecutive operations whose energy is drawn evenly over [from, to), which may lie in the future. The
  /// energy is booked at `from` instead if the power would exceed the record's limit, e.g. for an empty interval.
  void count(std::uint32_t operation, std::uint64_t n, Picoseconds from, Picoseconds to);

  /// Cuts the meter at `at` (power cut or end of run): takes back what was reported for later, including operations not
  /// done by then, and enters state 0. Throws std::logic_error if intervals after `at` have been forgotten.
  void truncate(Picoseconds at);

  /// Device power is off in [from, to): truncates at `from`, draws nothing, and books the time in an extra state "off".
  /// The end of the run cuts a later `to`; calls come in time order. An interval that begins within the previous one
  /// extends it: devices that share a ledger lose power together, or one after the other.
  void off(Picoseconds from, Picoseconds to);

  /// Latest end of the reported intervals, after which the meter is in state 0 or resting. kNever if change() has put
  /// it into another state.
  Picoseconds busy_until() const;

  /// Energy drawn from the supply for this component in [0, now), as far as reported.
  double joules_until(Picoseconds now) const;

  /// Power drawn from the supply for this component in state 0.
  double idle_watts() const { return enabled_ ? base_ : 0; }
  /// Share of the energy drawn from the supply that reaches the component; the regulators lose the rest.
  double share() const { return 1 / supply_; }

  /// Time in `state` as reported so far; not for state 0, whose residency is the remaining time.
  Picoseconds residency(std::uint32_t state) const { return states_[state].residency; }
  /// Present capacity for intervals.
  std::size_t remembers() const { return recent_.size(); }
  std::uint64_t counted(std::uint32_t operation) const { return operations_[operation].count; }
  std::uint32_t operations() const { return static_cast<std::uint32_t>(operations_.size()); }

 private:
  friend class EnergyLedger;
  struct State {
    double extra = 0;  // W above state 0, from the supply, quantised
    Picoseconds residency = 0;
    std::uint64_t intervals = 0;
    bool draws = false;  // changes the power over time; false e.g. for a bus charged byte by byte
    bool resting = false;
  };
  struct Operation {
    double supplied = 0;  // J from the supply
    std::uint64_t count = 0;
  };
  struct Interval {
    Picoseconds from = 0;
    Picoseconds to = 0;
    std::uint32_t state = 0;  // or, from state_count_ on, an operation
    std::uint64_t n = 0;      // operations
  };

  /// Where the next interval goes: in place of the oldest in recent_.
  Interval& next_place() { return newest_ == last_place_ ? recent_.front() : newest_[1]; }
  /// The interval has ended by the instant last read from the clock; reading it again is not needed.
  bool is_over(const Interval& place) const { return place.to <= record_->seen(); }
  Interval& put(Interval& place, std::uint32_t state, Picoseconds from, Picoseconds to) {
    newest_ = &place;
    if (place.to > forgotten_until_) forgotten_until_ = place.to;
    place.from = from;
    place.to = to;
    place.state = state;
    return place;
  }
  void find_places(std::size_t newest);
  void book(std::uint32_t state, Picoseconds from, Picoseconds to);
  void busy_slow_path(std::uint32_t state, Picoseconds from, Picoseconds to);
  void busy_after_search(std::uint32_t state, Picoseconds from, Picoseconds to);
  void count_slow_path(std::uint32_t operation, std::uint64_t n, Picoseconds from, Picoseconds to);
  Interval& remember(std::uint32_t state, Picoseconds from, Picoseconds to);
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
  // Operations of a burst that are done by `at`.
  static std::uint64_t done_by(const Interval& burst, Picoseconds at);
  void cut_burst(Interval& burst, Picoseconds at);
  void record_kind(PowerOfKind& record);
  void book_before(std::uint32_t state, Picoseconds from, Picoseconds to);
  void make_room();
  void begin(Picoseconds at);
  void set_fast_from() { fast_from_ = enabled_ && kind_record_ == nullptr ? begin_ : kNever; }
  void finish(Picoseconds end);
  ComponentEnergy done() const;

  // What was booked before begin().
  struct Before {
    std::vector<State> states;
    std::vector<std::uint64_t> counts;
    Picoseconds off = 0;
  };

  // Fields that every report needs, kept together.
  bool enabled_;
  std::uint32_t state_count_ = 0;
  std::uint32_t operation_count_ = 0;
  Interval* newest_ = nullptr;      // in recent_
  Interval* last_place_ = nullptr;  // of recent_
  Picoseconds fast_from_ = kNever;  // intervals that begin then or later go to the record only
  Picoseconds begin_ = 0;
  PowerRecord* record_;
  PowerOfKind* kind_record_ = nullptr;  // null unless power by kind was requested
  std::vector<State> states_;
  Picoseconds forgotten_until_ = 0;
  std::vector<Interval> recent_;  // ring buffer: the oldest follows the newest
  std::uint32_t current_ = 0;     // change(): the state, and since when
  Picoseconds since_ = 0;
  std::vector<Operation> operations_;
  double supply_;    // J from the supply for each one drawn
  double base_ = 0;  // W of state 0 from the supply
  Before before_;
  Picoseconds off_ = 0;
  Picoseconds off_from_ = 0;  // the latest off interval
  Picoseconds off_until_ = 0;
  PowerFigures figures_;
  std::string name_;
  std::string kind_;
};

/// Owns the meters and computes the report.
class EnergyLedger {
 public:
  /// `peak_window`: see PowerRecord. A disabled ledger hands out meters that do nothing. `clock`: returns the present
  /// instant; default: the kernel's. `efficiency` (0 < efficiency <= 1): of the regulators that supply all components
  /// whose figures do not exclude it. The supply gives 1 / efficiency times what those draw, in the power over time,
  /// its peak and joules_until(). The loss is the component and row "regulator"; with an efficiency of 1 there is none.
  explicit EnergyLedger(Picoseconds peak_window = kMillisecond, bool enabled = true, PowerRecord::Clock clock = nullptr,
                        double efficiency = 1);
  EnergyLedger(const EnergyLedger&) = delete;
  EnergyLedger& operator=(const EnergyLedger&) = delete;

  bool enabled() const { return enabled_; }

  /// `kind` groups components in reports ("nand", "channel", "dram", "nvram", "cpu", "link", "hdd"). The reference
  /// lives as long as the ledger. Throws std::invalid_argument for a name that is taken.
  EnergyMeter& add(std::string name, std::string kind, PowerFigures figures);
  EnergyMeter& add(std::string name, std::string kind, std::vector<PowerState> states,
                   std::vector<PowerOperation> operations = {}) {
    return add(std::move(name), std::move(kind), PowerFigures{std::move(states), std::move(operations)});
  }

  /// Calls `settle(end)` first in finish(): for components that report lazily.
  void before_finish(std::function<void(Picoseconds)> settle) { settle_.push_back(std::move(settle)); }

  /// Calls `off(from, to)` first in power_off(): for components that report idle time lazily.
  void before_power_off(std::function<void(Picoseconds, Picoseconds)> off) { off_.push_back(std::move(off)); }

  /// Also records the power of each kind of component: over the whole run or, with `trace`, at fine resolution in a
  /// time window; or both. Call it before anything is reported (std::logic_error).
  void record_kinds();
  void record_kinds(const TraceWindow& trace);

  /// Switches all meters, except `but`, off in [from, to).
  void power_off(Picoseconds from, Picoseconds to, const EnergyMeter* but = nullptr);

  /// Latest end of all reported intervals, after which all meters are in state 0. kNever while change() has put one
  /// into another state.
  Picoseconds busy_until() const;

  /// Energy from the supply in [0, now), as far as reported; 0 for a disabled ledger.
  double joules_until(Picoseconds now) const;
  /// All components, in the order in which they were added.
  const std::deque<EnergyMeter>& meters() const { return meters_; }
  /// Maximum power from the supply, without operations whose energy is booked at one instant.
  double most_watts() const;

  /// Starts the books at `at`, which is now, instead of 0: the report leaves out what came before, except in the power
  /// over time. Residencies are split at `at` exactly, for intervals reported before or after. Throws std::logic_error
  /// as EnergyMeter::truncate() does.
  void begin(Picoseconds at);

  /// Ends the run at `end`, once: cuts what lies later, checks the residency law, and closes the books: what is
  /// reported afterwards is in none. Throws std::logic_error if a meter's intervals exceed the simulated time.
  void finish(Picoseconds end);

  /// The report; call it after finish() (std::logic_error before).
  EnergyReport report() const;

  /// Power by kind over [0, end), in the bins of report().power, and over the trace window, empty if the run did not
  /// reach it. After finish(); std::logic_error also if record_kinds() was not called for it.
  PowerByKind power_by_kind() const;
  PowerByKind power_trace() const;

 private:
  EnergyReport closed_report() const;
  void attach_kinds();
  void attach_kind(EnergyMeter& meter);
  bool enabled_;
  bool finished_ = false;
  Picoseconds begin_ = 0;
  Picoseconds end_ = 0;
  double supply_ = 1;  // joules from the supply for each one drawn
  EnergyMeter* regulator_ = nullptr;
  PowerRecord record_;
  std::deque<EnergyMeter> meters_;
  std::deque<PowerOfKind> kinds_;  // empty unless power by kind was requested
  bool kinds_over_time_ = false;
  std::optional<TraceWindow> trace_;
  EnergyReport report_;  // of the closed books, as the two that follow
  PowerByKind power_by_kind_;
  PowerByKind power_trace_;
  std::vector<std::function<void(Picoseconds)>> settle_;
  std::vector<std::function<void(Picoseconds, Picoseconds)>> off_;
};

}  // namespace flashloom
