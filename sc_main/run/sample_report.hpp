// What windows say of a whole run, as its result.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "sc_main/run/sample_window.hpp"
#include "sc_main/sample/calibration.hpp"
#include "sc_main/sample/merge_results.hpp"

namespace flashloom {

inline constexpr double kConfidence = 0.95;

/// Puts what windows, or segments, have measured in place of what was not measured of a result's simulation.
void put_merged(const std::vector<WindowResult>& windows, nlohmann::ordered_json& result);

class SampleReport {
 public:
  /// `begin`: of the run, measured whole; null: it is not part of the result. All of them outlive this.
  SampleReport(const Calibration& calibration, const WindowAnswer* begin, std::vector<const WindowAnswer*> windows)
      : calibration_(calibration), begin_(begin), windows_(std::move(windows)) {}

  /// Puts the sums over the run in place of what was not measured of the result's simulation, and adds "sample" with the
  /// intervals.
  void complete(nlohmann::ordered_json& result) const;
  /// The widest of the intervals of time and mean latencies: half of it over the estimate.
  double widest_error() const;

 private:
  using Json = nlohmann::ordered_json;
  void put_sums(Json& result) const;
  Json intervals(const Json& result) const;
  void add_operation(Json& intervals, std::size_t operation) const;
  template <class Over, class Under>
  Interval ratio(Over&& over, Under&& under) const;

  const Calibration& calibration_;
  const WindowAnswer* begin_;
  std::vector<const WindowAnswer*> windows_;
};

}  // namespace flashloom
