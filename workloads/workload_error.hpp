// The error of every workload input: file, line or record, and message.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace flashloom {

/// What the number of a position counts: lines of a text file, records of a binary file.
enum class PositionUnit : std::uint8_t { Line, Record };

/// Where a request comes from, for messages.
struct SourcePosition {
  std::string file;        ///< empty: no file (a generator)
  std::uint64_t line = 0;  ///< 1-based line or record; 0: none
  PositionUnit unit = PositionUnit::Line;
};

/// what() is "file:line: message" or "file: record N: message"; without a line (a missing file, say) "file: message".
class WorkloadError : public std::runtime_error {
 public:
  WorkloadError(std::string file, std::uint64_t line, std::string message);
  WorkloadError(SourcePosition position, std::string message);

  const std::string& file() const { return position_.file; }
  std::uint64_t line() const { return position_.line; }  ///< 1-based line or record; 0: the file as a whole
  const std::string& message() const { return message_; }

 private:
  SourcePosition position_;
  std::string message_;
};

}  // namespace flashloom
