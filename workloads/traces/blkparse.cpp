// Text output of blkparse (blktrace; blkparse(1), default format): one event per line,
//     major,minor  cpu  sequence  seconds  pid  action  RWBS  first_sector + sectors  [process]
// Events of one action are the requests: D (issued to the driver), or by option Q (queued) or C (completed).
// blktrace sometimes stamps a record with the wall clock instead of the time of the run; such times count as clamped.
#include <array>

#include "workloads/traces/block_action.hpp"
#include "workloads/traces/rwbs.hpp"
#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::blkparse {
namespace {

constexpr std::uint64_t kTickPs = 1'000'000'000'000;  // seconds
constexpr std::size_t kEventFields = 7;               // fields up to RWBS
using Fields = std::array<std::string_view, 10>;

/// Splits off the fields up to the extent; the process name after them may contain blanks.
std::size_t split_event(std::string_view text, Fields& fields) {
  const std::size_t count = split_blanks(text, fields.data(), fields.size());
  return count == kMoreFields ? fields.size() : count;
}

/// The process name in brackets at the end of a line; empty if there is none.
std::string_view process_of(std::string_view text) {
  const std::size_t begin = text.rfind(" [");
  const std::size_t end = text.rfind(']');
  return begin == std::string_view::npos || end == std::string_view::npos || end < begin
             ? std::string_view{}
             : text.substr(begin + 2, end - begin - 2);
}

bool is_device(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && is_integer(text.substr(0, comma)) && is_integer(text.substr(comma + 1));
}

/// Whether the line begins the statistics that follow the events.
bool begins_summary(std::string_view first_field) { return first_field.starts_with("CPU") || first_field == "Total"; }

class BlkparseReader final : public TraceReader {
 public:
  BlkparseReader(TraceInput input, const TraceContext& context)
      : TraceReader(std::move(input), kTickPs, FarTime::Clamp),
        action_(context.parameters.at("action")),
        notes_(context.notes) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    Fields fields;
    const std::size_t count = split_event(text, fields);
    if (!is_device(fields[0])) {
      if (begins_summary(fields[0])) in_summary_ = true;
      if (in_summary_ || fields[0] == "Input") return false;
      throw FieldError("expected \"major,minor\" of a blkparse event");
    }
    if (count < 6) throw FieldError("expected device, cpu, sequence, time, pid and action");
    if (fields[5] != action_) {
      const char other = fields[5].size() == 1 ? fields[5][0] : '\0';
      if (other == 'D' || other == 'Q' || other == 'C') ++others_;
      return false;
    }
    parse_integer(fields[2], "sequence number");
    record.time = parse_time(fields[3], "time", kTickPs);
    record.writer = processes_.number_of(process_of(text));
    if (count < kEventFields) throw FieldError("the event ends before its RWBS field");
    if (!parse_rwbs(fields[6], record, *notes_)) return false;
    const bool extent = count == fields.size() && fields[8] == "+";
    set_extent(record, fields[7], extent ? fields[9] : std::string_view{});
    return true;
  }

  std::string why_empty() const override { return "no " + action_ + " events" + but_other_actions(others_ != 0); }

  std::string action_;
  std::shared_ptr<TraceNotes> notes_;
  WriterNumbers processes_;
  std::uint64_t others_ = 0;
  bool in_summary_ = false;
};

int score(const TraceSample& sample) {
  bool events = false;
  bool in_summary = false;
  return score_lines(sample, [&events, &in_summary](std::string_view line) {
    Fields fields;
    const std::size_t count = split_event(line, fields);
    if (events && begins_summary(fields[0])) in_summary = true;
    if (in_summary) return true;
    const bool fits = count >= 6 && is_device(fields[0]) && is_integer(fields[1]) && is_integer(fields[2]) &&
                      is_decimal(fields[3]) && is_integer(fields[4]);
    events = events || fits;
    return fits;
  });
}

const TraceFormatRegistration registration{
    {.name = "blkparse",
     .aliases = {"blktrace"},
     .summary = "text output of blkparse",
     .parameters = {block_action("event that stands for a request: D issued, Q queued, C completed")},
     .score = &score,
     .make = &make_reader<BlkparseReader>}};

}  // namespace
}  // namespace flashloom::trace_format::blkparse
