// Disk I/O of Event Tracing for Windows as `xperf -a dumper` prints it, and SNIA's Microsoft Production Server traces
// (IOTTA 158): between BeginHeader and EndHeader the fields of each event, then one event per line,
//     DiskRead, TimeStamp (us), Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime (us), DiskNum, ...
//     DiskWrite, ...
//     DiskFlush, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ElapsedTime, DiskNum, ...
// ByteOffset and IOSize are hexadecimal with 0x. The events are of completions: a request arrives ElapsedTime earlier,
// or by the option action at TimeStamp. A time before an earlier line's is raised to it. Other events are ignored.
#include <array>

#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::etw {
namespace {

constexpr std::uint64_t kTickPs = 1'000'000;              // microseconds
constexpr std::uint64_t kBase = std::uint64_t{1} << 40U;  // us: an issue may lie before the start of the trace
constexpr std::size_t kFields = 9;                        // up to DiskNum
using Fields = std::array<std::string_view, kFields>;

/// Splits off the fields that are needed; file names after them may contain commas. Returns their number.
std::size_t split_event(std::string_view text, Fields& fields) {
  const std::size_t count = split_commas(text, fields.data(), fields.size());
  return count == kMoreFields ? fields.size() : count;
}

bool is_event(std::string_view name) { return name == "DiskRead" || name == "DiskWrite" || name == "DiskFlush"; }

std::uint64_t parse_any_base(std::string_view text, const char* what) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  return hexadecimal ? parse_integer(text.substr(2), what, 16) : parse_integer(text, what);
}

class EtwReader final : public TraceReader {
 public:
  EtwReader(TraceInput input, const TraceContext& context)
      : TraceReader(std::move(input), kTickPs), issued_(context.parameters.at("action") == "D") {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    const std::size_t count = split_event(text, fields);
    if (!is_event(fields[0]) || fields[1] == "TimeStamp") return false;
    const bool flush = fields[0] == "DiskFlush";
    const std::size_t elapsed = flush ? 5 : 7;
    if (count < elapsed + 2) throw FieldError("the event ends before its DiskNum");
    record.kind = flush ? RequestKind::Flush : fields[0] == "DiskRead" ? RequestKind::Read : RequestKind::Write;
    record.time.ticks = kBase + parse_integer(fields[1], "TimeStamp");
    if (issued_) record.time.ticks -= std::min(parse_integer(fields[elapsed], "ElapsedTime"), record.time.ticks);
    record.writer = processes_.number_of(fields[2]);
    const std::uint64_t disk = parse_integer(fields[elapsed + 1], "DiskNum");
    if (disk > 255) throw FieldError("DiskNum is above 255");
    record.stream = static_cast<std::uint8_t>(disk);
    if (flush) return true;
    record.offset = parse_any_base(fields[5], "ByteOffset");
    record.length = parse_any_base(fields[6], "IOSize");
    return true;
  }

  std::string why_empty() const override { return "no DiskRead, DiskWrite or DiskFlush events"; }

  bool issued_;
  WriterNumbers processes_;
};

/// Traces begin with a long header and hold other events, too: one event of a disk tells.
int score(const TraceSample& sample) {
  for (const std::string_view line : sample.lines) {
    Fields fields;
    const std::size_t count = split_event(line, fields);
    if ((is_event(fields[0]) && count >= 7) || line == "BeginHeader") return 100;
  }
  return 0;
}

const TraceFormatRegistration registration{
    {.name = "etw",
     .aliases = {"xperf", "msprod"},
     .summary = "disk events of ETW, text of xperf's dumper (Microsoft Production Server)",
     .parameters = {{.name = "action",
                     .default_value = "D",
                     .choices = {"D", "C"},
                     .help = "a request arrives when it is issued (D) or completed (C)"}},
     .score = &score,
     .make = &make_reader<EtwReader>}};

}  // namespace
}  // namespace flashloom::trace_format::etw
