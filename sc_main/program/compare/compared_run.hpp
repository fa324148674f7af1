// The results of a run, read from its folder.
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
    double above = 0;  ///< share of requests with a longer latency
  };
  std::string name{};  ///< shortest end of its path that distinguishes it from the other runs
  std::string path{};  ///< of result.json or datasheet.json
  nlohmann::ordered_json result{};
  std::map<std::string, std::vector<Tail>> tails{};      ///< by operation, from latency_cdf.csv; empty: no such file
  std::map<std::string, std::vector<double>> series{};   ///< columns of series.csv, NaN for empty cells; empty: no file
  std::map<std::string, std::vector<double>> samples{};  ///< columns of uncertainty.csv; empty: no file
};

/// Reads folders with a result.json or a datasheet.json, or such files, and the tables beside them, if any. Throws
/// UsageError, which names the file, if one is of neither schema, or of another one than the first.
std::vector<ComparedRun> read_runs(const std::vector<std::string>& paths);

/// The value at a path with slashes, as "/host/read/ios"; null if there is none.
const nlohmann::ordered_json* value_at(const nlohmann::ordered_json& result, const std::string& path);

}  // namespace flashloom
