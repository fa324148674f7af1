// What all line-oriented trace readers share: times from the first request, checks, positions. A format implements
// parse().
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "workloads/line_reader.hpp"
#include "workloads/request.hpp"
#include "workloads/traces/fields.hpp"

namespace flashloom {

/// One request as a trace line says it.
struct TraceRecord {
  TraceTime time;  ///< in the trace's own ticks, from whatever epoch
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  RequestKind kind = RequestKind::Read;
  std::uint8_t stream = 0;
  bool fua = false;
  bool preflush = false;  ///< a flush comes before it
};

/// Times become picoseconds from the first request. A time that lies before an earlier one is raised to it and counted:
/// the order is the file's.
class TraceReader : public RequestSource {
 public:
  static constexpr std::uint64_t kLongestRequest = std::uint64_t{1} << 32;  ///< bytes of a read or write: 4 GiB

  bool next(Request& request) final;
  SourcePosition position() const final { return {lines_->file(), lines_->line()}; }
  std::uint64_t clamped_times() const final { return clamped_times_; }

 protected:
  enum class FarTime : std::uint8_t { Error, Clamp };

  /// A tick is `ps_per_tick` picoseconds. `far_time` says what a time more than 213 days after the first (the range of
  /// 64-bit picoseconds) is: an error, or a known flaw of the format that counts as a clamped time.
  TraceReader(std::unique_ptr<LineReader> lines, std::uint64_t ps_per_tick, FarTime far_time = FarTime::Error)
      : lines_(std::move(lines)), ps_per_tick_(ps_per_tick), far_time_(far_time) {}

  /// Reads a line that is not blank; false if it holds no request. Throws FieldError.
  virtual bool parse(std::string_view line, TraceRecord& record) = 0;
  /// Called at the end of the file when there was no request: the message of the error.
  virtual std::string why_empty() const { return "no requests"; }

  std::uint64_t ps_per_tick() const { return ps_per_tick_; }
  std::uint64_t line() const { return lines_->line(); }

 private:
  void check(const TraceRecord& record) const;
  std::uint64_t arrival(TraceTime time);

  std::unique_ptr<LineReader> lines_;
  std::uint64_t ps_per_tick_;
  FarTime far_time_;
  TraceRecord record_;
  TraceTime first_;
  std::uint64_t latest_ps_ = 0;
  std::uint64_t clamped_times_ = 0;
  bool started_ = false;
  bool owed_ = false;  // record_ itself, after its preflush went out
};

}  // namespace flashloom
