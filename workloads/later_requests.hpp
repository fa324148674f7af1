// A source without its first N requests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "workloads/interruption.hpp"
#include "workloads/request.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {

/// Discards the next `requests` of the source, or all that are left, and returns how many. Passes reads over without
/// drawing them where the source can. Throws Interrupted as give_up_if_interrupted() does.
inline std::uint64_t drop_requests(RequestSource& source, std::uint64_t requests) {
  constexpr std::uint64_t kAtOnce = 65'536;
  std::uint64_t dropped = 0;
  std::uint64_t bytes = 0;
  for (Request request; dropped < requests;) {
    give_up_if_interrupted();
    dropped += source.pass_reads(std::min(requests - dropped, kAtOnce), bytes);
    if (dropped == requests || !source.next(request)) break;
    ++dropped;
  }
  return dropped;
}

/// Arrival times count from the first request that is not skipped.
class LaterRequests final : public RequestSource {
 public:
  LaterRequests(std::unique_ptr<RequestSource> source, std::uint64_t skipped)
      : source_(std::move(source)), skipped_(skipped) {}

  /// Throws WorkloadError if the source has no request beyond the skipped ones.
  bool next(Request& request) override {
    if (begun_) return source_->next(request) && count_from_begin(request);
    begun_ = true;
    const std::uint64_t dropped = drop_requests(*source_, skipped_);
    if (dropped < skipped_ || !source_->next(request))
      throw WorkloadError(position(), "has " + std::to_string(dropped) + " requests; to leave out " +
                                          std::to_string(skipped_) + " leaves none");
    begin_ps_ = request.arrival_ps;
    return count_from_begin(request);
  }
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override {
    return begun_ ? source_->pass_reads(most, bytes) : 0;
  }
  std::uint64_t expected_requests() const override {
    const std::uint64_t all = source_->expected_requests();
    return all > skipped_ ? all - skipped_ : 0;
  }
  SourcePosition position() const override { return source_->position(); }
  std::uint64_t clamped_times() const override { return source_->clamped_times(); }
  bool timed() const override { return source_->timed(); }

 private:
  bool count_from_begin(Request& request) const {
    request.arrival_ps -= begin_ps_;
    return true;
  }

  std::unique_ptr<RequestSource> source_;
  std::uint64_t skipped_;
  std::uint64_t begin_ps_ = 0;
  bool begun_ = false;
};

/// Returns the source itself if `skipped` is 0.
inline std::unique_ptr<RequestSource> later_requests(std::unique_ptr<RequestSource> source, std::uint64_t skipped) {
  if (skipped == 0) return source;
  return std::make_unique<LaterRequests>(std::move(source), skipped);
}

}  // namespace flashloom
