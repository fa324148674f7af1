// Merges the results of windows into one result of the whole run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace flashloom {

struct WindowResult {
  double weight = 1;              ///< number of stretches of its length that it stands for, itself included
  nlohmann::ordered_json result;  ///< from make_measured()
};

/// How the values of a field are merged. The default is Sum, for counts and sums (merge_results.cpp).
enum class MergeRule {
  Sum,      ///< weighted sum
  Highest,  ///< maximum over the windows: the run's own may be higher
  Lowest,   ///< minimum over the windows
  ByTime,   ///< mean, weighted by the length of the window
  ByCount,  ///< mean, weighted by the count in the same object
  Last,     ///< state at the end of the last window
  First,    ///< constant: from the first window
};
/// The rule for a field of a result; `path`: without list indices, as "utilization.dies.idle".
MergeRule merge_rule(const std::string& path);

/// Bytes written to the SSD, by the host or by a tier: the denominator of its write amplification.
double ssd_written_bytes(const nlohmann::ordered_json& result);
/// Bytes read and written; `requests`: a result's "window" object, by operation.
double moved_bytes(const nlohmann::ordered_json& requests);

/// `windows`: in the order of the run, none of them empty. Rates and ratios (waf, average_w, j_per_io, ...) are
/// computed from the sums. Throws std::logic_error if there are no windows.
nlohmann::ordered_json merge_results(const std::vector<WindowResult>& windows);

}  // namespace flashloom
