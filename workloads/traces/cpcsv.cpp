// CloudPhysics CSV (Waldspurger et al., "Efficient MRC construction with SHARDS", FAST 2015; in libCacheSim's form): a
// header line, then one SCSI command of a virtual disk per line,
//     version, time (seconds), op (SCSI operation code, hexadecimal), size (bytes), lbn (512-byte blocks)
// Commands that move no blocks are skipped.
#include <array>

#include "workloads/traces/scsi.hpp"
#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::cpcsv {
namespace {

constexpr std::size_t kFields = 5;
constexpr std::uint64_t kTickPs = 1'000'000'000'000;
constexpr std::uint64_t kSector = 512;
constexpr const char* kLayout = "version,time,op,size,lbn";
using Fields = std::array<std::string_view, kFields>;

class CpCsvReader final : public TraceReader {
 public:
  explicit CpCsvReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (line() == 1 && equals_ignoring_case(text, kLayout)) return false;
    Fields fields;
    require_fields(split_commas(text, fields.data(), kFields), kFields, kLayout);
    parse_integer(fields[0], "version");
    record.time = parse_time(fields[1], "time", kTickPs);
    const auto kind = scsi_request(parse_integer(fields[2], "op", 16));
    record.length = parse_integer(fields[3], "size");
    record.offset = parse_scaled(fields[4], "lbn", kSector);
    if (!kind || (*kind != RequestKind::Flush && record.length == 0))
      return false;  // in SCSI a length of 0 means no transfer
    record.kind = *kind;
    return true;
  }
};

// Whether the line is a valid record with this version. All records have the same version; a format with a time in this
// field has different values.
bool fits(std::string_view line, std::string_view version) {
  constexpr std::size_t kLongestSize = 10;  // digits of 4 GiB
  Fields fields;
  if (split_commas(line, fields.data(), kFields) != kFields || fields[0] != version || !is_decimal(fields[1]) ||
      fields[2].empty() || fields[2].size() > 2 ||
      fields[2].find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos || !is_integer(fields[3]) ||
      fields[3].size() > kLongestSize || !is_integer(fields[4]))
    return false;
  const auto kind = scsi_request(parse_integer(fields[2], "op", 16));
  if (!kind || *kind == RequestKind::Flush) return true;
  return fields[3] != "0" && parse_integer(fields[3], "size") % kSector == 0;
}

int score(const TraceSample& sample) {
  constexpr std::size_t kLongestVersion = 2;
  std::string_view version;
  for (const std::string_view line : sample.lines)
    if (Fields fields;
        version.empty() && split_commas(line, fields.data(), kFields) == kFields && is_integer(fields[0]))
      version = fields[0];
  if (version.size() > kLongestVersion) return 0;
  return score_lines(
      sample, [version](std::string_view line) { return equals_ignoring_case(line, kLayout) || fits(line, version); });
}

const TraceFormatRegistration registration{{.name = "cpcsv",
                                            .aliases = {"cloudphysics"},
                                            .summary = "CloudPhysics CSV: version,time,op,size,lbn",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make_reader<CpCsvReader>}};

}  // namespace
}  // namespace flashloom::trace_format::cpcsv
