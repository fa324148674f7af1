// fio I/O logs (fio HOWTO, "Trace file format v2" and "v3"), which write_iolog writes:
//     fio version 2 iolog                                   fio version 3 iolog
//     FILE add|open|close                                   TIME FILE add|open|close
//     FILE read|write|trim|sync|datasync OFFSET LENGTH      TIME FILE read|write|... OFFSET LENGTH
//     FILE wait MICROSECONDS LENGTH                         TIME: microseconds since the start of the run
// Offsets in any file are taken as offsets on the device, as fio does with replay_redirect. Files are numbered in the
// order in which they appear: from 0 as the stream, from 1 as the writer.
#include <array>
#include <limits>

#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::fio_iolog {
namespace {

constexpr std::uint64_t kTickPs = 1'000'000;  // microseconds
constexpr std::string_view kVersion2 = "fio version 2 iolog";
constexpr std::string_view kVersion3 = "fio version 3 iolog";

class FioIologReader final : public TraceReader {
 public:
  explicit FioIologReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
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

  int version_ = 0;
  std::uint64_t now_us_ = 0;
  WriterNumbers files_;
};

int score(const TraceSample& sample) {
  return !sample.lines.empty() && (sample.lines.front() == kVersion2 || sample.lines.front() == kVersion3) ? 100 : 0;
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext&) {
  return std::make_unique<FioIologReader>(std::move(input));
}

const TraceFormatRegistration registration{{.name = "fio_iolog",
                                            .aliases = {"iolog", "fio"},
                                            .summary = "fio I/O log, version 2 (waits) or 3 (timestamps)",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::fio_iolog
