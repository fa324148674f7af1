// Logs of DiskMon for Windows (Sysinternals), saved as text: one request per line,
//     sequence  time (seconds)  duration (seconds)  disk  Read|Write  first_sector  sectors     sectors of 512 bytes
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::diskmon {
namespace {

constexpr std::size_t kFields = 7;
constexpr std::uint64_t kTickPs = 1'000'000'000'000;
constexpr std::uint64_t kSector = 512;
using Fields = std::array<std::string_view, kFields>;

class DiskMonReader final : public TraceReader {
 public:
  explicit DiskMonReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    require_fields(split_blanks(text, fields.data(), kFields), kFields,
                   "sequence time duration disk Read|Write first_sector sectors");
    parse_integer(fields[0], "sequence number");
    record.time = parse_time(fields[1], "time", kTickPs);
    parse_time(fields[2], "duration", kTickPs);
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[3], "disk"));
    record.kind = parse_read_write(fields[4]);
    record.offset = parse_scaled(fields[5], "first sector", kSector);
    record.length = parse_scaled(fields[6], "sectors", kSector);
    return true;
  }
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return split_blanks(line, fields.data(), kFields) == kFields && is_integer(fields[0]) && is_decimal(fields[1]) &&
           is_decimal(fields[2]) && is_integer(fields[3]) && is_read_write(fields[4]) && is_integer(fields[5]) &&
           is_integer(fields[6]);
  });
}

const TraceFormatRegistration registration{{.name = "diskmon",
                                            .aliases = {},
                                            .summary = "DiskMon for Windows: seq time_s duration disk op lba sectors",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make_reader<DiskMonReader>}};

}  // namespace
}  // namespace flashloom::trace_format::diskmon
