// SPC traces (Storage Performance Council, "SPC Trace File Format Specification", revision 1.0.1), as the UMass trace
// repository provides them (Financial1/2, WebSearch1-3): one request per line,
//     ASU, LBA, size (bytes), opcode (R|r|W|w), timestamp (seconds) [, further fields]
// The specification leaves the size of a logical block to the trace's description; UMass's have 512 bytes. Each ASU
// (application storage unit) has its own address space; its number is the stream.
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::spc {
namespace {

constexpr std::size_t kFields = 5;
constexpr std::uint64_t kTickPs = 1'000'000'000'000;
using Fields = std::array<std::string_view, kFields>;

/// Splits off the first five fields; further fields are optional and not defined by the format.
bool split(std::string_view line, Fields& fields) {
  const std::size_t count = split_commas(line, fields.data(), kFields);
  return count == kFields || count == kMoreFields;
}

class SpcReader final : public TraceReader {
 public:
  SpcReader(TraceInput input, std::uint64_t block) : TraceReader(std::move(input), kTickPs), block_(block) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    if (!split(text, fields)) throw FieldError("expected 5 fields (ASU,LBA,size,opcode,timestamp), found fewer");
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[0], "ASU"));
    record.offset = parse_scaled(fields[1], "LBA", block_);
    record.length = parse_integer(fields[2], "size");
    record.kind = parse_read_write(fields[3]);
    record.time = parse_time(fields[4], "timestamp", kTickPs);
    return true;
  }

  std::uint64_t block_;
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return split(line, fields) && is_integer(fields[0]) && is_integer(fields[1]) && is_integer(fields[2]) &&
           fields[3].size() == 1 && is_read_write(fields[3]) && is_decimal(fields[4]);
  });
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  return std::make_unique<SpcReader>(std::move(input), parse_integer(context.parameters.at("lba_bytes"), "lba_bytes"));
}

const TraceFormatRegistration registration{{.name = "spc",
                                            .aliases = {"umass", "spc1"},
                                            .summary = "SPC text, UMass: ASU,LBA,size,opcode,timestamp",
                                            .parameters = {{.name = "lba_bytes",
                                                            .default_value = "512",
                                                            .choices = {"512", "1024", "2048", "4096"},
                                                            .help = "bytes of a logical block"}},
                                            .score = &score,
                                            .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::spc
