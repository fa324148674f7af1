// Base of all trace readers: times from the first request, checks, positions. Text formats derive from TraceReader
// (trace_reader.hpp), binary ones from RecordSource directly.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "workloads/request.hpp"
#include "workloads/traces/fields.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {

/// One request as recorded in a trace.
struct TraceRecord {
  TraceTime time;  ///< in the trace's ticks, from any epoch
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  RequestKind kind = RequestKind::Read;
  std::uint8_t stream = 0;
  bool fua = false;
  bool preflush = false;  ///< a flush comes before it
  RequestDirective directive = RequestDirective::None;
  std::uint16_t identifier = 0;  ///< stream or placement identifier, according to the directive
  std::uint16_t writer = 0;      ///< WriterNumbers
};

/// What to do with a time that is implausibly far from the previous ones.
enum class FarTime : std::uint8_t {
  Error,     ///< a time more than 213 days (64 bits of picoseconds) after the first is an error
  Clamp,     ///< such a time is a known flaw of the format: it is replaced by the latest time so far, and counted
  ClockSet,  ///< a jump of more than a day, either way, means that the clock was set: time continues without a gap
};

/// Converts times to picoseconds from the first request. Keeps the order of the file: a time before an earlier one is
/// raised to it and counted.
class RecordSource : public RequestSource {
 public:
  static constexpr std::uint64_t kLongestRequest = std::uint64_t{1} << 32;  ///< bytes of a read or write: 4 GiB

  bool next(Request& request) final;
  std::uint64_t clamped_times() const final { return clamped_times_; }

 protected:
  /// A tick is `ps_per_tick` picoseconds.
  explicit RecordSource(std::uint64_t ps_per_tick, FarTime far_time = FarTime::Error)
      : ps_per_tick_(ps_per_tick), far_time_(far_time) {}

  /// Reads the next request into a default-constructed record; false at the end. The error of a thrown FieldError lies
  /// at position().
  virtual bool read(TraceRecord& record) = 0;
  /// The error message for a trace without requests.
  virtual std::string why_empty() const { return "no requests"; }

  std::uint64_t ps_per_tick() const { return ps_per_tick_; }

 private:
  std::uint64_t arrival(TraceTime time);
  bool clock_was_set(TraceTime time);

  std::uint64_t ps_per_tick_;
  FarTime far_time_;
  TraceRecord record_;
  TraceTime first_;     // trace time that corresponds to base_ps_
  TraceTime previous_;  // of the previous record
  std::uint64_t base_ps_ = 0;
  std::uint64_t latest_ps_ = 0;
  std::uint64_t clamped_times_ = 0;
  bool started_ = false;
  bool owed_ = false;  // the preflush of record_ was given out; record_ itself comes next
};

/// Throws FieldError for an impossible request: zero length, more than 4 GiB (except trims and write zeroes), an end
/// beyond 64 bits. Accepts every flush.
void check_extent(RequestKind kind, std::uint64_t offset, std::uint64_t length);

/// Reads a binary trace in pieces of known size through one buffer.
class RecordBytes {
 public:
  static constexpr std::size_t kBuffer = std::size_t{64} * 1024;

  /// `longest`: largest piece that will be taken, in bytes.
  explicit RecordBytes(TraceInput input, std::size_t longest = kBuffer);

  /// The next `size` bytes, valid until the next call; null at the end of the data. Throws FieldError if the data end
  /// inside the piece or cannot be decompressed.
  const unsigned char* take(std::size_t size);
  const std::string& file() const { return name_; }

 private:
  std::string name_;
  std::unique_ptr<ByteStream> bytes_;
  std::vector<unsigned char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// TraceFormat::make of a format whose reader needs the input, and may want the context.
template <class Reader>
std::unique_ptr<RequestSource> make_reader(TraceInput input, const TraceContext& context) {
  if constexpr (std::is_constructible_v<Reader, TraceInput, const TraceContext&>)
    return std::make_unique<Reader>(std::move(input), context);
  else
    return std::make_unique<Reader>(std::move(input));
}

}  // namespace flashloom
