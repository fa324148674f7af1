// Request sources for tests: a given list, and a random mixture of every request that a host may send.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

class ListSource final : public RequestSource {
 public:
  explicit ListSource(std::vector<Request> requests, bool timed = true)
      : requests_(std::move(requests)), timed_(timed) {}
  bool next(Request& request) override {
    if (given_ == requests_.size()) return false;
    request = requests_[given_++];
    return true;
  }
  std::uint64_t expected_requests() const override { return requests_.size(); }
  bool timed() const override { return timed_; }

 private:
  std::vector<Request> requests_;
  bool timed_;
  std::size_t given_ = 0;
};

struct MixOptions {
  std::uint64_t seed = 1;
  std::uint64_t requests = 1000;
  std::uint64_t capacity = 0;  ///< bytes
  std::uint32_t unit = 4096;   ///< mapping unit
  std::uint32_t sector = 512;
  bool whole_units = false;     ///< offsets and lengths in mapping units
  bool within_units = false;    ///< no request crosses a unit's end
  std::uint32_t max_units = 4;  ///< longest request
  // Percent; the rest are writes.
  std::uint32_t reads = 35;
  std::uint32_t trims = 6;
  std::uint32_t flushes = 3;
  std::uint32_t fua = 8;      ///< of the writes
  std::uint32_t hot = 50;     ///< requests to the first 1/16 of the device, so that they overlap
  std::uint64_t gap_ps = 0;   ///< between arrivals
  std::uint32_t streams = 1;  ///< stream numbers of the requests
  /// Placement identifiers of all writes, and of half of the flushes, which then update the handle; empty: no request
  /// has one.
  std::vector<std::uint16_t> placements{};
};

/// Generates the requests of one random mixture.
inline std::vector<Request> random_mix(const MixOptions& options) {
  Random random(options.seed);
  const std::uint64_t grain = options.whole_units ? options.unit : options.sector;
  const std::uint64_t longest = std::uint64_t{options.max_units} * options.unit / grain;
  const std::uint64_t grains = options.capacity / grain;
  std::vector<Request> requests(options.requests);
  Random placing(derived_seed(options.seed, 0x706c616365));
  const auto place = [&](Request& request) {
    if (options.placements.empty() || (request.kind == RequestKind::Flush && placing.chance(0.5))) return;
    request.directive = RequestDirective::DataPlacement;
    request.identifier = options.placements[placing.below(options.placements.size())];
  };
  std::uint64_t arrival = 0;
  for (Request& request : requests) {
    request.arrival_ps = arrival;
    arrival += options.gap_ps;
    if (options.streams > 1) request.stream = static_cast<std::uint8_t>(random.below(options.streams));
    const std::uint64_t kind = random.below(100);
    if (kind < options.flushes) {
      request.kind = RequestKind::Flush;
      place(request);
      continue;
    }
    const bool trim = kind < options.flushes + options.trims;
    const bool read = !trim && kind < options.flushes + options.trims + options.reads;
    request.kind = trim ? RequestKind::Trim : read ? RequestKind::Read : RequestKind::Write;
    const std::uint64_t length = 1 + random.below(trim ? 4 * longest : longest);
    const std::uint64_t range = random.below(100) < options.hot ? std::max(longest * 5, grains / 16) : grains;
    request.length = std::min(length, range) * grain;
    request.offset = random.below(std::min(range, grains) - request.length / grain + 1) * grain;
    if (options.within_units) request.length = std::min(request.length, options.unit - request.offset % options.unit);
    request.fua = request.kind == RequestKind::Write && random.below(100) < options.fua;
    if (request.kind == RequestKind::Write) place(request);
  }
  return requests;
}

}  // namespace flashloom
