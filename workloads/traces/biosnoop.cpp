// Text of biosnoop (tools/biosnoop.py and libbpf-tools/biosnoop.c of bcc), one completed request per line:
//     TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)
// T is R or W, or RWBS. TIME is that of the completion; a request arrives at TIME - LAT, its issue to the device, or by
// the option action at TIME. Lines are in the order of completion; a time before an earlier line's is raised to it.
// Disks are numbered as streams, from 0 as they appear.
#include <array>
#include <optional>

#include "workloads/traces/rwbs.hpp"
#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::biosnoop {
namespace {

constexpr std::uint64_t kTickPs = 1'000'000;  // microseconds
constexpr std::uint64_t kSecondPs = 1'000'000'000'000;
constexpr std::uint64_t kBase = std::uint64_t{1} << 40U;  // us: the issue of the first request lies before TIME 0
constexpr std::uint64_t kSector = 512;
constexpr std::size_t kMostFields = 24;

struct Line {
  std::string_view time, process, disk, operation, sector, bytes, latency;
};

/// Takes a line apart from its end, since the process may have blanks in its name.
std::optional<Line> taken_apart(std::string_view text) {
  std::array<std::string_view, kMostFields> fields;
  const std::size_t count = split_blanks(text, fields.data(), fields.size());
  if (count == kMoreFields || count < 8) return std::nullopt;
  const std::size_t queued = is_integer(fields[count - 2]) ? 0 : 1;  // QUE and LAT have a point
  if (count < 8 + queued) return std::nullopt;
  const std::string_view* const end = fields.data() + count - queued;
  const std::string_view first = fields[1];
  const std::string_view last = end[-7];
  if (last.data() < first.data()) return std::nullopt;
  const std::string_view process{first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
  return Line{fields[0], process, end[-5], end[-4], end[-3], end[-2], fields[count - 1]};
}

bool is_header(std::string_view text) { return text.starts_with("TIME"); }

class BiosnoopReader final : public TraceReader {
 public:
  BiosnoopReader(TraceInput input, const TraceContext& context)
      : TraceReader(std::move(input), kTickPs),
        issued_(context.parameters.at("action") == "D"),
        notes_(context.notes) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (is_header(text)) return false;
    const std::optional<Line> line = taken_apart(text);
    if (!line) throw FieldError("expected TIME COMM PID DISK T SECTOR BYTES [QUE] LAT");
    const TraceTime seconds = parse_time(line->time, "TIME", kSecondPs);
    std::uint64_t us = kBase + seconds.ticks * 1'000'000 + seconds.fraction_ps / kTickPs;
    if (issued_) {
      const TraceTime ms = parse_time(line->latency, "LAT", kSecondPs / 1000);
      us -= std::min(ms.ticks * 1000 + ms.fraction_ps / kTickPs, kBase);
    }
    record.time.ticks = us;
    record.writer = processes_.number_of(line->process);
    const std::uint16_t disk = disks_.number_of(line->disk);
    if (disk > 256) throw FieldError("more than 256 disks");
    record.stream = static_cast<std::uint8_t>(disk - 1);
    if (!parse_rwbs(line->operation, record, *notes_)) return false;
    if (record.kind == RequestKind::Flush) return true;
    record.offset = parse_scaled(line->sector, "SECTOR", kSector);
    record.length = parse_integer(line->bytes, "BYTES");
    if (record.preflush && record.length == 0) record.kind = RequestKind::Flush;
    return true;
  }

  bool issued_;
  std::shared_ptr<TraceNotes> notes_;
  WriterNumbers processes_;
  WriterNumbers disks_;
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view text) {
    if (is_header(text)) return text.find("SECTOR") != std::string_view::npos;
    const std::optional<Line> line = taken_apart(text);
    return line && is_decimal(line->time) && line->time.find('.') != std::string_view::npos &&
           std::string_view("RWDFNZ").find(line->operation.front()) != std::string_view::npos &&
           is_integer(line->sector) && is_integer(line->bytes) && is_decimal(line->latency);
  });
}

const TraceFormatRegistration registration{
    {.name = "biosnoop",
     .aliases = {"bcc"},
     .summary = "text of biosnoop (bcc, libbpf-tools)",
     .parameters = {{.name = "action",
                     .default_value = "D",
                     .choices = {"D", "C"},
                     .help = "a request arrives when it is issued (D) or completed (C)"}},
     .score = &score,
     .make = &make_reader<BiosnoopReader>}};

}  // namespace
}  // namespace flashloom::trace_format::biosnoop
