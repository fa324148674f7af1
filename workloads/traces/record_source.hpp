// What all trace readers share: times from the first request, checks, positions. Text formats derive from TraceReader
// (trace_reader.hpp), binary ones from RecordSource itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/request.hpp"
#include "workloads/traces/fields.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {

/// One request as a trace says it.
struct TraceRecord {
  TraceTime time;  ///< in the trace's own ticks, from whatever epoch
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  RequestKind kind = RequestKind::Read;
  std::uint8_t stream = 0;
  bool fua = false;
  bool preflush = false;  ///< a flush comes before it
  RequestDirective directive = RequestDirective::None;
  std::uint16_t identifier = 0;  ///< of a stream, or placement identifier, as the directive says
  std::uint16_t writer = 0;      ///< WriterNumbers
};

/// What to do with a time that cannot follow the one before.
enum class FarTime : std::uint8_t {
  Error,     ///< more than 213 days (64 bits of picoseconds) after the first: an error
  Clamp,     ///< the same is a known flaw of the format: raised as an earlier time is
  ClockSet,  ///< more than a day from the one before, either way: the clock was set; time goes on without a gap
};

/// Times become picoseconds from the first request. A time that lies before an earlier one is raised to it and counted:
/// the order is the file's.
class RecordSource : public RequestSource {
 public:
  static constexpr std::uint64_t kLongestRequest = std::uint64_t{1} << 32;  ///< bytes of a read or write: 4 GiB

  bool next(Request& request) final;
  std::uint64_t clamped_times() const final { return clamped_times_; }

 protected:
  /// A tick is `ps_per_tick` picoseconds.
  explicit RecordSource(std::uint64_t ps_per_tick, FarTime far_time = FarTime::Error)
      : ps_per_tick_(ps_per_tick), far_time_(far_time) {}

  /// Reads the next request into a fresh record; false at the end. Throws FieldError about the place that position()
  /// names.
  virtual bool read(TraceRecord& record) = 0;
  /// Called at the end of the trace when there was no request: the message of the error.
  virtual std::string why_empty() const { return "no requests"; }

  std::uint64_t ps_per_tick() const { return ps_per_tick_; }

 private:
  std::uint64_t arrival(TraceTime time);
  bool clock_was_set(TraceTime time);

  std::uint64_t ps_per_tick_;
  FarTime far_time_;
  TraceRecord record_;
  TraceTime first_;     // at base_ps_
  TraceTime previous_;  // of the record before
  std::uint64_t base_ps_ = 0;
  std::uint64_t latest_ps_ = 0;
  std::uint64_t clamped_times_ = 0;
  bool started_ = false;
  bool owed_ = false;  // record_ itself, after its preflush went out
};

/// Throws FieldError for a request that no device can be asked for: zero length, longer than 4 GiB (trims may be), an
/// end beyond 64 bits. Flushes pass.
void check_extent(RequestKind kind, std::uint64_t offset, std::uint64_t length);

/// Bytes of a binary trace, in pieces of known size, through one buffer.
class RecordBytes {
 public:
  static constexpr std::size_t kBuffer = std::size_t{64} * 1024;

  /// `longest`: of the pieces that will be taken.
  explicit RecordBytes(TraceInput input, std::size_t longest = kBuffer);

  /// The next `size` bytes, valid until the next call; null at the end of the data. Throws FieldError: the
  /// data end inside the piece, or cannot be decompressed.
  const unsigned char* take(std::size_t size);
  const std::string& file() const { return name_; }

 private:
  std::string name_;
  std::unique_ptr<ByteStream> bytes_;
  std::vector<unsigned char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace flashloom
