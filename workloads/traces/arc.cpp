// ARC traces, .lis (Megiddo and Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003): one request
// per line,
//     first_block  blocks  ignored  number                                                      blocks of 512 bytes
// The traces contain neither times nor operations: every request is a read, and only a closed loop can replay them.
#include <array>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::arc {
namespace {

constexpr std::size_t kFields = 4;
constexpr std::uint64_t kTickPs = 1;  // unused: the traces have no times
constexpr std::uint64_t kBlock = 512;
using Fields = std::array<std::string_view, kFields>;

class ArcReader final : public TraceReader {
 public:
  explicit ArcReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

  bool timed() const override { return false; }

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    require_fields(split_blanks(text, fields.data(), kFields), kFields, "first_block blocks ignored number");
    record.offset = parse_scaled(fields[0], "first block", kBlock);
    record.length = parse_scaled(fields[1], "blocks", kBlock);
    parse_integer(fields[2], "third field");
    parse_integer(fields[3], "request number");
    return true;
  }
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return split_blanks(line, fields.data(), kFields) == kFields && is_integer(fields[0]) && is_integer(fields[1]) &&
           is_integer(fields[2]) && is_integer(fields[3]);
  });
}

const TraceFormatRegistration registration{{.name = "arc",
                                            .aliases = {"lis"},
                                            .summary = "ARC .lis: first_block blocks ignored number; reads, no times",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make_reader<ArcReader>}};

}  // namespace
}  // namespace flashloom::trace_format::arc
