// The results of windows as one result of the whole run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace flashloom {

struct WindowResult {
  double weight = 1;              ///< of how many stretches of its length it stands for, itself included
  nlohmann::ordered_json result;  ///< what make_measured() gave of it
};

/// How the values of a field come together. A field that nothing is said of is a count or a sum (merge_results.cpp).
enum class MergeRule {
  Sum,      ///< each as often as its weight says
  Highest,  ///< of what was looked at: no more can be known
  Lowest,
  ByTime,   ///< mean, weighted by the length of the window
  ByCount,  ///< mean, weighted by the count beside it
  Last,     ///< a state: of the last window
  First,    ///< the same everywhere
};
/// Of a field of a result, by its path without the numbers of lists: "utilization.dies.idle".
MergeRule merge_rule(const std::string& path);

/// That were written to the SSD, by the host or a tier: what its write amplification is of.
double ssd_written_bytes(const nlohmann::ordered_json& result);
/// Of data, both ways: of a window's requests by operation.
double moved_bytes(const nlohmann::ordered_json& requests);

/// Windows in the order of the run; none of them is empty. Rates and ratios (waf, average_w, j_per_io, ...) follow from
/// the sums. Throws std::logic_error where the windows' shapes do not fit together.
nlohmann::ordered_json merge_results(const std::vector<WindowResult>& windows);

}  // namespace flashloom
