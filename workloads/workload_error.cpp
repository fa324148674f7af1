#include "workloads/workload_error.hpp"

#include <utility>

namespace flashloom {
namespace {

std::string text_of(const std::string& file, std::uint64_t line, const std::string& message) {
  std::string text = file;
  if (line != 0) text.append(":").append(std::to_string(line));
  return text.append(": ").append(message);
}

}  // namespace

WorkloadError::WorkloadError(std::string file, std::uint64_t line, std::string message)
    : std::runtime_error(text_of(file, line, message)),
      file_(std::move(file)),
      line_(line),
      message_(std::move(message)) {}

}  // namespace flashloom
