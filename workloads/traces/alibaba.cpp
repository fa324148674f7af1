// Cloud block storage of Alibaba (Li et al., "An In-Depth Analysis of Cloud Block Storage Workloads in Large-Scale
// Production", IISWC 2020): one request per line,
//     device_id, opcode (R|W), offset (bytes), length (bytes), timestamp (microseconds)
// Each device has its own address space; its number is the stream.
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::alibaba {
namespace {

constexpr std::size_t kFields = 5;
constexpr std::uint64_t kTickPs = 1'000'000;
constexpr const char* kLayout = "device_id,opcode,offset,length,timestamp";
using Fields = std::array<std::string_view, kFields>;

class AlibabaReader final : public TraceReader {
 public:
  explicit AlibabaReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (line() == 1 && equals_ignoring_case(text, kLayout)) return false;
    Fields fields;
    require_fields(split_commas(text, fields.data(), kFields), kFields, kLayout);
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[0], "device_id"));
    record.kind = parse_read_write(fields[1]);
    record.offset = parse_integer(fields[2], "offset");
    record.length = parse_integer(fields[3], "length");
    record.time.ticks = parse_integer(fields[4], "timestamp");
    return true;
  }
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return equals_ignoring_case(line, kLayout) ||
           (split_commas(line, fields.data(), kFields) == kFields && is_integer(fields[0]) && fields[1].size() == 1 &&
            is_read_write(fields[1]) && is_integer(fields[2]) && is_integer(fields[3]) && is_integer(fields[4]));
  });
}

const TraceFormatRegistration registration{
    {.name = "alibaba",
     .aliases = {"alibaba_cloud"},
     .summary = "Alibaba block storage CSV: device_id,opcode,offset,length,timestamp",
     .parameters = {},
     .score = &score,
     .make = &make_reader<AlibabaReader>}};

}  // namespace
}  // namespace flashloom::trace_format::alibaba
