// How a run is divided into segments, which are simulated in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_main/program/sample/window_parts.hpp"

namespace flashloom {

/// The instant clock reaches later segments later, so these are shorter: with a core for each, all end at about the
/// same time. A plan does not depend on the number of cores.
class SegmentPlan {
 public:
  /// Fewest requests of a warm-up: its last eighth, which is compared, must not be empty.
  static constexpr std::uint64_t kLeastWarmUp = 8;

  /// Divides `requests` into `segments`, at least 2. `pass_share`: computing time of a request on the instant clock,
  /// relative to that on the timed clock, approximately.
  SegmentPlan(std::uint64_t requests, std::uint64_t segments, std::uint64_t warm_up, double pass_share);
  /// Restores a plan from its lengths() and warm_up(). Throws std::invalid_argument if no plan can have these.
  SegmentPlan(std::vector<std::uint64_t> lengths, std::uint64_t warm_up);

  /// False: a segment would be shorter than two warm-ups.
  bool worth_while() const;
  std::size_t segments() const { return lengths_.size(); }
  std::uint64_t requests() const;  ///< of the run
  /// Measured requests of each segment.
  const std::vector<std::uint64_t>& lengths() const { return lengths_; }
  /// Requests of the warm-up, which the previous segment also simulates; the first segment has none.
  std::uint64_t warm_up() const { return warm_up_; }
  std::uint64_t warm_up(std::size_t segment) const { return segment == 0 ? 0 : warm_up_; }
  /// Requests of the run before a segment's warm-up, at which the timed clock begins.
  std::uint64_t begin(std::size_t segment) const;

  /// A segment is measured in four parts: the warm-up without its end, the end of the warm-up, the measured requests
  /// without their end, and the end of these.
  static constexpr std::size_t kEndOfWarmUp = 1;
  static constexpr std::size_t kEndOfSegment = 3;
  PartEnds parts(std::size_t segment) const;

 private:
  std::vector<std::uint64_t> lengths_;
  std::uint64_t warm_up_;
};

}  // namespace flashloom
