// Block events as text of Linux' tracing: trace_pipe of tracefs, `trace-cmd report`, `perf script`. A line ends in
// (TP_printk in include/trace/events/block.h; since 6.9 with the I/O priority after the sectors)
//     seconds: block_rq_issue: major,minor RWBS bytes (command) first_sector + sectors [priority] [process]
//     seconds: block_rq_complete: major,minor RWBS (command) first_sector + sectors [priority] [error]
//     seconds: block_bio_queue: major,minor RWBS first_sector + sectors [process]
// where perf puts "block:" before the event. Events of one name are the requests, by the option action as in blkparse.
// Other lines are ignored.
#include <array>
#include <optional>

#include "workloads/traces/block_action.hpp"
#include "workloads/traces/rwbs.hpp"
#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::ftrace {
namespace {

constexpr std::uint64_t kTickPs = 1'000'000'000'000;  // seconds

struct Event {
  std::string_view name;
  char action;
};
constexpr std::array kEvents{Event{"block_rq_issue", 'D'}, Event{"block_rq_complete", 'C'},
                             Event{"block_bio_queue", 'Q'}};

/// A line taken apart.
struct Line {
  char action = '\0';
  std::string_view time;
  std::string_view rest;  // from the device
};

std::optional<Line> taken_apart(std::string_view text) {
  const std::size_t begin = text.find(": block");
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view event = text.substr(begin + 2);
  if (event.starts_with("block:")) {
    event.remove_prefix(6);
    while (event.starts_with(' ')) event.remove_prefix(1);
  }
  const std::size_t colon = event.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  for (const Event& known : kEvents) {
    if (event.substr(0, colon) != known.name) continue;
    const std::size_t blank = text.rfind(' ', begin - 1);
    const std::size_t at = begin == 0 || blank == std::string_view::npos ? 0 : blank + 1;
    return Line{known.action, text.substr(at, begin - at), event.substr(colon + 2)};
  }
  return std::nullopt;
}

class FtraceReader final : public TraceReader {
 public:
  FtraceReader(TraceInput input, const TraceContext& context)
      : TraceReader(std::move(input), kTickPs), action_(context.parameters.at("action")), notes_(context.notes) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    const std::optional<Line> line = taken_apart(text);
    if (!line) return false;
    if (line->action != action_.front()) {
      ++others_;
      return false;
    }
    record.time = parse_time(line->time, "time", kTickPs);
    std::array<std::string_view, 2> head;
    split_blanks(line->rest, head.data(), head.size());
    if (head[1].empty()) throw FieldError("the event ends before its RWBS field");
    if (!parse_rwbs(head[1], record, *notes_)) return false;
    const std::string_view rest = line->rest;
    const std::size_t plus = rest.find(" + ");
    if (plus == std::string_view::npos) throw FieldError("expected \"first_sector + sectors\"");
    const std::string_view before = rest.substr(0, plus);
    const std::string_view after = rest.substr(plus + 3);
    set_extent(record, before.substr(before.rfind(' ') + 1), after.substr(0, after.find(' ')));
    const std::size_t process = after.find('[');
    if (action_ != "C" && process != std::string_view::npos && after.ends_with(']'))
      record.writer = processes_.number_of(after.substr(process + 1, after.size() - process - 2));
    return true;
  }

  std::string why_empty() const override { return "no events of action " + action_ + but_other_actions(others_ != 0); }

  std::string action_;
  std::shared_ptr<TraceNotes> notes_;
  WriterNumbers processes_;
  std::uint64_t others_ = 0;
};

/// Traces hold comments, headers and other events, too: one block event tells.
int score(const TraceSample& sample) {
  for (const std::string_view text : sample.lines)
    if (const auto line = taken_apart(text); line && is_decimal(line->time) && !line->rest.starts_with('{')) return 100;
  return 0;
}

const TraceFormatRegistration registration{
    {.name = "ftrace",
     .aliases = {"trace_cmd", "perf_script"},
     .summary = "block events of ftrace, trace-cmd report or perf script",
     .parameters = {block_action("event of a request: D block_rq_issue, Q block_bio_queue, C block_rq_complete")},
     .score = &score,
     .make = &make_reader<FtraceReader>}};

}  // namespace
}  // namespace flashloom::trace_format::ftrace
