// Cloud block storage of Tencent (Zhang et al., "OSCA: An Online-Model Based Cache Allocation Scheme in Cloud Block
// Storage Systems", USENIX ATC 2020; SNIA IOTTA trace 27917): one request per line,
//     timestamp (s), offset (512-byte sectors), size (sectors), type (0 = read, 1 = write), volume
// Each volume has its own address space; its number is the stream.
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::tencent {
namespace {

constexpr std::size_t kFields = 5;
constexpr std::uint64_t kTickPs = 1'000'000'000'000;
constexpr std::uint64_t kSector = 512;
constexpr const char* kLayout = "timestamp,offset,size,type,volume";
using Fields = std::array<std::string_view, kFields>;

bool is_type(std::string_view field) { return field == "0" || field == "1"; }

class TencentReader final : public TraceReader {
 public:
  explicit TencentReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    require_fields(split_commas(text, fields.data(), kFields), kFields, kLayout);
    record.time = parse_time(fields[0], "timestamp", kTickPs);
    record.offset = parse_scaled(fields[1], "offset", kSector);
    record.length = parse_scaled(fields[2], "size", kSector);
    if (!is_type(fields[3]))
      throw FieldError("type is neither 0 (read) nor 1 (write): \"" + std::string(fields[3]) + "\"");
    record.kind = fields[3] == "1" ? RequestKind::Write : RequestKind::Read;
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[4], "volume"));
    return true;
  }
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return split_commas(line, fields.data(), kFields) == kFields && is_decimal(fields[0]) && is_integer(fields[1]) &&
           is_integer(fields[2]) && fields[2] != "0" && is_type(fields[3]) && is_integer(fields[4]);
  });
}

const TraceFormatRegistration registration{{.name = "tencent",
                                            .aliases = {"cbs"},
                                            .summary = "Tencent block storage CSV: timestamp,offset,size,type,volume",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make_reader<TencentReader>}};

}  // namespace
}  // namespace flashloom::trace_format::tencent
