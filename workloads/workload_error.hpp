// The error of every workload input: which file, which line, what is wrong with it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace flashloom {

/// what() is "file:line: message"; without a line (a missing file, say) "file: message".
class WorkloadError : public std::runtime_error {
 public:
  WorkloadError(std::string file, std::uint64_t line, std::string message);

  const std::string& file() const { return file_; }
  std::uint64_t line() const { return line_; }  ///< 1-based; 0: the file as a whole
  const std::string& message() const { return message_; }

 private:
  std::string file_;
  std::uint64_t line_;
  std::string message_;
};

}  // namespace flashloom
