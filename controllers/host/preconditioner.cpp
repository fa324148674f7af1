#include "controllers/host/preconditioner.hpp"

#include <algorithm>
#include <cmath>

#include "workloads/generators/drawn_steady.hpp"
#include "workloads/generators/uniform_random.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kSeedOfPreconditioning = 0x70726563;  // its own stream: never the workload's sequence
constexpr std::uint64_t kPartsOfPass = 32;  // a drawn state is overwritten by such parts of a capacity write

}  // namespace

PreconditionResult Preconditioner::run(const std::function<void(const char*, double)>& progress) {
  PreconditionResult result;
  result.seed = seed_;
  if (!config_.steady || !config_.drawn || !draw(result, progress)) fill(result, progress);
  if (config_.steady && result.filled_bytes != 0) steady(result, progress);
  host_.come_to_rest();
  return result;
}

void Preconditioner::fill(PreconditionResult& result, const std::function<void(const char*, double)>& progress) {
  const std::uint64_t unit = firmware_.unit_bytes();
  const std::uint64_t units = filled_units(config_, firmware_.capacity_bytes() / unit);
  result.filled_bytes = units * unit;
  std::uint64_t reported = 0;
  const auto written = [&](std::uint64_t at) {
    if (!progress || at - reported < result.filled_bytes / 100) return;
    reported = at;
    progress("fill", static_cast<double>(at) / static_cast<double>(result.filled_bytes));
  };
  std::uint64_t at = 0;
  if (fill_ == Fill::ByRule) {
    const Firmware::FillSpan span = host_.fill_span(units, config_.request_size);
    if (span.end != span.begin) {
      write(0, span.begin * unit, written);
      at = host_.fill_by_rule(span, config_.request_size) * unit;
    }
  }
  write(at, result.filled_bytes, written);
}

// In requests of their size; the first one and the last one are parts of such where the bytes begin or end within them.
void Preconditioner::write(std::uint64_t begin, std::uint64_t end, const std::function<void(std::uint64_t)>& written) {
  Request request{.kind = RequestKind::Write};
  for (std::uint64_t at = begin; at < end; at += request.length) {
    request.offset = at;
    request.length = std::min(config_.request_size - at % config_.request_size, end - at);
    if (const Zones* const zones = firmware_.zones()) {
      const ZoneTable::Shape& shape = zones->table().shape();
      const std::uint64_t unit = firmware_.unit_bytes();
      const std::uint64_t in_zone = at % (shape.zone_size * unit);
      if (in_zone >= shape.capacity * unit) {  // between what can be written of two zones
        request.length = shape.zone_size * unit - in_zone;
        continue;
      }
      request.length = std::min(request.length, shape.capacity * unit - in_zone);
    }
    host_.run(request);
    written(at);
  }
}

// The drawn writes leave the room in which collection begins. What follows uses it up, and whatever the buffer kept back,
// and is the device's own: copies have their blocks, and the banks are out of step. WAF begins 0.3 % too low, and has come
// within 0.05 % after three parts (64 units an erase unit, WAF 2.67).
bool Preconditioner::draw(PreconditionResult& result, const std::function<void(const char*, double)>& progress) {
  const std::uint64_t unit = firmware_.unit_bytes();
  const std::uint64_t units = filled_units(config_, firmware_.capacity_bytes() / unit);
  const SteadyShape shape = firmware_.ftl().steady_shape();
  const DrawnSteadySource::Options options{.banks = shape.banks,
                                           .blocks = shape.blocks,
                                           .units_per_block = shape.units_per_block,
                                           .units_per_program = shape.units_per_program,
                                           .units = units,
                                           .unit_bytes = unit,
                                           .seed = seed_ ^ kSeedOfPreconditioning};
  if (!options.fit()) return false;
  DrawnSteadySource source(options);
  host_.run(source);
  result.filled_bytes = units * unit;
  result.drawn = true;
  const std::uint64_t part = std::max<std::uint64_t>(units / kPartsOfPass, 1);
  const std::uint64_t& moved = firmware_.ftl().statistics().units_moved;
  for (std::uint64_t parts = 0; parts < kPartsOfPass && moved == 0; ++parts) overwrite(result.filled_bytes, part);
  overwrite(result.filled_bytes, 2 * part);
  const double first = overwrite(result.filled_bytes, part);
  const double second = overwrite(result.filled_bytes, part);
  result.waf = (first + second) / 2;
  result.settled = std::abs(second - first) < kSettled * first;
  if (progress) progress("steady", result.waf);
  return true;
}

// Of the mapping units of so many bytes; returns their WAF.
double Preconditioner::overwrite(std::uint64_t bytes, std::uint64_t requests) {
  const FtlStatistics before = firmware_.ftl().statistics();
  UniformRandomSource source({.offset = 0,
                              .length = bytes,
                              .request_size = firmware_.unit_bytes(),
                              .requests = requests,
                              .kind = RequestKind::Write,
                              .seed = seed_ ^ (kSeedOfPreconditioning + sequences_++)});
  host_.run(source);
  const FtlStatistics& after = firmware_.ftl().statistics();
  const auto written = static_cast<double>(after.units_written - before.units_written);
  const auto extra =
      static_cast<double>(after.units_moved - before.units_moved + after.units_padded - before.units_padded);
  return written == 0 ? 1.0 : 1.0 + extra / written;
}

void Preconditioner::steady(PreconditionResult& result, const std::function<void(const char*, double)>& progress) {
  const std::uint64_t requests = result.filled_bytes / firmware_.unit_bytes();
  double previous = result.waf;
  while (result.passes < config_.max_passes && !result.settled) {
    result.waf = overwrite(result.filled_bytes, requests);
    ++result.passes;
    result.settled = result.passes > 1 && std::abs(result.waf - previous) < kSettled * previous;
    previous = result.waf;
    if (progress) progress("steady", result.waf);
  }
}

}  // namespace flashloom
