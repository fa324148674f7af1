// Registry of trace formats; opens traces. A format is one .cpp file in this folder: a reader (text
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
  std::vector<std::string> choices;  ///< empty: any text
  std::string help;                  ///< one line
};

/// What readers ignored, summed over all traces that share it.
struct TraceNotes {
  std::uint64_t unknown_flags = 0;
  std::string flags{};  ///< the first of them
};
/// "unknown RWBS flags ignored: Q, x"; empty if there was nothing.
std::string note_text(const TraceNotes& notes);

/// How to read a trace.
struct TraceOptions {
  std::string format{};                             ///< name or alias; empty: detected from the first bytes
  std::map<std::string, std::string> parameters{};  ///< of the format: "time_unit" (disksim), "action" (blkparse)
  std::shared_ptr<TraceNotes> notes{};              ///< the reader adds to them
};

/// The decompressed beginning of a trace, for detection of its format.
struct TraceSample {
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;
  static constexpr std::size_t kLines = 32;

  std::string_view bytes;               ///< the first 64 KiB, or the whole trace if shorter
  std::vector<std::string_view> lines;  ///< the first 32 lines of `bytes` that are not blank
};

/// Input of a reader: the decompressed bytes, and their name in messages.
struct TraceInput {
  std::string name;
  std::unique_ptr<ByteStream> bytes;
};

/// Further arguments of a format's factory.
struct TraceContext {
  std::map<std::string, std::string> parameters;  ///< complete and checked against the declaration
  const TraceSample& sample;                      ///< valid during the call
  std::shared_ptr<TraceNotes> notes;              ///< never null
};

inline constexpr int kLowestTraceScore = 80;

struct TraceFormat {
  std::string name;
  std::vector<std::string> aliases;
  std::string summary;  ///< one line
  std::vector<TraceParameter> parameters;
  /// How well the sample fits the format: 0 (not at all) to 100; at least kLowestTraceScore is a fit.
  int (*score)(const TraceSample& sample);
  std::unique_ptr<RequestSource> (*make)(TraceInput input, const TraceContext& context);
};

/// All formats in alphabetical order.
const std::vector<TraceFormat>& trace_formats();

/// A namespace-scope object of this type registers a format. Throws std::logic_error on a duplicate name: fatal at
/// start.
struct TraceFormatRegistration {
  explicit TraceFormatRegistration(TraceFormat format);
  /// From now on a registration with a duplicate name puts its error into `*refusal` instead of throwing, since no
  /// exception may leave a shared object that is being loaded. Null restores throwing; `refusal` must live until then.
  static void note_refusal(std::string* refusal);
};

/// Opens a trace. Throws WorkloadError: unreadable file, unknown format or parameter (names the valid ones), no format
/// that fits, or several that fit equally. The source throws WorkloadError on a malformed line or record, and at its
/// end if it held no request.
std::unique_ptr<RequestSource> open_trace(const std::string& path, const TraceOptions& options = {});
/// Opens a trace from bytes that may be compressed; messages use `stored.name` as the file name.
std::unique_ptr<RequestSource> open_trace(TraceInput stored, const TraceOptions& options = {});

/// The sample of a trace that begins with `head`; its views point into `head`.
TraceSample trace_sample(std::string_view head);

/// The usual score: percentage of the sample's lines that satisfy a predicate. A sample in which only one line fails is
/// still a fit, however few lines it has, so that the format's reader reports that line's error.
template <class Predicate>
int score_lines(const TraceSample& sample, Predicate fits) {
  std::size_t matching = 0;
  for (const std::string_view line : sample.lines) matching += fits(line) ? 1U : 0U;
  if (matching == 0) return 0;
  const auto share = static_cast<int>(matching * 100 / sample.lines.size());
  return matching + 1 == sample.lines.size() ? std::max(share, kLowestTraceScore) : share;
}

}  // namespace flashloom
