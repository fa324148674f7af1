// How a run is cut into segments, which are simulated beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_main/sample/window_parts.hpp"

namespace flashloom {

/// The instant clock comes to the later segments later, so these are shorter: with a core for each all end at about the
/// same time. Plans know nothing of the cores that there are.
class SegmentPlan {
 public:
  /// So many requests of warm-up at least: their ends are compared.
  static constexpr std::uint64_t kLeastWarmUp = 8;

  /// Of a run of `requests` in `segments`, at least 2; `pass_share`: of the time that a request takes on the timed clock
  /// what it takes on the instant one, about.
  SegmentPlan(std::uint64_t requests, std::uint64_t segments, std::uint64_t warm_up, double pass_share);
  /// As another one said of itself. Throws std::invalid_argument where these are none of a plan.
  SegmentPlan(std::vector<std::uint64_t> lengths, std::uint64_t warm_up);

  /// False: a segment would be shorter than two warm-ups.
  bool worth_while() const;
  std::size_t segments() const { return lengths_.size(); }
  std::uint64_t requests() const;  ///< of the run
  /// Of each segment so many are measured.
  const std::vector<std::uint64_t>& lengths() const { return lengths_; }
  /// Requests before a segment, which the segment before it simulates, too; of all segments but the first one.
  std::uint64_t warm_up() const { return warm_up_; }
  std::uint64_t warm_up(std::size_t segment) const { return segment == 0 ? 0 : warm_up_; }
  /// Where the timed clock begins with a segment, or rather with its warm-up: so many requests lie before it.
  std::uint64_t begin(std::size_t segment) const;

  /// A segment is seen in parts: the warm-up but its end, its end, the segment but its end, its end.
  static constexpr std::size_t kEndOfWarmUp = 1;
  static constexpr std::size_t kEndOfSegment = 3;
  PartEnds parts(std::size_t segment) const;

 private:
  std::vector<std::uint64_t> lengths_;
  std::uint64_t warm_up_;
};

}  // namespace flashloom
