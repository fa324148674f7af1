// A sequential fill of a new device by a rule: decides whether it is possible, and for which units.
#include <stdexcept>

#include "controllers/ssd/firmware.hpp"

namespace flashloom {
namespace {

// Turns of the buffer's slots that are written behind the span. One turn gives each slot the state that it would have
// if all units had been written; further ones cost little.
constexpr std::uint64_t kTurnsBehind = 3;

}  // namespace

Firmware::FillSpan Firmware::fill_span(std::uint64_t units, std::uint64_t request_bytes) const {
  if (request_bytes % unit_bytes_ != 0) return {.why = "a request does not write whole mapping units"};
  if (faults_ != nullptr) return {.why = "the drive lies"};
  for (const char* const why : {ftl_->why_no_rule(), buffer_->why_no_cycles()})
    if (why != nullptr) return {.why = why};
  const StreamCycle cycle = buffer_->cycle_of(units_per_program_);
  if (!cycle.exists()) return {.why = "the buffer is too small for a program unit"};
  const std::uint64_t outside = cycle.resident() + kTurnsBehind * cycle.turn();
  const std::uint64_t cycles = units < outside ? 0 : (units - outside) / cycle.units();
  if (cycles == 0) return {.why = "it is too short"};
  return {.begin = cycle.resident(), .end = cycle.resident() + cycles * cycle.units()};
}

Task<void> Firmware::fill_by_rule(FillSpan span, std::uint64_t request_bytes, std::uint64_t& next) {
  const StreamCycle cycle = buffer_->cycle_of(units_per_program_);
  if (!buffer_->begins(cycle)) throw std::logic_error("a fill by a rule does not go on where the buffer is");
  const std::uint64_t units = span.end - span.begin;
  const FillPart part{.first = 0,
                      .end = static_cast<std::uint32_t>(units / units_per_program_),
                      .step = static_cast<std::uint32_t>(cycle.units() / units_per_program_),
                      .version = 1};
  const std::uint32_t end = co_await ftl_->fill_by_rule(part);
  const std::uint64_t done = std::uint64_t{end} * units_per_program_;
  next = span.begin + done;
  if (done == 0) co_return;
  buffer_->pass_stream(cycle, done / cycle.units(), next / (request_bytes / unit_bytes_));
}

}  // namespace flashloom
