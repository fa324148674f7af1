// Sources one after another, as the days of one workload.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Time goes on: a part's first request arrives `gap_ps` after the last of the part before it. Parts are read one at a
/// time, so that a year of days needs no more memory than one.
class ConcatSource final : public RequestSource {
 public:
  /// Opens every part once, to see that it can be; throws what that throws, std::invalid_argument without parts.
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
  std::uint64_t base_ps_ = 0;    // when the part begins
  std::uint64_t latest_ps_ = 0;  // of all parts so far
  std::uint64_t clamped_ = 0;    // of the parts before
  bool timed_ = true;
  bool begun_ = false;  // a request went out
};

}  // namespace flashloom
