// What the commands that run a trace through something without time do alike: `cache`, `cold`.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "sc_main/options/analysis_options.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// The trace, or the generator. Throws WorkloadError, ConfigError.
std::unique_ptr<RequestSource> open_source(const AnalysisOptions& options);

/// 0 of nothing.
inline double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// A table, one object a row, all with the same keys: CSV, or JSON as the last key, `rows_name`, of `head`; on `out` or
/// into the file that the options name.
void write_table(const AnalysisOptions& options, nlohmann::ordered_json head, const std::string& rows_name,
                 const std::vector<nlohmann::ordered_json>& rows, std::ostream& out);

}  // namespace flashloom
