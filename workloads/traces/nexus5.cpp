// Nexus 5 smartphone traces (Zhou et al., "I/O characteristics of smartphone applications and their implications for
// eMMC design", IISWC 2015; SNIA IOTTA): one request per line,
//     first_sector  sectors  bytes  flags  generated  started  submitted  finished         sectors of 512 bytes,
//     seconds
// Bit 0 of the flags is taken as "write"; that fits the traces, but no source confirms it. The arrival time is the time
// of generation. The phone sets its clock while it boots (from 1970 to the date), so a jump of more than a day is no
// pause: time continues without a gap, and the jump counts as a clamped time.
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::nexus5 {
namespace {

constexpr std::size_t kFields = 8;
constexpr std::uint64_t kTickPs = 1'000'000'000'000;
constexpr std::uint64_t kSector = 512;
using Fields = std::array<std::string_view, kFields>;

class Nexus5Reader final : public TraceReader {
 public:
  explicit Nexus5Reader(TraceInput input) : TraceReader(std::move(input), kTickPs, FarTime::ClockSet) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    require_fields(split_blanks(text, fields.data(), kFields), kFields,
                   "first_sector sectors bytes flags generated started submitted finished");
    record.offset = parse_scaled(fields[0], "first sector", kSector);
    record.length = parse_scaled(fields[1], "sectors", kSector);
    if (parse_integer(fields[2], "bytes") != record.length)
      throw FieldError("bytes are not sectors times 512: " + std::string(fields[2].substr(0, 40)));
    record.kind = (parse_integer(fields[3], "flags") & 1U) != 0 ? RequestKind::Write : RequestKind::Read;
    record.time = parse_time(fields[4], "time of generation", kTickPs);
    for (std::size_t i = 5; i < kFields; ++i) parse_time(fields[i], "time", kTickPs);
    return true;
  }
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    if (split_blanks(line, fields.data(), kFields) != kFields) return false;
    for (std::size_t i = 0; i < 4; ++i)
      if (!is_integer(fields[i])) return false;
    for (std::size_t i = 4; i < kFields; ++i)
      if (!is_decimal(fields[i])) return false;
    return true;
  });
}

const TraceFormatRegistration registration{
    {.name = "nexus5",
     .aliases = {},
     .summary = "Nexus 5 phone: lba sectors bytes flags and four times (bit 0 of flags: 1 = write)",
     .parameters = {},
     .score = &score,
     .make = &make_reader<Nexus5Reader>}};

}  // namespace
}  // namespace flashloom::trace_format::nexus5
