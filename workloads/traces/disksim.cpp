// DiskSim / MQSim ascii traces (DiskSim 4.0 manual, "ascii" trace format; the same in MQSim): one request per line,
//     time  device  first_sector  sectors  flags        sectors of 512 bytes; bit 0 of the flags: 1 = read
// DiskSim gives times in milliseconds with a fraction, MQSim and SSDsim in whole nanoseconds.
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::disksim {
namespace {

constexpr std::size_t kFields = 5;
constexpr std::uint64_t kSector = 512;
using Fields = std::array<std::string_view, kFields>;

class DiskSimReader final : public TraceReader {
 public:
  DiskSimReader(TraceInput input, std::uint64_t ps_per_tick, bool whole_times)
      : TraceReader(std::move(input), ps_per_tick), whole_times_(whole_times) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    require_fields(split_blanks(text, fields.data(), kFields), kFields, "time device first_sector sectors flags");
    record.time = parse_time(fields[0], "time", ps_per_tick());
    if (whole_times_ && fields[0].find('.') != std::string_view::npos)
      throw FieldError(
          "time has a fraction, but the first ones have none and were taken as nanoseconds: "
          "give the option time_unit");
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[1], "device"));
    record.offset = parse_scaled(fields[2], "first sector", kSector);
    record.length = parse_scaled(fields[3], "sectors", kSector);
    record.kind = (parse_integer(fields[4], "flags", 16) & 1U) != 0 ? RequestKind::Read : RequestKind::Write;
    return true;
  }

  bool whole_times_;
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return split_blanks(line, fields.data(), kFields) == kFields && is_decimal(fields[0]) && is_integer(fields[1]) &&
           is_integer(fields[2]) && is_integer(fields[3]) && fields[4].size() <= 8 &&
           fields[4].find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  });
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  std::string unit = context.parameters.at("time_unit");
  const bool detect = unit == "auto";
  if (detect) {
    unit = "ns";
    for (const std::string_view line : context.sample.lines) {
      Fields fields;
      split_blanks(line, fields.data(), kFields);
      if (fields[0].find('.') != std::string_view::npos) unit = "ms";
    }
  }
  const std::uint64_t tick = unit == "ns" ? 1'000U : unit == "ms" ? 1'000'000'000U : 1'000'000'000'000U;
  return std::make_unique<DiskSimReader>(std::move(input), tick, detect && unit == "ns");
}

const TraceFormatRegistration registration{
    {.name = "disksim",
     .aliases = {"mqsim", "ascii"},
     .summary = "DiskSim/MQSim ascii: time device first_sector sectors flags (bit 0: 1 = read)",
     .parameters = {{.name = "time_unit",
                     .default_value = "auto",
                     .choices = {"auto", "ns", "ms", "s"},
                     .help = "unit of the times; auto: ms if the first ones have fractions, else ns"}},
     .score = &score,
     .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::disksim
