// Registry of trace formats, and the way to open a trace. A format is one .cpp file in this folder: a reader (text
// lines: trace_reader.hpp; binary records: record_source.hpp) and a registration,
//
//     const TraceFormatRegistration registration{{.name = "msr", .aliases = {}, .summary = "...", .parameters = {},
//                                                 .score = &score, .make = &make}};
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/byte_stream.hpp"
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
  std::string format{};                             ///< name or alias; empty: found out from the first bytes
  std::map<std::string, std::string> parameters{};  ///< of the format: "time_unit" (disksim), "action" (blkparse)
};

/// The beginning of a trace, decompressed, by which its format is known.
struct TraceSample {
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;
  static constexpr std::size_t kLines = 32;

  std::string_view bytes;               ///< the first 64 KiB, or all of it
  std::vector<std::string_view> lines;  ///< the first 32 lines therein that are not blank, as a text file has them
};

/// What a reader reads: the bytes, decompressed, and the name that messages give them.
struct TraceInput {
  std::string name;
  std::unique_ptr<ByteStream> bytes;
};

/// What else a format's factory receives.
struct TraceContext {
  std::map<std::string, std::string> parameters;  ///< complete and checked against the declaration
  const TraceSample& sample;                      ///< valid during the call
};

inline constexpr int kLowestTraceScore = 80;

struct TraceFormat {
  std::string name;
  std::vector<std::string> aliases;
  std::string summary;  ///< one line
  std::vector<TraceParameter> parameters;
  /// How well the beginning fits: 0 (not at all) to 100; at least kLowestTraceScore is a fit.
  int (*score)(const TraceSample& sample);
  std::unique_ptr<RequestSource> (*make)(TraceInput input, const TraceContext& context);
};

/// All formats in alphabetical order.
const std::vector<TraceFormat>& trace_formats();

/// A namespace-scope object of this type registers a format. Throws std::logic_error on a duplicate name: fatal at
/// start.
struct TraceFormatRegistration {
  explicit TraceFormatRegistration(TraceFormat format);
  /// From now on a duplicate name is told there, and nothing is thrown: no exception gets out of a shared object that is being
  /// loaded. Null: throw again. `refusal` outlives that.
  static void note_refusal(std::string* refusal);
};

/// Opens a trace. Throws WorkloadError: unreadable file, unknown format or parameter (with the valid ones), no format
/// that fits, or several that fit equally. The source throws WorkloadError on a malformed line or record, and at its
/// end if it held no request at all.
std::unique_ptr<RequestSource> open_trace(const std::string& path, const TraceOptions& options = {});
/// The same of bytes from elsewhere (compressed or not); `name` stands for the file in messages.
std::unique_ptr<RequestSource> open_trace(TraceInput stored, const TraceOptions& options = {});

/// The beginning of a trace as the formats see it; the views are into `head`.
TraceSample trace_sample(std::string_view head);

/// Share in percent of the sample's lines that satisfy a predicate: the usual score. One line that does not is still a
/// fit, however few there are: the reader says best what is wrong with it.
template <class Predicate>
int score_lines(const TraceSample& sample, Predicate fits) {
  std::size_t matching = 0;
  for (const std::string_view line : sample.lines) matching += fits(line) ? 1U : 0U;
  if (matching == 0) return 0;
  const auto share = static_cast<int>(matching * 100 / sample.lines.size());
  return matching + 1 == sample.lines.size() ? std::max(share, kLowestTraceScore) : share;
}

}  // namespace flashloom
