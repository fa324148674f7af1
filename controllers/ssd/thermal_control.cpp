#include "controllers/ssd/thermal_control.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "models/common/arrhenius.hpp"
#include "models/memory/memory_model.hpp"

namespace flashloom {
namespace {

// The node that a component heats; none: it is outside the drive.
std::optional<ThermalNode> node_of(const std::string& kind) {
  if (kind == "nand" || kind == "channel") return ThermalNode::Nand;
  if (kind == "regulator" || kind == "capacitors") return ThermalNode::Board;
  if (kind == "hdd" || MemoryModel::of_host(kind)) return std::nullopt;
  return ThermalNode::Controller;
}

// Splits the energy that a component draws from the supply: its share heats its node, regulator losses heat the board.
void add_heat(PerNode& sums, ThermalNode node, double drawn, double share) {
  sums[static_cast<std::size_t>(node)] += drawn * share;
  sums[static_cast<std::size_t>(ThermalNode::Board)] += drawn * (1 - share);
}

}  // namespace

ThermalControl::ThermalControl(const ThermalConfig& config, const BitErrorConfig& aging, EnergyLedger& ledger,
                               TimedFlash& flash, HostLink& link, BitErrors* errors)
    : config_(config),
      aging_(aging),
      ledger_(ledger),
      flash_(flash),
      link_(link),
      errors_(errors),
      network_(config),
      at_level_(config.throttle.size() + 1),
      entered_(config.throttle.size() + 1),
      spacing_(config.step) {
  due_ = kNever;
  ledger.before_finish([this](Picoseconds end) {
    if (!begun_) return;
    advance(end);
    note(end);
    finished_ = true;
    due_ = kNever;
  });
}

void ThermalControl::begin(Picoseconds now) {
  if (begun_) return;
  begun_ = true;
  PerNode idle{};
  for (const EnergyMeter& meter : ledger_.meters())
    if (const std::optional<ThermalNode> node = node_of(meter.kind())) {
      meters_[static_cast<std::size_t>(*node)].push_back(&meter);
      add_heat(idle, *node, meter.idle_watts(), meter.share());
    }
  if (config_.start_temperatures.empty()) {
    network_.set(network_.steady(idle));
  } else {
    PerNode start{};
    std::copy(config_.start_temperatures.begin(), config_.start_temperatures.end(), start.begin());
    network_.set(start);
  }
  now_ = now;
  joules_ = noted_joules_ = joules(now);
  if (errors_ != nullptr) errors_->age(now, 0, 1);
  decide(true);
  reset_statistics(now);
  note(now);
  due_ = now + config_.step;
}

PerNode ThermalControl::joules(Picoseconds now) const {
  PerNode sums{};
  for (std::size_t node = 0; node < kThermalNodes; ++node)
    for (const EnergyMeter* const meter : meters_[node])
      add_heat(sums, static_cast<ThermalNode>(node), meter->joules_until(now), meter->share());
  return sums;
}

void ThermalControl::act(Picoseconds now) {
  advance(now);
  if (!held_up_) decide(false);
  note(now);
  due_ = now + config_.step;
}

void ThermalControl::advance(Picoseconds now) {
  if (!begun_ || finished_ || now <= now_) return;
  flash_.settle(now);
  const PerNode drawn = joules(now);
  const double length = in_seconds(now - now_);
  PerNode watts{};
  for (std::size_t node = 0; node < kThermalNodes; ++node) {
    heat_ += drawn[node] - joules_[node];
    watts[node] = (drawn[node] - joules_[node]) / length;
  }
  const PerNode mean = network_.advance(length, watts);
  out_ += network_.outflow(mean) * length;
  const PerNode& celsius = network_.temperatures();
  for (std::size_t node = 0; node < kThermalNodes; ++node) {
    sums_[node] += mean[node] * length;
    highest_[node] = std::max(highest_[node], celsius[node]);
  }
  composite_highest_ = std::max(composite_highest_, composite_of(celsius));
  if (errors_ != nullptr) {
    constexpr auto kNand = static_cast<std::size_t>(ThermalNode::Nand);
    const auto factor = [this](double at) {
      return arrhenius(aging_.activation_energy, aging_.reference_temperature, at);
    };
    errors_->age(now, factor(mean[kNand]) * static_cast<double>(now - now_), factor(celsius[kNand]));
  }
  at_level_[level_] += now - now_;
  joules_ = drawn;
  now_ = now;
}

void ThermalControl::decide(bool afresh) {
  const double celsius = composite_of(network_.temperatures());
  std::uint32_t level = afresh ? 0 : level_;
  while (level < levels() && celsius >= config_.throttle[level]) ++level;
  while (level != 0 && celsius < config_.throttle[level - 1] - config_.hysteresis) --level;
  apply(level);
}

void ThermalControl::apply(std::uint32_t level) {
  if (level == level_) return;
  level_ = level;
  ++transitions_;
  ++entered_[level];
  flash_.throttle(level == 0 ? 1 : config_.duty[level - 1]);
  link_.throttle(level == 0 ? 1 : config_.link[level - 1]);
}

void ThermalControl::hold_up() {
  if (!begun_) return;
  held_up_ = true;
  advance(kernel_now());
  apply(0);
}

void ThermalControl::power_cut(Picoseconds now) {
  if (!begun_) return;
  advance(now);
  note(now);
  held_up_ = true;  // no throttling decisions until the firmware is back
  apply(0);
}

void ThermalControl::power_on(Picoseconds now) {
  if (!begun_ || finished_) return;
  advance(now);
  held_up_ = false;
  decide(true);
  note(now);
  due_ = now + config_.step;
}

const PerNode& ThermalControl::celsius(Picoseconds now) {
  advance(now);
  return network_.temperatures();
}

double ThermalControl::composite(Picoseconds now) { return composite_of(celsius(now)); }

double ThermalControl::composite_of(const PerNode& celsius) const {
  const double controller = celsius[static_cast<std::size_t>(ThermalNode::Controller)];
  const double nand = celsius[static_cast<std::size_t>(ThermalNode::Nand)];
  if (config_.sensor == "controller") return controller;
  return config_.sensor == "nand" ? nand : std::max(controller, nand);
}

void ThermalControl::note(Picoseconds now) {
  if (finished_) return;
  if (!points_.empty() && points_.back().level == level_ && now < points_.back().at + spacing_) return;
  if (points_.size() == kPoints) {
    for (std::size_t i = 1; i < kPoints / 2; ++i) {
      Point merged = points_[2 * i];
      const Point& skipped = points_[2 * i - 1];
      const double whole = in_seconds(merged.at - points_[2 * i - 2].at);
      const double part = in_seconds(skipped.at - points_[2 * i - 2].at);
      for (std::size_t node = 0; node < kThermalNodes; ++node)
        if (whole > 0) merged.watts[node] = (skipped.watts[node] * part + merged.watts[node] * (whole - part)) / whole;
      points_[i] = merged;
    }
    // The last one stays what the next one's mean power begins at.
    const Point last = points_.back();
    points_.resize(kPoints / 2);
    points_.push_back(last);
    spacing_ *= 2;
  }
  Point point{now, network_.temperatures(), {}, level_};
  const double since = points_.empty() ? 0 : in_seconds(now - points_.back().at);
  for (std::size_t node = 0; node < kThermalNodes; ++node)
    if (since > 0) point.watts[node] = (joules_[node] - noted_joules_[node]) / since;
  if (points_.empty() || now != points_.back().at)
    points_.push_back(point);
  else
    points_.back().level = level_;
  noted_joules_ = joules_;
}

void ThermalControl::reset_statistics(Picoseconds now) {
  advance(now);
  counted_from_ = now_;
  highest_ = network_.temperatures();
  composite_highest_ = composite_of(highest_);
  sums_ = {};
  heat_ = out_ = 0;
  stored_before_ = network_.stored();
  std::fill(at_level_.begin(), at_level_.end(), Picoseconds{0});
  std::fill(entered_.begin(), entered_.end(), std::uint64_t{0});
  transitions_ = 0;
}

ThermalStatistics ThermalControl::statistics() const {
  ThermalStatistics statistics;
  statistics.end = network_.temperatures();
  statistics.highest = highest_;
  statistics.composite_highest = composite_highest_;
  const double length = in_seconds(now_ - counted_from_);
  for (std::size_t node = 0; node < kThermalNodes; ++node)
    statistics.mean[node] = length > 0 ? sums_[node] / length : statistics.end[node];
  statistics.at_level = at_level_;
  statistics.entered = entered_;
  statistics.transitions = transitions_;
  statistics.heat_j = heat_;
  statistics.out_j = out_;
  statistics.stored_j = network_.stored() - stored_before_;
  return statistics;
}

}  // namespace flashloom
