// Systor'17 CSV (Lee et al., "Understanding storage traffic characteristics on enterprise virtual desktop
// infrastructure", SYSTOR 2017; SNIA IOTTA 4928): one request per line, after a header line,
//     Timestamp (seconds), Response (seconds, may be empty), IOType (R|W), LUN, Offset (bytes), Size (bytes)
// Lines are in the order of completion, timestamps are arrival times; a time before an earlier line's is raised to it.
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::systor {
namespace {

constexpr std::size_t kFields = 6;
constexpr std::uint64_t kTickPs = 1'000'000'000'000;
constexpr const char* kLayout = "Timestamp,Response,IOType,LUN,Offset,Size";
constexpr std::string_view kHeader = "timestamp,response,iotype,lun,offset,size";
using Fields = std::array<std::string_view, kFields>;

class SystorReader final : public TraceReader {
 public:
  explicit SystorReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (line() == 1 && equals_ignoring_case(text, kHeader)) return false;
    Fields fields;
    require_fields(split_commas(text, fields.data(), kFields), kFields, kLayout);
    record.time = parse_time(fields[0], "Timestamp", kTickPs);
    if (!fields[1].empty()) parse_time(fields[1], "Response", kTickPs);
    record.kind = parse_read_write(fields[2]);
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[3], "LUN"));
    record.offset = parse_integer(fields[4], "Offset");
    record.length = parse_integer(fields[5], "Size");
    return true;
  }
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return equals_ignoring_case(line, kHeader) ||
           (split_commas(line, fields.data(), kFields) == kFields && is_decimal(fields[0]) &&
            (fields[1].empty() || is_decimal(fields[1])) && is_read_write(fields[2]) && is_integer(fields[3]) &&
            is_integer(fields[4]) && is_integer(fields[5]));
  });
}

const TraceFormatRegistration registration{{.name = "systor",
                                            .aliases = {"systor17"},
                                            .summary = "Systor'17 CSV: Timestamp,Response,IOType,LUN,Offset,Size",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make_reader<SystorReader>}};

}  // namespace
}  // namespace flashloom::trace_format::systor
