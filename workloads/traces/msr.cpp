// MSR-Cambridge CSV (Narayanan et al., "Write off-loading", FAST 2008): one request a line,
//     timestamp (100 ns, Windows FILETIME), host, disk number, Read|Write, offset (bytes), size (bytes), response (100
//     ns)
#include <array>

#include "workloads/traces/trace_format.hpp"
#include "workloads/traces/trace_reader.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kFields = 7;
constexpr std::uint64_t kTickPs = 100'000;
using Fields = std::array<std::string_view, kFields>;

bool is_header(std::string_view line) { return equals_ignoring_case(line.substr(0, line.find(',')), "timestamp"); }

class MsrReader final : public TraceReader {
 public:
  explicit MsrReader(std::unique_ptr<LineReader> lines) : TraceReader(std::move(lines), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (line() == 1 && is_header(text)) return false;
    Fields fields;
    const std::size_t count = split_commas(text, fields.data(), kFields);
    if (count != kFields)
      throw FieldError("expected 7 comma-separated fields, found " +
                       (count == kMoreFields ? std::string("more") : std::to_string(count)));
    record.time.ticks = parse_integer(fields[0], "timestamp");
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[2], "disk number"));
    if (equals_ignoring_case(fields[3], "read")) {
      record.kind = RequestKind::Read;
    } else if (equals_ignoring_case(fields[3], "write")) {
      record.kind = RequestKind::Write;
    } else {
      throw FieldError("operation is neither Read nor Write: \"" + std::string(fields[3].substr(0, 40)) + "\"");
    }
    record.offset = parse_integer(fields[4], "offset");
    record.length = parse_integer(fields[5], "size");
    parse_integer(fields[6], "response time");
    return true;
  }
};

int score(std::span<const std::string> sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return is_header(line) || (split_commas(line, fields.data(), kFields) == kFields && is_integer(fields[0]) &&
                               (equals_ignoring_case(fields[3], "read") || equals_ignoring_case(fields[3], "write")));
  });
}

std::unique_ptr<RequestSource> make(std::unique_ptr<LineReader> lines, const TraceContext&) {
  return std::make_unique<MsrReader>(std::move(lines));
}

const TraceFormatRegistration registration{
    {.name = "msr",
     .aliases = {"msr_cambridge", "msr-cambridge"},
     .summary = "MSR-Cambridge CSV: timestamp,host,disk,Read|Write,offset,size,response",
     .parameters = {},
     .score = &score,
     .make = &make}};

}  // namespace
}  // namespace flashloom
