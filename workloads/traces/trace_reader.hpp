// Base of all line-oriented trace readers. A format implements parse().
#pragma once

#include <cstdint>
#include <string_view>

#include "workloads/line_reader.hpp"
#include "workloads/traces/record_source.hpp"

namespace flashloom {

/// Reads a text of one record per line; skips blank lines.
class TraceReader : public RecordSource {
 public:
  SourcePosition position() const final { return {lines_.file(), lines_.line(), PositionUnit::Line}; }

 protected:
  /// A tick is `ps_per_tick` picoseconds.
  TraceReader(TraceInput input, std::uint64_t ps_per_tick, FarTime far_time = FarTime::Error)
      : RecordSource(ps_per_tick, far_time), lines_(std::move(input.name), std::move(input.bytes)) {}

  /// Reads a line that is not blank; false if it holds no request. Throws FieldError.
  virtual bool parse(std::string_view line, TraceRecord& record) = 0;

  std::uint64_t line() const { return lines_.line(); }
  /// LineReader::next_number(), which bypasses parse().
  bool next_number(std::uint64_t& number, std::uint64_t limit) { return lines_.next_number(number, limit); }

 private:
  bool read(TraceRecord& record) final;

  LineReader lines_;
};

}  // namespace flashloom
