// Plays several sources one after another, such as the days of one workload.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// A part's time 0 lies `gap_ps` after the last request of the part before it. Parts are opened one at a time, so that
/// a year of daily traces needs no more memory than one day.
class ConcatSource final : public RequestSource {
 public:
  /// Opens every part once to check it, and throws what that throws; std::invalid_argument if there are no parts.
  ConcatSource(std::vector<SourceOpener> parts, std::uint64_t gap_ps);

  /// Throws what the parts throw; WorkloadError if all together last longer than 213 days (64 bits of picoseconds).
  bool next(Request& request) override;
  /// Whether all parts have times.
  bool timed() const override { return timed_; }
  SourcePosition position() const override;
  std::uint64_t clamped_times() const override;

 private:
  bool open_next();
  void too_long() const;

  std::vector<SourceOpener> parts_;
  std::uint64_t gap_ps_;
  std::unique_ptr<RequestSource> part_;
  std::size_t opened_ = 0;
  std::uint64_t base_ps_ = 0;    // time 0 of the current part
  std::uint64_t latest_ps_ = 0;  // arrival of the last request given out
  std::uint64_t clamped_ = 0;    // in the parts before the current one
  bool timed_ = true;
  bool begun_ = false;  // a request was given out
};

}  // namespace flashloom
