// What a run left in its folder, read back to be compared.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace flashloom {

struct ComparedRun {
  /// A step of the distribution of latencies.
  struct Tail {
    double latency_ns = 0;
    double above = 0;  ///< share of the requests that took longer
  };
  std::string name{};  ///< the shortest end of its path that no other run has
  std::string path{};  ///< of result.json
  nlohmann::ordered_json result{};
  std::map<std::string, std::vector<Tail>> tails{};      ///< by operation, from latency_cdf.csv; empty: not there
  std::map<std::string, std::vector<double>> series{};   ///< columns of series.csv, NaN where empty; likewise
  std::map<std::string, std::vector<double>> samples{};  ///< columns of uncertainty.csv; likewise
};

/// Reads folders with a result.json, or such files; the tables beside them where there are any. Throws UsageError,
/// which names the file, if one is no result of this program's schema.
std::vector<ComparedRun> read_runs(const std::vector<std::string>& paths);

/// The value at a path with slashes, as "/host/read/ios"; null if it is not there.
const nlohmann::ordered_json* value_at(const nlohmann::ordered_json& result, const std::string& path);

}  // namespace flashloom
