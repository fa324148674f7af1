#include "models/energy/energy_ledger.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/common/time_loop.hpp"

namespace flashloom {

EnergyLedger::EnergyLedger(Picoseconds peak_window, bool enabled, EnergyMeter::Clock clock, double efficiency)
    : enabled_(enabled),
      clock_(clock != nullptr ? clock : +[] { return kernel_now(); }),
      record_(peak_window, clock_, enabled),
      log_(record_, clock_) {
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
      meters_.emplace_back(std::move(name), std::move(kind), std::move(figures), record_, log_, clock_, enabled_, supply);
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

// Each kind has its record, in the order in which the kinds came.
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
}

EnergyReport EnergyLedger::report() const {
  if (!finished_) throw std::logic_error("energy: the ledger is still open");
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
  return flashloom::power_by_kind(kinds_, record_.series(end_));
}

PowerByKind EnergyLedger::power_trace() const {
  if (!finished_ || !trace_) throw std::logic_error("energy: there is no power trace");
  return flashloom::power_trace(kinds_, *trace_, end_);
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
