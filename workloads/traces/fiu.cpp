// FIU traces (Koller and Rangaswami, "I/O Deduplication", FAST 2010; SNIA IOTTA 390 and 391): one request per line,
//     timestamp (ns)  pid  process  lba  sectors  R|W  major  minor  MD5 of the content         sectors of 512 bytes
// The name of a process may contain blanks, so the fields after it are counted from the end of the line.
#include <algorithm>
#include <array>

#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::fiu {
namespace {

constexpr std::size_t kFields = 9;
constexpr std::size_t kNameWords = 8;  // most words of a process name
constexpr std::size_t kAfterName = 6;
constexpr std::size_t kDigest = 32;
constexpr std::uint64_t kTickPs = 1'000;
constexpr std::uint64_t kSector = 512;
using Fields = std::array<std::string_view, kFields + kNameWords - 1>;

/// Splits a line: fields[2] becomes the whole process name, fields[3] to fields[8] the fields after it. Returns false
/// if there are too few fields or too many.
bool split(std::string_view line, Fields& fields) {
  const std::size_t count = split_blanks(line, fields.data(), fields.size());
  if (count < kFields || count == kMoreFields) return false;
  const std::string_view last_word = fields[count - kAfterName - 1];
  fields[2] = {fields[2].data(), static_cast<std::size_t>(last_word.data() + last_word.size() - fields[2].data())};
  const auto behind = fields.begin() + static_cast<std::ptrdiff_t>(count - kAfterName);
  std::copy(behind, behind + kAfterName, fields.begin() + 3);
  return true;
}

class FiuReader final : public TraceReader {
 public:
  explicit FiuReader(TraceInput input) : TraceReader(std::move(input), kTickPs) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    if (!split(text, fields)) throw FieldError("expected timestamp pid process lba sectors op major minor digest");
    record.time.ticks = parse_integer(fields[0], "timestamp");
    parse_integer(fields[1], "pid");
    record.writer = processes_.number_of(fields[2]);
    record.offset = parse_scaled(fields[3], "lba", kSector);
    record.length = parse_scaled(fields[4], "sectors", kSector);
    record.kind = parse_read_write(fields[5]);
    parse_integer(fields[6], "major number");
    record.stream = static_cast<std::uint8_t>(parse_integer(fields[7], "minor number"));
    return true;
  }

  WriterNumbers processes_;
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return split(line, fields) && is_integer(fields[0]) && is_integer(fields[1]) && is_integer(fields[3]) &&
           is_integer(fields[4]) && fields[5].size() == 1 && is_read_write(fields[5]) && fields[8].size() == kDigest;
  });
}

const TraceFormatRegistration registration{{.name = "fiu",
                                            .aliases = {},
                                            .summary = "FIU: ts_ns pid process lba sectors R|W major minor md5",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make_reader<FiuReader>}};

}  // namespace
}  // namespace flashloom::trace_format::fiu
