// The energy ledger: every component reports its states and operations here; joules are computed once, at the end.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/booking_log.hpp"
#include "models/energy/energy_meter.hpp"
#include "models/energy/energy_report.hpp"
#include "models/energy/power_by_kind.hpp"
#include "models/energy/power_record.hpp"

namespace flashloom {

/// Owns the meters, closes the books.
class EnergyLedger {
 public:
  /// `peak_window`: see PowerRecord. A ledger that is not enabled hands out meters that do nothing. `clock`: the
  /// present instant, the kernel's unless given. `efficiency` of the regulators (0 < efficiency <= 1) that components
  /// are behind, but those whose figures say that they are not: the supply gives 1 / efficiency times what they draw, in
  /// the power over time, its peak and joules_until(). What is lost is the component "regulator", of the row
  /// "regulator"; with an efficiency of 1 there is none.
  explicit EnergyLedger(Picoseconds peak_window = kMillisecond, bool enabled = true, EnergyMeter::Clock clock = nullptr,
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
  EnergyMeter::Clock clock_;
  double supply_ = 1;  // joules from the supply for each one drawn
  EnergyMeter* regulator_ = nullptr;
  PowerRecord record_;
  BookingLog log_;
  std::deque<EnergyMeter> meters_;
  std::deque<PowerOfKind> kinds_;  // none while nobody asks
  bool kinds_over_time_ = false;
  std::optional<TraceWindow> trace_;
  std::vector<std::function<void(Picoseconds)>> settle_;
  std::vector<std::function<void(Picoseconds, Picoseconds)>> off_;
};

}  // namespace flashloom
