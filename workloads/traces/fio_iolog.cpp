// fio I/O logs (fio HOWTO, "Trace file format v1", "v2" and "v3"), which write_iolog writes:
//     fio version 2 iolog                                   fio version 3 iolog
//     FILE add|open|close                                   TIME FILE add|open|close
//     FILE read|write|trim|sync|datasync OFFSET LENGTH      TIME FILE read|write|... OFFSET LENGTH
//     FILE wait MICROSECONDS LENGTH                         TIME: microseconds since the start of the run
// Version 1, of fio before 1.20, has lines "rw, offset, length" (rw: 0 read, 1 write) and no times.
// Offsets in any file are taken as offsets on the device, as fio does with replay_redirect. Files are numbered in the
// order in which they appear: from 0 as the stream, from 1 as the writer.
//
// Logs of latency, bandwidth and IOPS (HOWTO, "Log File Formats") have lines "time (ms), value, data direction, block
// size, offset, priority, ...", the last ones by version and options. They are refused: they hold samples, no requests.
#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::fio_iolog {
namespace {

constexpr std::uint64_t kTickPs = 1'000'000;  // microseconds
constexpr std::string_view kVersion2 = "fio version 2 iolog";
constexpr std::string_view kVersion3 = "fio version 3 iolog";

class FioIologReader final : public TraceReader {
 public:
  /// `version`: 1, or 0 if the first line says it.
  FioIologReader(TraceInput input, int version) : TraceReader(std::move(input), kTickPs), version_(version) {}

  bool timed() const override { return version_ != 1; }

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (version_ == 1) return parse_version1(text, record);
    if (version_ == 0) {
      version_ = text == kVersion2 ? 2 : text == kVersion3 ? 3 : 0;
      if (version_ == 0) throw FieldError("expected \"fio version 2 iolog\" or \"fio version 3 iolog\" first");
      return false;
    }
    std::array<std::string_view, 5> fields;
    const std::size_t time_fields = version_ == 3 ? 1 : 0;
    const std::size_t count = split_blanks(text, fields.data(), 4 + time_fields);
    if (count == kMoreFields) throw FieldError("more fields than an I/O action has");
    if (count < 2 + time_fields) throw FieldError("expected a file name and an action");
    if (version_ == 3) now_us_ = parse_integer(fields[0], "timestamp");
    const std::string_view action = fields[1 + time_fields];
    const std::string_view offset = fields[2 + time_fields];
    const std::string_view length = fields[3 + time_fields];
    const std::uint16_t file = files_.number_of(fields[time_fields]);
    if (action == "add" || action == "open" || action == "close") return false;
    if (action == "wait" && version_ == 2) {
      const std::uint64_t wait = parse_integer(offset, "wait");
      if (wait > std::numeric_limits<std::uint64_t>::max() - now_us_) throw FieldError("waits add up to too much");
      now_us_ += wait;
      return false;
    }
    record.time.ticks = now_us_;
    record.writer = file;
    record.stream = static_cast<std::uint8_t>(file - 1);
    if (action == "sync" || action == "datasync") {
      record.kind = RequestKind::Flush;
      return true;
    }
    if (action == "read") {
      record.kind = RequestKind::Read;
    } else if (action == "write") {
      record.kind = RequestKind::Write;
    } else if (action == "trim") {
      record.kind = RequestKind::Trim;
    } else {
      throw FieldError("unknown action \"" + std::string(action.substr(0, 40)) + "\" of version " +
                       std::to_string(version_) + "; valid: add, open, close, read, write, trim, sync, datasync" +
                       (version_ == 2 ? ", wait" : ""));
    }
    record.offset = parse_integer(offset, "offset");
    record.length = parse_integer(length, "length");
    return true;
  }

  static bool parse_version1(std::string_view text, TraceRecord& record) {
    std::array<std::string_view, 3> fields;
    require_fields(split_commas(text, fields.data(), fields.size()), fields.size(), "rw, offset, length");
    if (fields[0] != "0" && fields[0] != "1")
      throw FieldError("rw is neither 0 (read) nor 1 (write): \"" + std::string(fields[0].substr(0, 40)) + "\"");
    record.kind = fields[0] == "0" ? RequestKind::Read : RequestKind::Write;
    record.offset = parse_integer(fields[1], "offset");
    record.length = parse_integer(fields[2], "length");
    return true;
  }

  int version_;
  std::uint64_t now_us_ = 0;
  WriterNumbers files_;
};

bool has_version(const TraceSample& sample) {
  return !sample.lines.empty() && (sample.lines.front() == kVersion2 || sample.lines.front() == kVersion3);
}

int score_version1(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    std::array<std::string_view, 3> fields;
    return split_commas(line, fields.data(), fields.size()) == fields.size() &&
           (fields[0] == "0" || fields[0] == "1") && is_integer(fields[1]) && is_integer(fields[2]) && fields[2] != "0";
  });
}

/// Whether the lines are of a log of samples: four to seven fields after ", ", a data direction of 0 to 2 the third.
int score_samples(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    std::array<std::string_view, 7> fields;
    const std::size_t count = split_commas(line, fields.data(), fields.size());
    if (count == kMoreFields || count < 4 || line.find(", ") == std::string_view::npos) return false;
    for (const std::string_view field : std::span(fields).first(std::min<std::size_t>(count, 5)))
      if (!is_integer(field)) return false;
    return fields[2].size() == 1 && fields[2].front() <= '2';
  });
}

int score(const TraceSample& sample) {
  return has_version(sample) ? 100 : std::max(score_version1(sample), score_samples(sample));
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  const TraceSample& sample = context.sample;
  if (!has_version(sample) && score_samples(sample) >= kLowestTraceScore)
    throw WorkloadError(input.name, 1,
                        "a log of latency, bandwidth or IOPS of fio holds no requests; let fio write them by "
                        "write_iolog=FILE");
  const int version = !has_version(sample) && score_version1(sample) >= kLowestTraceScore ? 1 : 0;
  return std::make_unique<FioIologReader>(std::move(input), version);
}

const TraceFormatRegistration registration{{.name = "fio_iolog",
                                            .aliases = {"iolog", "fio"},
                                            .summary = "fio I/O log, version 1 (no times), 2 (waits) or 3 (timestamps)",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::fio_iolog
