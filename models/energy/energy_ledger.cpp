#include "models/energy/energy_ledger.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/common/time_loop.hpp"

namespace flashloom {
namespace {

void check_figure(const std::string& component, const std::string& name, double value) {
  if (!std::isfinite(value) || value < 0) {
    throw std::invalid_argument("energy: " + component + "." + name +
                                ": power or energy must be finite and not negative");
  }
}

}  // namespace

EnergyMeter::EnergyMeter(std::string name, std::string kind, PowerFigures figures, PowerRecord& record, bool enabled,
                         double supply)
    : enabled_(enabled),
      record_(&record),
      recent_(kRemembered),
      supply_(supply),
      figures_(std::move(figures)),
      name_(std::move(name)),
      kind_(std::move(kind)) {
  if (figures_.states.empty()) throw std::invalid_argument("energy: " + name_ + ": a meter needs a state");
  base_ = figures_.states[0].watts * supply;
  for (const PowerState& state : figures_.states) {
    check_figure(name_, state.name, state.watts);
    // Differences of rounded figures are exact, so that power returns to exactly 0 when a device is off.
    const double extra = PowerTimeline::quantised(state.watts * supply) - PowerTimeline::quantised(base_);
    states_.push_back({.extra = extra, .draws = extra != 0, .resting = state.resting});
  }
  state_count_ = static_cast<std::uint32_t>(states_.size());
  operation_count_ = static_cast<std::uint32_t>(figures_.operations.size());
  for (const PowerOperation& operation : figures_.operations) {
    check_figure(name_, operation.name, operation.joules);
    operations_.push_back({operation.joules * supply, 0});
  }
  if (enabled_) record_->add_background(base_);
  find_places(0);
  set_fast_from();
}

// Call it after each change of the size of recent_.
void EnergyMeter::find_places(std::size_t newest) {
  newest_ = &recent_[newest];
  last_place_ = &recent_.back();
}

// Fast path, here and in count(), for the common report: it lies within the record's ring, an interval slot is free,
// and only the record needs it. It calls nothing, so that it saves no registers; every other case is a tail call.
void EnergyMeter::busy(std::uint32_t state, Picoseconds from, Picoseconds to) {
  assert(state != 0 && state < state_count_);
  if (from < fast_from_ || from > to || !record_->holds(from, to)) [[unlikely]]
    return busy_slow_path(state, from, to);
  if (newest_->to == from && newest_->state == state) {
    newest_->to = to;
  } else if (Interval& place = next_place(); is_over(place)) [[likely]] {
    put(place, state, from, to);
  } else {
    return busy_after_search(state, from, to);
  }
  State& s = states_[state];
  ++s.intervals;
  s.residency += to - from;
  if (s.draws) record_->add_inside(from, to, s.extra);
}

[[gnu::noinline]] void EnergyMeter::busy_slow_path(std::uint32_t state, Picoseconds from, Picoseconds to) {
  assert(from <= to);
  if (!enabled_) return;
  ++states_[state].intervals;
  book(state, from, to);
}

// Reads the clock, which may have advanced since the last reading, and tries again.
[[gnu::noinline]] void EnergyMeter::busy_after_search(std::uint32_t state, Picoseconds from, Picoseconds to) {
  record_->look();
  if (is_over(next_place())) return busy(state, from, to);
  busy_slow_path(state, from, to);
}

void EnergyMeter::book(std::uint32_t state, Picoseconds from, Picoseconds to) {
  State& s = states_[state];
  s.residency += to - from;
  if (from < begin_) [[unlikely]]
    book_before(state, from, to);
  if (newest_->to == from && newest_->state == state) {
    newest_->to = to;
  } else {
    remember(state, from, to);
  }
  if (s.draws) draw(from, to, s.extra);
}

EnergyMeter::Interval& EnergyMeter::remember(std::uint32_t state, Picoseconds from, Picoseconds to) {
  if (!is_over(next_place())) make_room();
  return put(next_place(), state, from, to);
}

void EnergyMeter::count(std::uint32_t operation, std::uint64_t n, Picoseconds from, Picoseconds to) {
  assert(operation < operation_count_);
  if (from == to) ++to;
  Interval& place = next_place();
  if (from < fast_from_ || from > to || !record_->holds(from, to) || !is_over(place)) [[unlikely]]
    return count_slow_path(operation, n, from, to);
  put(place, state_count_ + operation, from, to).n = n;
  Operation& counted = operations_[operation];
  counted.count += n;
  record_->spread_inside(from, to, static_cast<double>(static_cast<std::int64_t>(n)) * counted.supplied * 1e12);
}

[[gnu::noinline]] void EnergyMeter::count_slow_path(std::uint32_t operation, std::uint64_t n, Picoseconds from,
                                                    Picoseconds to) {
  assert(from <= to);
  if (!enabled_) return;
  operations_[operation].count += n;
  Interval& burst = remember(state_count_ + operation, from, to);
  burst.n = n;
  if (from < begin_) [[unlikely]]
    before_.counts[operation] += done_by(burst, begin_);
  spread(from, to, static_cast<double>(n) * operations_[operation].supplied);
}

void EnergyMeter::truncate(Picoseconds at) {
  if (!enabled_) return;
  if (current_ != 0 && since_ < at) book(current_, since_, at);
  current_ = 0;
  since_ = at;
  if (forgotten_until_ > at) {
    throw std::logic_error("energy: " + name_ + ": what lies after an instant long past cannot be taken back");
  }
  for (Interval& interval : recent_) {
    if (interval.to <= at) continue;
    if (interval.state >= state_count_) {
      cut_burst(interval, at);
      continue;
    }
    const Picoseconds cut = std::max(interval.from, at);
    State& state = states_[interval.state];
    state.residency -= interval.to - cut;
    if (cut < begin_) before_.states[interval.state].residency -= std::min(interval.to, begin_) - cut;
    draw(cut, interval.to, -state.extra);
    interval = cut == interval.from ? Interval{} : Interval{interval.from, cut, interval.state};
  }
}

std::uint64_t EnergyMeter::done_by(const Interval& burst, Picoseconds at) {
  if (at <= burst.from) return 0;
  if (at >= burst.to) return burst.n;
  const double share = static_cast<double>(at - burst.from) / static_cast<double>(burst.to - burst.from);
  return std::min(burst.n, static_cast<std::uint64_t>(static_cast<double>(burst.n) * share));
}

// Operations that are not done by `at` are not counted; an operation under way is not charged in part.
void EnergyMeter::cut_burst(Interval& burst, Picoseconds at) {
  const std::uint32_t operation = burst.state - state_count_;
  const Picoseconds cut = std::max(burst.from, at);
  const std::uint64_t done = done_by(burst, cut);
  operations_[operation].count -= burst.n - done;
  if (cut < begin_) before_.counts[operation] -= done_by(burst, begin_) - done;
  const double each = operations_[operation].supplied;
  const double all = static_cast<double>(burst.n) * each, time = static_cast<double>(burst.to - burst.from);
  double too_much = static_cast<double>(burst.n - done) * each;
  if (PowerRecord::takes(all * 1e12 / time)) {
    const double later = all * (static_cast<double>(burst.to - cut) / time);
    spread(cut, burst.to, -later);
    too_much -= later;
  }
  if (too_much != 0) spend(burst.from, -too_much);
  burst = done == 0 ? Interval{} : Interval{burst.from, cut, burst.state, done};
}

Picoseconds EnergyMeter::busy_until() const {
  if (current_ != 0) return kNever;
  Picoseconds latest = forgotten_until_;
  for (const Interval& interval : recent_)
    if (interval.state >= state_count_ || !states_[interval.state].resting) latest = std::max(latest, interval.to);
  return latest;
}

void EnergyMeter::off(Picoseconds from, Picoseconds to) {
  if (!enabled_) return;
  if (from > to || from < off_from_) throw std::logic_error("energy: " + name_ + ": off intervals out of order");
  const bool longer = from < off_until_;
  if (longer && to <= off_until_) return;
  if (longer) from = off_until_;
  if (!longer) truncate(from);
  since_ = to;
  off_ += to - from;
  if (from < begin_) before_.off += std::min(to, begin_) - from;
  if (!longer) off_from_ = from;
  off_until_ = to;
  draw(from, to, -PowerTimeline::quantised(base_));
}

double EnergyMeter::joules_until(Picoseconds now) const {
  if (!enabled_) return 0;
  std::vector<Picoseconds> residency;
  for (const State& state : states_) residency.push_back(state.residency);
  double not_done = 0;
  for (const Interval& interval : recent_) {
    if (interval.to <= now) continue;
    if (interval.state < state_count_)
      residency[interval.state] -= interval.to - std::max(interval.from, now);
    else
      not_done += static_cast<double>(interval.n - done_by(interval, now)) *
                  operations_[interval.state - state_count_].supplied;
  }
  if (current_ != 0 && since_ < now) residency[current_] += now - since_;
  const Picoseconds off = off_ - (off_until_ > now ? off_until_ - std::max(off_from_, now) : 0);
  double joules = base_ * static_cast<double>(now - off) * 1e-12;
  for (std::size_t i = 1; i < states_.size(); ++i)
    joules += states_[i].extra * static_cast<double>(residency[i]) * 1e-12;
  for (const Operation& operation : operations_) joules += static_cast<double>(operation.count) * operation.supplied;
  return joules - not_done;
}

void EnergyMeter::book_before(std::uint32_t state, Picoseconds from, Picoseconds to) {
  before_.states[state].residency += std::min(to, begin_) - from;
}

// The slot of the oldest interval is needed; if that interval has not ended, doubles the capacity.
void EnergyMeter::make_room() {
  record_->look();
  if (is_over(next_place())) return;
  const auto oldest = &next_place() - recent_.data();
  const auto newest = static_cast<std::size_t>(newest_ - recent_.data());
  recent_.insert(recent_.begin() + oldest, recent_.size(), Interval{});
  find_places(oldest == 0 ? recent_.size() - 1 : newest);
}

void EnergyMeter::begin(Picoseconds at) {
  if (!enabled_) return;
  if (forgotten_until_ > at) {
    throw std::logic_error("energy: " + name_ + ": what lies after an instant long past cannot be split");
  }
  begin_ = at;
  set_fast_from();
  before_.states = states_;
  before_.counts.clear();
  for (const Operation& operation : operations_) before_.counts.push_back(operation.count);
  for (const Interval& interval : recent_) {
    if (interval.to <= at) continue;
    if (interval.state < state_count_)
      before_.states[interval.state].residency -= interval.to - std::max(interval.from, at);
    else
      before_.counts[interval.state - state_count_] -= interval.n - done_by(interval, at);
  }
  before_.off = off_ - (off_until_ > at ? off_until_ - std::max(off_from_, at) : 0);
}

void EnergyMeter::finish(Picoseconds end) {
  if (!enabled_) return;
  if (off_until_ > end) {
    const Picoseconds cut = std::max(off_from_, end);
    off_ -= off_until_ - cut;
    draw(cut, off_until_, PowerTimeline::quantised(base_));
    off_until_ = cut;
  }
  truncate(end);
  Picoseconds elsewhere = off_;
  for (std::size_t i = 1; i < states_.size(); ++i) elsewhere += states_[i].residency;
  if (elsewhere > end) {
    throw std::logic_error("energy: " + name_ + ": states last " + std::to_string(elsewhere) + " ps of a run of " +
                           std::to_string(end) + " ps (overlapping intervals)");
  }
  states_[0].residency = end - elsewhere;
  if (begin_ == 0) return;
  before_.states[0].residency = begin_ - before_.off;
  for (std::size_t i = 1; i < states_.size(); ++i) before_.states[0].residency -= before_.states[i].residency;
}

// Residencies and counts since the books began.
ComponentEnergy EnergyMeter::done() const {
  ComponentEnergy component{name_, kind_, 0, {}, {}};
  for (std::size_t i = 0; i < states_.size(); ++i) {
    State state = states_[i];
    if (!before_.states.empty()) {
      state.residency -= before_.states[i].residency;
      state.intervals -= before_.states[i].intervals;
    }
    component.states.push_back({figures_.states[i].name, state.residency, state.intervals, 0});
  }
  component.states.push_back({"off", off_ - before_.off, 0, 0});
  for (std::size_t i = 0; i < operations_.size(); ++i)
    component.operations.push_back(
        {figures_.operations[i].name, operations_[i].count - (before_.counts.empty() ? 0 : before_.counts[i]), 0});
  return component;
}

void EnergyMeter::record_kind(PowerOfKind& record) {
  const auto used = [](const auto& list, auto member) {
    return std::any_of(list.begin(), list.end(), [member](const auto& one) { return one.*member != 0; });
  };
  if (off_ != 0 || used(states_, &State::residency) || used(operations_, &Operation::count))
    throw std::logic_error("energy: " + name_ + ": what it drew so far is not known by kind");
  kind_record_ = &record;
  set_fast_from();
  record.add_background(PowerTimeline::quantised(base_));
}

EnergyLedger::EnergyLedger(Picoseconds peak_window, bool enabled, PowerRecord::Clock clock, double efficiency)
    : enabled_(enabled),
      record_(
          peak_window, clock != nullptr ? clock : +[] { return kernel_now(); }, enabled) {
  PowerFigures regulator = regulator_figures(efficiency);
  if (efficiency == 1) return;
  regulator_ = &add("regulator", "regulator", std::move(regulator));
  supply_ = 1 / efficiency;
}

EnergyMeter& EnergyLedger::add(std::string name, std::string kind, PowerFigures figures) {
  for (const EnergyMeter& meter : meters_) {
    if (meter.name_ == name) throw std::invalid_argument("energy: component '" + name + "' exists already");
  }
  const double supply = figures.regulated ? supply_ : 1;
  EnergyMeter& meter =
      meters_.emplace_back(std::move(name), std::move(kind), std::move(figures), record_, enabled_, supply);
  if (kinds_over_time_ || trace_) attach_kind(meter);
  return meter;
}

void EnergyLedger::record_kinds() {
  kinds_over_time_ = true;
  attach_kinds();
}

void EnergyLedger::record_kinds(const TraceWindow& trace) {
  trace_ = trace;
  attach_kinds();
}

void EnergyLedger::attach_kinds() {
  kinds_.clear();
  for (EnergyMeter& meter : meters_) attach_kind(meter);
}

// Gives each kind its record, in order of first appearance.
void EnergyLedger::attach_kind(EnergyMeter& meter) {
  if (!enabled_) return;
  const auto known = std::find_if(kinds_.begin(), kinds_.end(),
                                  [&meter](const PowerOfKind& kind) { return kind.name() == meter.kind_; });
  meter.record_kind(known != kinds_.end() ? *known
                                          : kinds_.emplace_back(meter.kind_, kinds_over_time_, trace_, meter.share()));
}

void EnergyLedger::power_off(Picoseconds from, Picoseconds to, const EnergyMeter* but) {
  for (const auto& off : off_) off(from, to);
  for (EnergyMeter& meter : meters_)
    if (&meter != but) meter.off(from, to);
}

Picoseconds EnergyLedger::busy_until() const {
  Picoseconds latest = 0;
  for (const EnergyMeter& meter : meters_) latest = std::max(latest, meter.busy_until());
  return latest;
}

void EnergyLedger::begin(Picoseconds at) {
  for (EnergyMeter& meter : meters_) meter.begin(at);
  if (enabled_) record_.begin(at);
  begin_ = at;
}

void EnergyLedger::finish(Picoseconds end) {
  if (finished_) throw std::logic_error("energy: the ledger is closed already");
  for (const auto& settle : settle_) settle(end);
  for (EnergyMeter& meter : meters_) meter.finish(end);
  if (enabled_) record_.finish(end);
  end_ = end;
  finished_ = true;
  report_ = closed_report();
  if (kinds_over_time_) power_by_kind_ = flashloom::power_by_kind(kinds_, record_.series(end_));
  if (trace_) power_trace_ = flashloom::power_trace(kinds_, *trace_, end_);
}

EnergyReport EnergyLedger::report() const {
  if (!finished_) throw std::logic_error("energy: the ledger is still open");
  return report_;
}

EnergyReport EnergyLedger::closed_report() const {
  EnergyReport report;
  report.enabled = enabled_;
  report.begin = begin_;
  report.end = end_;
  if (!enabled_) return report;
  for (const EnergyMeter& meter : meters_)
    if (&meter != regulator_) charge(report, meter.done(), meter.figures_);
  if (regulator_ != nullptr) charge(report, regulator_->done(), regulator_->figures_);
  report.power = record_.series(end_);
  report.peak_w = record_.peak_watts() < 0 ? report.average_w : record_.peak_watts();
  report.peak_window = record_.peak_window();
  return report;
}

PowerByKind EnergyLedger::power_by_kind() const {
  if (!finished_ || !kinds_over_time_) throw std::logic_error("energy: there is no power by kind");
  return power_by_kind_;
}

PowerByKind EnergyLedger::power_trace() const {
  if (!finished_ || !trace_) throw std::logic_error("energy: there is no power trace");
  return power_trace_;
}

double EnergyLedger::joules_until(Picoseconds now) const {
  double sum = 0;
  for (const EnergyMeter& meter : meters_) sum += meter.joules_until(now);
  return sum;
}

double EnergyLedger::most_watts() const {
  double sum = 0;
  for (const EnergyMeter& meter : meters_) {
    double most = 0;
    for (const PowerState& state : meter.figures_.states) most = std::max(most, state.watts);
    sum += (most + meter.figures_.spread_watts) * meter.supply_;
  }
  return sum;
}

}  // namespace flashloom
