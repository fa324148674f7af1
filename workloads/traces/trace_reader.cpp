#include "workloads/traces/trace_reader.hpp"

#include <limits>

#include "workloads/workload_error.hpp"

namespace flashloom {

bool TraceReader::next(Request& request) {
  if (!owed_) {
    std::string_view line;
    bool found = false;
    while (!found) {
      if (!lines_->next(line)) {
        if (!started_) throw WorkloadError(lines_->file(), 0, why_empty());
        return false;
      }
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      record_ = TraceRecord{};
      try {
        found = parse(line, record_);
        if (found) check(record_);
        if (found) latest_ps_ = arrival(record_.time);
      } catch (const FieldError& error) {
        throw WorkloadError(lines_->file(), lines_->line(), error.what());
      }
    }
  }
  const bool flush = record_.kind == RequestKind::Flush || (record_.preflush && !owed_);
  request.offset = flush ? 0 : record_.offset;
  request.length = flush ? 0 : record_.length;
  request.arrival_ps = latest_ps_;
  request.kind = flush ? RequestKind::Flush : record_.kind;
  request.fua = !flush && record_.fua;
  request.stream = record_.stream;
  owed_ = flush && record_.kind != RequestKind::Flush;
  return true;
}

void TraceReader::check(const TraceRecord& record) const {
  if (record.kind == RequestKind::Flush) return;
  if (record.length == 0) throw FieldError("request of zero length");
  if (record.kind != RequestKind::Trim && record.length > kLongestRequest)
    throw FieldError("request longer than 4 GiB: " + std::to_string(record.length) + " bytes");
  if (record.offset > std::numeric_limits<std::uint64_t>::max() - record.length)
    throw FieldError("request ends beyond 64 bits: offset " + std::to_string(record.offset));
}

std::uint64_t TraceReader::arrival(TraceTime time) {
  if (!started_) {
    started_ = true;
    first_ = time;
    return 0;
  }
  std::uint64_t ticks = time.ticks - first_.ticks;
  std::uint64_t fraction = time.fraction_ps;
  const bool early = time.ticks < first_.ticks || (time.ticks == first_.ticks && time.fraction_ps < first_.fraction_ps);
  if (!early) {
    if (fraction < first_.fraction_ps) {
      --ticks;
      fraction += ps_per_tick_;
    }
    fraction -= first_.fraction_ps;
    if (ticks < std::numeric_limits<std::uint64_t>::max() / ps_per_tick_) {
      const std::uint64_t ps = ticks * ps_per_tick_ + fraction;
      if (ps >= latest_ps_) return ps;
    } else if (far_time_ == FarTime::Error) {
      throw FieldError("time lies more than 213 days after the first request");
    }
  }
  ++clamped_times_;
  return latest_ps_;
}

}  // namespace flashloom
