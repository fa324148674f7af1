#include "workloads/workload_error.hpp"

#include <utility>

namespace flashloom {
namespace {

std::string text_of(const SourcePosition& position, const std::string& message) {
  std::string text = position.file;
  if (position.line != 0)
    text.append(position.unit == PositionUnit::Line ? ":" : ": record ").append(std::to_string(position.line));
  return text.append(": ").append(message);
}

}  // namespace

WorkloadError::WorkloadError(SourcePosition position, std::string message)
    : std::runtime_error(text_of(position, message)), position_(std::move(position)), message_(std::move(message)) {}

WorkloadError::WorkloadError(std::string file, std::uint64_t line, std::string message)
    : WorkloadError(SourcePosition{std::move(file), line}, std::move(message)) {}

}  // namespace flashloom
