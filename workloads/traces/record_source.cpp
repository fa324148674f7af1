#include "workloads/traces/record_source.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "workloads/interruption.hpp"
#include "workloads/size_text.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kDayPs = 86'400'000'000'000'000;

bool before(TraceTime a, TraceTime b) {
  return a.ticks < b.ticks || (a.ticks == b.ticks && a.fraction_ps < b.fraction_ps);
}

/// Picoseconds from `from` to `to`, which must not lie before it; kNever if beyond 64 bits.
std::uint64_t distance_ps(TraceTime from, TraceTime to, std::uint64_t ps_per_tick) {
  std::uint64_t ticks = to.ticks - from.ticks;
  std::uint64_t fraction = to.fraction_ps;
  if (fraction < from.fraction_ps) {
    --ticks;
    fraction += ps_per_tick;
  }
  fraction -= from.fraction_ps;
  return ticks < kNever / ps_per_tick ? ticks * ps_per_tick + fraction : kNever;
}

}  // namespace

void check_extent(RequestKind kind, std::uint64_t offset, std::uint64_t length) {
  if (kind == RequestKind::Flush) return;
  if (length == 0) throw FieldError("request of zero length");
  if (!discards(kind) && length > RecordSource::kLongestRequest)
    throw FieldError("request longer than 4 GiB: " + size_text(length));
  if (offset > kNever - length) throw FieldError("request ends beyond 64 bits: offset " + std::to_string(offset));
}

bool RecordSource::next(Request& request) {
  if (!owed_) {
    record_ = TraceRecord{};
    try {
      if (!read(record_)) {
        if (!started_) throw WorkloadError(position().file, 0, why_empty());
        return false;
      }
      check_extent(record_.kind, record_.offset, record_.length);
      latest_ps_ = arrival(record_.time);
    } catch (const FieldError& error) {
      throw WorkloadError(position(), error.what());
    }
  }
  const bool flush = record_.kind == RequestKind::Flush || (record_.preflush && !owed_);
  request.offset = flush ? 0 : record_.offset;
  request.length = flush ? 0 : record_.length;
  request.arrival_ps = latest_ps_;
  request.kind = flush ? RequestKind::Flush : record_.kind;
  request.fua = !flush && record_.fua;
  request.stream = record_.stream;
  request.directive = flush ? RequestDirective::None : record_.directive;
  request.identifier = flush ? std::uint16_t{0} : record_.identifier;
  request.writer = record_.writer;
  owed_ = flush && record_.kind != RequestKind::Flush;
  return true;
}

bool RecordSource::clock_was_set(TraceTime time) {
  const TraceTime previous = std::exchange(previous_, time);
  const bool back = before(time, previous);
  return distance_ps(back ? time : previous, back ? previous : time, ps_per_tick_) > kDayPs;
}

std::uint64_t RecordSource::arrival(TraceTime time) {
  if (!started_) {
    started_ = true;
    first_ = previous_ = time;
    return 0;
  }
  if (far_time_ == FarTime::ClockSet && clock_was_set(time)) {
    first_ = time;
    base_ps_ = latest_ps_;
    ++clamped_times_;
    return latest_ps_;
  }
  if (!before(time, first_)) {
    const std::uint64_t ps = distance_ps(first_, time, ps_per_tick_);
    if (ps < kNever - base_ps_) {
      if (base_ps_ + ps >= latest_ps_) return base_ps_ + ps;
    } else if (far_time_ == FarTime::Error) {
      throw FieldError("time lies more than 213 days after the first request");
    }
  }
  ++clamped_times_;
  return latest_ps_;
}

RecordBytes::RecordBytes(TraceInput input, std::size_t longest)
    : name_(std::move(input.name)), bytes_(std::move(input.bytes)), buffer_(std::max(longest, kBuffer)) {}

const unsigned char* RecordBytes::take(std::size_t size) {
  while (end_ - begin_ < size) {
    if (begin_ != 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
    }
    std::size_t got = 0;
    give_up_if_interrupted();
    try {
      got = bytes_->read(reinterpret_cast<char*>(buffer_.data()) + end_, buffer_.size() - end_);
    } catch (const StreamError& error) {
      throw FieldError(error.what());
    }
    if (got == 0) {
      if (begin_ == end_) return nullptr;
      throw FieldError("the file ends inside a record: " + std::to_string(end_ - begin_) + " of " +
                       std::to_string(size) + " bytes");
    }
    end_ += got;
  }
  const unsigned char* const piece = buffer_.data() + begin_;
  begin_ += size;
  return piece;
}

}  // namespace flashloom
