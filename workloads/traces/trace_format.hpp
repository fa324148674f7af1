// Registry of trace formats, and the way to open a trace. A format is one .cpp file in this folder: a TraceReader (see
// trace_reader.hpp) and a registration,
//
//     const TraceFormatRegistration registration{{.name = "msr", .aliases = {}, .summary = "...", .parameters = {},
//                                                 .score = &score, .make = &make}};
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "workloads/line_reader.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// A parameter that a format declares.
struct TraceParameter {
  std::string name;
  std::string default_value;
  std::vector<std::string> choices;
  std::string help;  ///< one line
};

/// How to read a trace.
struct TraceOptions {
  std::string format{};                             ///< name or alias; empty: found out from the first lines
  std::map<std::string, std::string> parameters{};  ///< of the format: "time_unit" (disksim), "action" (blkparse)
};

/// What a format's factory receives.
struct TraceContext {
  std::map<std::string, std::string> parameters;  ///< complete and checked against the declaration
  std::vector<std::string> sample;                ///< the first lines of the file, without blank ones
};

struct TraceFormat {
  std::string name;
  std::vector<std::string> aliases;
  std::string summary;  ///< one line
  std::vector<TraceParameter> parameters;
  /// How well the first lines fit: 0 (not at all) to 100.
  int (*score)(std::span<const std::string> sample);
  std::unique_ptr<RequestSource> (*make)(std::unique_ptr<LineReader> lines, const TraceContext& context);
};

/// All formats in alphabetical order.
const std::vector<TraceFormat>& trace_formats();

/// A namespace-scope object of this type registers a format. Throws std::logic_error on a duplicate name: fatal at
/// start.
struct TraceFormatRegistration {
  explicit TraceFormatRegistration(TraceFormat format);
};

/// Opens a trace. Throws WorkloadError: unreadable file, unknown format or parameter (with the valid ones), no format
/// that fits. The source throws WorkloadError on a malformed line, and at its end if it held no request at all.
std::unique_ptr<RequestSource> open_trace(const std::string& path, const TraceOptions& options = {});

/// Share in percent of the sample that satisfies a predicate: the usual score.
template <class Predicate>
int score_lines(std::span<const std::string> sample, Predicate fits) {
  std::size_t matching = 0;
  for (const std::string& line : sample) matching += fits(line) ? 1U : 0U;
  return sample.empty() ? 0 : static_cast<int>(matching * 100 / sample.size());
}

}  // namespace flashloom
