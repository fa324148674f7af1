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
  /// Intervals that a meter remembers at first, so as to cut them. One that has not ended yet is never forgotten: where
  /// more of them lie ahead, room is made for twice as many.
  static constexpr std::size_t kRemembered = 8;

  /// Throws std::invalid_argument for no state, and for a power or an energy that is negative or not finite. `supply`:
  /// what is drawn from the supply of the device for each joule of the component.
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

  /// Counts `n` operations at `at`, which is not ahead: they are never taken back.
  void count(std::uint32_t operation, std::uint64_t n, Picoseconds at) {
    if (!enabled_) return;
    assert(operation < operations_.size());
    operations_[operation].count += n;
    spend(at, static_cast<double>(n) * operations_[operation].supplied);
  }

  /// Counts `n` operations, one after the other, whose energy is drawn evenly over [from, to), which may lie ahead;
  /// at `from` where that would be more than the record takes as power, as in no time at all.
  void count(std::uint32_t operation, std::uint64_t n, Picoseconds from, Picoseconds to);

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
  Picoseconds residency(std::uint32_t state) const { return states_[state].residency; }
  /// Intervals that there is room for at present.
  std::size_t remembers() const { return recent_.size(); }
  std::uint64_t counted(std::uint32_t operation) const { return operations_[operation].count; }
  std::uint32_t operations() const { return static_cast<std::uint32_t>(operations_.size()); }

 private:
  friend class EnergyLedger;
  struct State {
    double extra = 0;  // W above state 0, from the supply, quantised
    Picoseconds residency = 0;
    std::uint64_t intervals = 0;
    bool draws = false;  // what changes the power over time: not a bus whose bytes are charged one by one
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

  /// Of the oldest interval in recent_, for the next one.
  Interval& next_place() { return newest_ == last_place_ ? recent_.front() : newest_[1]; }
  /// It is free without a look at the clock.
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
  void busy_with_care(std::uint32_t state, Picoseconds from, Picoseconds to);
  void busy_after_a_look(std::uint32_t state, Picoseconds from, Picoseconds to);
  void count_with_care(std::uint32_t operation, std::uint64_t n, Picoseconds from, Picoseconds to);
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
  // Of the operations of a burst, those that are done by `at`.
  static std::uint64_t done_by(const Interval& burst, Picoseconds at);
  void cut_burst(Interval& burst, Picoseconds at);
  void record_kind(PowerOfKind& record);
  void book_before(std::uint32_t state, Picoseconds from, Picoseconds to);
  void make_room();
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
  Interval* newest_ = nullptr;      // in recent_
  Interval* last_place_ = nullptr;  // of recent_
  Picoseconds plain_from_ = kNever;  // what begins then or later is for the record alone
  Picoseconds begin_ = 0;
  PowerRecord* record_;
  PowerOfKind* kind_record_ = nullptr;  // where somebody asked for it
  std::vector<State> states_;
  Picoseconds forgotten_until_ = 0;
  std::vector<Interval> recent_;  // round and round, the oldest behind the newest
  std::uint32_t current_ = 0;     // change(): the state, and since when
  Picoseconds since_ = 0;
  std::vector<Operation> operations_;
  double supply_;    // J from the supply for each one drawn
  double base_ = 0;  // W of state 0 from the supply
  Before before_;
  Picoseconds off_ = 0;
  Picoseconds off_from_ = 0;  // the last time off
  Picoseconds off_until_ = 0;
  PowerFigures figures_;
  std::string name_;
  std::string kind_;
};

/// Owns the meters, closes the books.
class EnergyLedger {
 public:
  /// `peak_window`: see PowerRecord. A ledger that is not enabled hands out meters that do nothing. `clock`: the
  /// present instant, the kernel's unless given. `efficiency` of the regulators (0 < efficiency <= 1) that components
  /// are behind, but those whose figures say that they are not: the supply gives 1 / efficiency times what they draw, in
  /// the power over time, its peak and joules_until(). What is lost is the component "regulator", of the row
  /// "regulator"; with an efficiency of 1 there is none.
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

  /// Keeps the power of each kind of components apart, too, which changes nothing else: for as long as the run lasts,
  /// or, with `trace`, finely in a stretch of it; or both. Before anything is reported (std::logic_error).
  void record_kinds();
  void record_kinds(const TraceWindow& trace);

  /// All meters, but one if it is given: off in [from, to).
  void power_off(Picoseconds from, Picoseconds to, const EnergyMeter* but = nullptr);

  /// The latest end of anything that was reported: from then on all meters are in state 0, as far as is known. kNever
  /// while one has changed into another state.
  Picoseconds busy_until() const;

  /// What the supply gave in [0, now), as far as is known; 0 if it is not enabled.
  double joules_until(Picoseconds now) const;
  /// All components, in the order in which they were added.
  const std::deque<EnergyMeter>& meters() const { return meters_; }
  /// What the supply gives at most, but for operations with an energy of their own at one instant.
  double most_watts() const;

  /// The books begin at `at`, now, and not at 0: what was before is not in the report, but for the power over time.
  /// States are split at `at` exactly, whether they were reported ahead or are reported afterwards.
  /// Throws std::logic_error as EnergyMeter::truncate() does.
  void begin(Picoseconds at);

  /// Ends the run at `end`: cuts what lies later, and checks the residency law. Once. Throws std::logic_error when
  /// a meter's intervals exceed the time that there was.
  void finish(Picoseconds end);

  /// The books; after finish() (std::logic_error before).
  EnergyReport report() const;

  /// Power by kind over [0, end), in the bins of report().power; and over the stretch that was asked for, empty where
  /// the run did not come to it. After finish(); std::logic_error also where nobody asked.
  PowerByKind power_by_kind() const;
  PowerByKind power_trace() const;

 private:
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
  std::deque<PowerOfKind> kinds_;  // none while nobody asks
  bool kinds_over_time_ = false;
  std::optional<TraceWindow> trace_;
  std::vector<std::function<void(Picoseconds)>> settle_;
  std::vector<std::function<void(Picoseconds, Picoseconds)>> off_;
};

}  // namespace flashloom
