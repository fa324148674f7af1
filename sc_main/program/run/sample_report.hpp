// The result of a sampled run, from its windows.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "sc_main/program/run/sample_window.hpp"
#include "sc_main/program/sample/calibration.hpp"
#include "sc_main/program/sample/merge_results.hpp"

namespace flashloom {

inline constexpr double kConfidence = 0.95;
/// Relative error of times, in writers, that neither windows nor seams show: transients too slow for any of them, and
/// where chance has left the data (docs/explanation/sampling.md, "How sure it is"; measured).
inline constexpr double kSlow = 0.0025;
/// The same for all figures of a tier, whose exchanges depend on time: write amplification came out up to 7 % too
/// low.
inline constexpr double kSlowTier = 0.06;

/// Replaces the figures of `result`, whose simulation measured nothing, with those merged from windows or segments.
void put_merged(const std::vector<WindowResult>& windows, nlohmann::ordered_json& result);

class SampleReport {
 public:
  /// `begin`: the run's begin, measured whole; null: it is not part of the result. The arguments outlive this object.
  SampleReport(const Calibration& calibration, const WindowAnswer* begin, std::vector<const WindowAnswer*> windows)
      : calibration_(calibration), begin_(begin), windows_(std::move(windows)) {}

  /// Puts the estimates for the whole run into `result`, and adds "sample" with their intervals.
  void complete(nlohmann::ordered_json& result) const;
  /// Largest relative error, half of an interval over its estimate, among the run's time and the mean latencies.
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
