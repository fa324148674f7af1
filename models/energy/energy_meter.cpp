#include "models/energy/energy_meter.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace flashloom {
namespace {

void check_figure(const std::string& component, const std::string& name, double value) {
  if (!std::isfinite(value) || value < 0) {
    throw std::invalid_argument("energy: " + component + "." + name +
                                ": power or energy must be finite and not negative");
  }
}

}  // namespace

EnergyMeter::EnergyMeter(std::string name, std::string kind, PowerFigures figures, PowerRecord& record, BookingLog& log,
                         Clock clock, bool enabled, double supply)
    : enabled_(enabled),
      record_(&record),
      log_(&log),
      recent_(kRemembered),
      supply_(supply),
      clock_(clock),
      figures_(std::move(figures)),
      name_(std::move(name)),
      kind_(std::move(kind)) {
  if (figures_.states.empty()) throw std::invalid_argument("energy: " + name_ + ": a meter needs a state");
  base_ = figures_.states[0].watts * supply;
  for (const PowerState& state : figures_.states) {
    check_figure(name_, state.name, state.watts);
    // A difference of rounded figures is exact, so that power falls back to nothing when a device is off.
    states_.push_back(
        {PowerTimeline::quantised(state.watts * supply) - PowerTimeline::quantised(base_), 0, 0, 0, state.resting});
  }
  state_count_ = static_cast<std::uint32_t>(states_.size());
  operation_count_ = static_cast<std::uint32_t>(figures_.operations.size());
  for (const PowerOperation& operation : figures_.operations) {
    check_figure(name_, operation.name, operation.joules);
    operations_.push_back({operation.joules * supply, 0, 0});
  }
  if (enabled_) record_->add_background(base_);
  find_plain();
}

// The sums of a booking, once it has waited. What is over by now is not remembered.
[[gnu::always_inline]] inline void EnergyMeter::settle(const BookingLog::Booking& booking, Picoseconds now,
                                                       PowerRecord::Inside& record) {
  const auto [from, to, meter, which, n] = booking;
  if (n == 0) {
    State& state = states_[which];
    ++state.intervals;
    state.residency += to - from;
    record.add(from, to, state.extra);
    if (to > now) return remember({from, to, which});
    state.until = std::max(state.until, to);
    return;
  }
  Operation& operation = operations_[which];
  operation.count += n;
  const double joules = static_cast<double>(n) * operation.supplied;
  if (from == to) return record.add_energy(from, joules * 1e12);
  record.spread(from, to, joules * 1e12);
  if (to > now) return remember({from, to, state_count_ + which, n});
  operation.until = std::max(operation.until, to);
}

void BookingLog::settle_all() {
  const Picoseconds now = clock_();
  PowerRecord::Inside record(record_);
  for (const Booking* booking = bookings_.data(); booking != next_; ++booking)
    booking->meter->settle(*booking, now, record);
  next_ = bookings_.data();
}

void EnergyMeter::busy_with_care(std::uint32_t state, Picoseconds from, Picoseconds to) {
  if (!enabled_) return;
  log_->settle();
  ++states_[state].intervals;
  book(state, from, to);
}

void EnergyMeter::book(std::uint32_t state, Picoseconds from, Picoseconds to) {
  State& s = states_[state];
  s.residency += to - from;
  if (from < begin_) [[unlikely]]
    book_before(state, from, to);
  remember({from, to, state});
  draw(from, to, s.extra);
}

// An interval that adjoins the last one is one with it.
void EnergyMeter::remember(const Interval& interval) {
  if (Interval& last = recent_[newest_];
      interval.state < state_count_ && last.to == interval.from && last.state == interval.state) {
    last.to = interval.to;
    return;
  }
  const std::uint32_t place = next_place();
  if (recent_[place].to > over_until_) make_room(place);
  forget(recent_[place]);
  recent_[place] = interval;
  newest_ = place;
}

void EnergyMeter::forget(const Interval& interval) {
  Picoseconds& until = interval.state < state_count_ ? states_[interval.state].until
                                                     : operations_[interval.state - state_count_].until;
  until = std::max(until, interval.to);
}

Picoseconds EnergyMeter::forgotten_until() const {
  Picoseconds latest = 0;
  for (const State& state : states_) latest = std::max(latest, state.until);
  for (const Operation& operation : operations_) latest = std::max(latest, operation.until);
  return latest;
}

void EnergyMeter::count_with_care(std::uint32_t operation, std::uint64_t n, Picoseconds at) {
  if (!enabled_) return;
  log_->settle();
  operations_[operation].count += n;
  spend(at, static_cast<double>(n) * operations_[operation].supplied);
}

void EnergyMeter::count_with_care(std::uint32_t operation, std::uint64_t n, Picoseconds from, Picoseconds to) {
  if (!enabled_) return;
  log_->settle();
  operations_[operation].count += n;
  const Interval burst{from, to, state_count_ + operation, n};
  if (from < begin_) [[unlikely]]
    before_.counts[operation] += done_by(burst, begin_);
  remember(burst);
  spread(from, to, static_cast<double>(n) * operations_[operation].supplied);
}

void EnergyMeter::truncate(Picoseconds at) {
  if (!enabled_) return;
  log_->settle();
  if (current_ != 0 && since_ < at) book(current_, since_, at);
  current_ = 0;
  since_ = at;
  if (forgotten_until() > at) {
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

// Operations that are not done by `at` are not done at all: what is left of one that was under way is not charged.
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
  log_->settle();
  if (current_ != 0) return kNever;
  Picoseconds latest = 0;
  for (const State& state : states_)
    if (!state.resting) latest = std::max(latest, state.until);
  for (const Operation& operation : operations_) latest = std::max(latest, operation.until);
  for (const Interval& interval : recent_)
    if (interval.state >= state_count_ || !states_[interval.state].resting) latest = std::max(latest, interval.to);
  return latest;
}

void EnergyMeter::off(Picoseconds from, Picoseconds to) {
  if (!enabled_) return;
  if (from > to || from < off_from_) throw std::logic_error("energy: " + name_ + ": off intervals out of order");
  log_->settle();
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
  log_->settle();
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

// The oldest interval, whose place is needed, may not have ended yet.
void EnergyMeter::make_room(std::uint32_t place) {
  over_until_ = clock_();
  if (recent_[place].to <= over_until_) return;
  recent_.insert(recent_.begin() + place, recent_.size(), Interval{});
  last_place_ = static_cast<std::uint32_t>(recent_.size() - 1);
}

void EnergyMeter::begin(Picoseconds at) {
  if (!enabled_) return;
  log_->settle();
  if (forgotten_until() > at) {
    throw std::logic_error("energy: " + name_ + ": what lies after an instant long past cannot be split");
  }
  begin_ = at;
  find_plain();
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
  log_->settle();
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

// Of the time of the books.
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
  log_->settle();
  const auto used = [](const auto& list, auto member) {
    return std::any_of(list.begin(), list.end(), [member](const auto& one) { return one.*member != 0; });
  };
  if (off_ != 0 || used(states_, &State::residency) || used(operations_, &Operation::count))
    throw std::logic_error("energy: " + name_ + ": what it drew so far is not known by kind");
  kind_record_ = &record;
  find_plain();
  record.add_background(PowerTimeline::quantised(base_));
}

}  // namespace flashloom
