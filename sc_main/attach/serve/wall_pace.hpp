// Couples simulated time to wall time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "models/common/types.hpp"
#include "sc_main/attach/linux/wall_clock.hpp"

namespace flashloom {

class WallPace {
 public:
  /// An answer that is sent later than due by more than this has missed its time.
  static constexpr std::int64_t kTolerance = 100'000;  // ns

  /// A simulated second takes `dilation` seconds of wall time.
  explicit WallPace(double dilation) : dilation_(dilation) {}

  void begin(Picoseconds now) {
    wall_ = wall_now();
    simulated_ = now;
  }
  /// The wall time of a simulated instant, in ns.
  std::int64_t due(Picoseconds at) const {
    return wall_ + static_cast<std::int64_t>(static_cast<double>(at - simulated_) * dilation_ / kPsInNs);
  }
  /// The simulated instant of the present wall time.
  Picoseconds instant() const {
    return simulated_ + static_cast<Picoseconds>(static_cast<double>(wall_now() - wall_) / dilation_ * kPsInNs);
  }
  /// Records that an answer that was due at a simulated instant is sent now.
  void answered(Picoseconds at) {
    const std::int64_t late = wall_now() - due(at);
    ++answers_;
    if (late > kTolerance) ++missed_;
    worst_ = std::max(worst_, late);
  }

  double dilation() const { return dilation_; }
  std::uint64_t answers() const { return answers_; }
  std::uint64_t missed() const { return missed_; }
  std::int64_t worst() const { return worst_; }  ///< ns

 private:
  static constexpr double kPsInNs = 1000;
  double dilation_;
  std::int64_t wall_ = 0;
  Picoseconds simulated_ = 0;
  std::uint64_t answers_ = 0;
  std::uint64_t missed_ = 0;
  std::int64_t worst_ = 0;
};

/// Key `pace` of run.json.
nlohmann::ordered_json pace_json(const WallPace& pace);
/// The same for the summary.
std::string pace_note(const WallPace& pace);

}  // namespace flashloom
