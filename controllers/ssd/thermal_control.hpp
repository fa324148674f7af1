// The temperatures of an SSD, and the thermal throttling of its firmware.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controllers/flash/heat_watch.hpp"
#include "controllers/flash/timed_flash.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/link/host_link.hpp"
#include "models/nand/bit_errors.hpp"
#include "models/thermal/thermal_network.hpp"

namespace flashloom {

/// Since the last reset_statistics().
struct ThermalStatistics {
  PerNode end{};  ///< C
  PerNode highest{};
  PerNode mean{};
  double composite_highest = 0;
  std::vector<Picoseconds> at_level;   ///< time not throttled, and at each level
  std::vector<std::uint64_t> entered;  ///< how often each level was entered, from below or from above; 0: not throttled
  std::uint64_t transitions = 0;
  double heat_j = 0;    ///< drawn by the components
  double out_j = 0;     ///< given off to the ambient
  double stored_j = 0;  ///< stored in the nodes
};

/// Feeds a ThermalNetwork with the energy of the components from the ledger, and throttles.
///
/// It has no process of its own. Each host command and each flash command calls look() when it begins. When
/// `thermal.step` has passed since the last step, the mean power of each node since then is known exactly, and the
/// network crosses the gap in one exact step, however long the device was idle. Then the level is decided: it rises to
/// the highest one whose temperature is reached, and falls while the temperature is more than the hysteresis below that
/// of the level. So temperatures depend on simulated events alone.
///
/// The `duty` of a level limits when flash commands may begin (DutyGate), its `link` how long the link is in use.
/// A power cut resets the level; the drive cools while it is off. A device on its capacitors is not throttled.
class ThermalControl final : public HeatWatch {
 public:
  struct Point {
    Picoseconds at = 0;
    PerNode celsius{};
    PerNode watts{};  ///< mean since the point before
    std::uint32_t level = 0;
  };

  /// All arguments must outlive it. `errors` (may be null): its cells age by the temperature of the NAND.
  ThermalControl(const ThermalConfig& config, const BitErrorConfig& aging, EnergyLedger& ledger, TimedFlash& flash,
                 HostLink& link, BitErrors* errors);

  /// The timed run begins; components have been added to the ledger by now.
  void begin(Picoseconds now);
  /// The device runs on its capacitors.
  void hold_up();
  void power_cut(Picoseconds now);
  void power_on(Picoseconds now);

  /// Temperatures at `now`.
  const PerNode& celsius(Picoseconds now);
  double composite(Picoseconds now);
  double composite_of(const PerNode& celsius) const;
  std::uint32_t level() const { return level_; }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(config_.throttle.size()); }

  void reset_statistics(Picoseconds now);
  ThermalStatistics statistics() const;
  /// Temperatures over the run, at most kPoints of them.
  const std::vector<Point>& points() const { return points_; }
  static constexpr std::size_t kPoints = 4096;

 private:
  void act(Picoseconds now) override;
  void advance(Picoseconds now);
  void decide(bool afresh);
  void apply(std::uint32_t level);
  void note(Picoseconds now);
  PerNode joules(Picoseconds now) const;

  const ThermalConfig& config_;
  const BitErrorConfig& aging_;
  EnergyLedger& ledger_;
  TimedFlash& flash_;
  HostLink& link_;
  BitErrors* errors_;
  ThermalNetwork network_;
  std::array<std::vector<const EnergyMeter*>, kThermalNodes> meters_;
  bool begun_ = false;
  bool finished_ = false;  // the ledger is finished: no later energy is known
  bool held_up_ = false;
  Picoseconds now_ = 0;  // of the temperatures
  PerNode joules_{};     // drawn until then
  std::uint32_t level_ = 0;

  Picoseconds counted_from_ = 0;
  PerNode highest_{};
  double composite_highest_ = 0;
  PerNode sums_{};  // C s
  double heat_ = 0;
  double out_ = 0;
  double stored_before_ = 0;
  std::vector<Picoseconds> at_level_;
  std::vector<std::uint64_t> entered_;
  std::uint64_t transitions_ = 0;

  std::vector<Point> points_;
  Picoseconds spacing_ = 0;  // of points
  PerNode noted_joules_{};   // at the last one
};

}  // namespace flashloom
