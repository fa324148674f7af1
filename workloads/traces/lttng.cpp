// Block events of LTTng as babeltrace prints them; fields by instrumentation/events/lttng-module/block.h of
// lttng-modules:
//     [17:09:17.031519329] (+0.000) host block_rq_issue: { cpu_id = 0 }, { dev = 265289728, sector = 7538520,
//     nr_sector = 8, bytes = 0, rwbs = 33, comm = "name" }                             (one line)
// Times are of a day, or with --clock-date a date before it, or with --clock-seconds seconds. rwbs is a sum of bits.
// Requests are the events block_rq_issue, or by the option action others. Other lines are ignored.
#include <array>
#include <optional>

#include "workloads/traces/block_action.hpp"
#include "workloads/traces/iso_time.hpp"
#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::lttng {
namespace {

constexpr std::uint64_t kTickPs = 1'000'000'000'000;  // seconds
constexpr std::uint64_t kDay = 86400;
constexpr std::uint64_t kSector = 512;
enum Rwbs : unsigned {
  kWrite = 1U << 0U,
  kDiscard = 1U << 1U,
  kRead = 1U << 2U,
  kFlush = 1U << 8U,
  kFua = 1U << 9U,
  kPreflush = 1U << 10U
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kEvents{
    {{"D", " block_rq_issue:"}, {"Q", " block_bio_queue:"}, {"C", " block_rq_complete:"}}};

std::string_view event_of(std::string_view action) {
  for (const auto& [name, event] : kEvents)
    if (name == action) return event;
  return {};
}

/// The value after " name = ", up to a comma or blank; or within quotation marks.
std::optional<std::string_view> value_of(std::string_view fields, std::string_view name) {
  const std::size_t at = fields.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  fields.remove_prefix(at + name.size());
  if (fields.starts_with('"')) return fields.substr(1, fields.find('"', 1) - 1);
  return fields.substr(0, fields.find_first_of(", }"));
}

std::uint64_t number_of(std::string_view fields, std::string_view name, const char* what) {
  return parse_integer(value_of(fields, name).value_or(""), what);
}

class LttngReader final : public TraceReader {
 public:
  LttngReader(TraceInput input, const TraceContext& context)
      : TraceReader(std::move(input), kTickPs), action_(context.parameters.at("action")), event_(event_of(action_)) {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    const std::size_t at = text.find(event_);
    if (at == std::string_view::npos) {
      for (const auto& [action, event] : kEvents) others_ = others_ || text.find(event) != std::string_view::npos;
      return false;
    }
    const std::size_t end = text.find(']');
    if (!text.starts_with('[') || end == std::string_view::npos) throw FieldError("expected \"[time]\" first");
    record.time = time_of(text.substr(1, end - 1));
    const std::string_view fields = text.substr(at + event_.size());
    const std::uint64_t rwbs = number_of(fields, " rwbs = ", "rwbs");
    record.fua = (rwbs & kFua) != 0;
    record.preflush = (rwbs & (kFlush | kPreflush)) != 0;
    if (const auto name = value_of(fields, " comm = ")) record.writer = processes_.number_of(*name);
    const std::uint64_t sectors = number_of(fields, " nr_sector = ", "nr_sector");
    record.kind = (rwbs & kWrite) != 0     ? RequestKind::Write
                  : (rwbs & kDiscard) != 0 ? RequestKind::Trim
                                           : RequestKind::Read;
    if (sectors == 0 || (rwbs & (kWrite | kDiscard | kRead)) == 0) {
      record.kind = RequestKind::Flush;
      return record.preflush;  // else some other command without data
    }
    record.offset = parse_scaled(value_of(fields, " sector = ").value_or(""), "sector", kSector);
    record.length = sectors * kSector;
    return true;
  }

  TraceTime time_of(std::string_view text) {
    if (is_iso_time(text)) return parse_iso_time(text, "time", kTickPs);
    if (text.find(':') == std::string_view::npos) return parse_time(text, "time", kTickPs);
    TraceTime time = parse_time_of_day(text, "time", kTickPs);
    time.ticks += days_ * kDay;
    if (time.ticks + kDay / 2 < latest_) {  // past midnight
      ++days_;
      time.ticks += kDay;
    }
    latest_ = time.ticks;
    return time;
  }

  std::string why_empty() const override { return "no events of action " + action_ + but_other_actions(others_); }

  std::string action_;
  std::string_view event_;
  WriterNumbers processes_;
  std::uint64_t days_ = 0;
  std::uint64_t latest_ = 0;  // seconds
  bool others_ = false;
};

/// Traces hold other events, too: one block event tells.
int score(const TraceSample& sample) {
  for (const std::string_view text : sample.lines)
    for (const auto& [action, event] : kEvents)
      if (text.starts_with('[') && text.find(event) != std::string_view::npos &&
          text.find(" nr_sector = ") != std::string_view::npos)
        return 100;
  return 0;
}

const TraceFormatRegistration registration{
    {.name = "lttng",
     .aliases = {"babeltrace"},
     .summary = "block events of LTTng, text of babeltrace",
     .parameters = {block_action("event of a request: D block_rq_issue, Q block_bio_queue, C block_rq_complete")},
     .score = &score,
     .make = &make_reader<LttngReader>}};

}  // namespace
}  // namespace flashloom::trace_format::lttng
