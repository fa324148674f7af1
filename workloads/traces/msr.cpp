// MSR-Cambridge CSV (Narayanan et al., "Write off-loading", FAST 2008): one request per line,
//     timestamp (100 ns, Windows FILETIME), host, disk number, Read|Write, offset (bytes), size (bytes), response (100
//     ns)
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::msr {
namespace {

constexpr std::size_t kFields = 7;
constexpr std::uint64_t kTickPs = 100'000;
constexpr const char* kLayout = "timestamp,host,disk,Read|Write,offset,size,response";
using Fields = std::array<std::string_view, kFields>;

bool is_header(std::string_view line) {
  Fields fields;
  return split_commas(line, fields.data(), kFields) == kFields && equals_ignoring_case(fields[0], "timestamp");
}

class MsrReader final : public TraceReader {
 public:
  explicit MsrReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (line() == 1 && is_header(text)) return false;
    Fields fields;
    require_fields(split_commas(text, fields.data(), kFields), kFields, kLayout);
    record.time.ticks = parse_integer(fields[0], "timestamp");
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[2], "disk number"));
    record.kind = parse_read_write(fields[3]);
    record.offset = parse_integer(fields[4], "offset");
    record.length = parse_integer(fields[5], "size");
    parse_integer(fields[6], "response time");
    return true;
  }
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return is_header(line) || (split_commas(line, fields.data(), kFields) == kFields && is_integer(fields[0]) &&
                               is_read_write(fields[3]) && is_integer(fields[4]));
  });
}

const TraceFormatRegistration registration{
    {.name = "msr",
     .aliases = {"msr_cambridge", "msr-cambridge"},
     .summary = "MSR-Cambridge CSV: timestamp,host,disk,Read|Write,offset,size,response",
     .parameters = {},
     .score = &score,
     .make = &make_reader<MsrReader>}};

}  // namespace
}  // namespace flashloom::trace_format::msr
