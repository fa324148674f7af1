// A source without its first so many requests.
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

/// Draws the next `requests` of the source, or all that there are, for nobody: how many. Reads are passed over where the
/// source can. Throws Interrupted as give_up_if_interrupted() does.
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

/// Times count from the first request that is left.
class LaterRequests final : public RequestSource {
 public:
  LaterRequests(std::unique_ptr<RequestSource> source, std::uint64_t skipped)
      : source_(std::move(source)), skipped_(skipped) {}

  /// Throws WorkloadError if the source has no more requests than are left out.
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

/// The source itself for 0.
inline std::unique_ptr<RequestSource> later_requests(std::unique_ptr<RequestSource> source, std::uint64_t skipped) {
  if (skipped == 0) return source;
  return std::make_unique<LaterRequests>(std::move(source), skipped);
}

}  // namespace flashloom
