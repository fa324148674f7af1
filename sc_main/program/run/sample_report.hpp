// The result of a sampled run, from its windows.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "sc_main/program/run/sample_window.hpp"
#include "sc_main/program/sample/calibration.hpp"
#include "sc_main/program/sample/merge_results.hpp"

namespace flashloom {

inline constexpr double kConfidence = 0.95;

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
