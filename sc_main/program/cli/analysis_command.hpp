// Functions common to the untimed trace analyses: `flashloom cache` and `flashloom cold`.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "sc_main/program/options/analysis_options.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Opens the trace, or the generator. Throws WorkloadError, ConfigError.
std::unique_ptr<RequestSource> open_source(const AnalysisOptions& options);

/// part / whole; 0 if whole is 0.
inline double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Writes a table of rows with the same keys as CSV, or as JSON under the last key, `rows_name`, of `head`; to `out` or
/// to the file of the options.
void write_table(const AnalysisOptions& options, nlohmann::ordered_json head, const std::string& rows_name,
                 const std::vector<nlohmann::ordered_json>& rows, std::ostream& out);

}  // namespace flashloom
