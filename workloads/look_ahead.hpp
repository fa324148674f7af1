// Reads requests of a source before they are taken: to know what comes next, or before a fork, because parent and child
// would share the position of the source's file.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "workloads/request.hpp"

namespace flashloom {

class LookAhead final : public RequestSource {
 public:
  explicit LookAhead(std::unique_ptr<RequestSource> source) : source_(std::move(source)) {}

  /// Reads until `requests` requests wait to be taken or the source ends. Returns how many wait.
  std::uint64_t fill(std::uint64_t requests) {
    while (waiting_.size() < requests && read()) {
    }
    return waiting_.size();
  }
  /// The first waiting request; at least one must wait.
  const Request& front() const { return waiting_.front().request; }
  /// Reads no more: the source ends after the waiting requests.
  void cut() { ended_ = true; }
  /// Makes the arrival times of the waiting requests count from the first of them.
  void begin_clock() {
    const std::uint64_t first = waiting_.empty() ? 0 : waiting_.front().request.arrival_ps;
    for (Waiting& waiting : waiting_) waiting.request.arrival_ps -= first;
  }
  /// Calls f(request) for each waiting request, in order.
  template <class F>
  void for_each_waiting(F&& f) const {
    for (const Waiting& waiting : waiting_) f(waiting.request);
  }

  bool next(Request& request) override {
    if (waiting_.empty()) return !ended_ && source_->next(request);
    given_ = std::move(waiting_.front());
    waiting_.pop_front();
    request = given_.request;
    if (request.range_count != 0) request.ranges = given_.ranges.data();
    return true;
  }
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override {
    return waiting_.empty() && !ended_ ? source_->pass_reads(most, bytes) : 0;
  }
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }
  bool timed() const override { return source_->timed(); }
  SourcePosition position() const override { return source_->position(); }
  std::uint64_t clamped_times() const override { return source_->clamped_times(); }

 private:
  struct Waiting {
    Request request;
    std::vector<RequestRange> ranges;  // a copy: the source's are valid only until its next request
  };

  bool read() {
    if (ended_) return false;
    Waiting& next = waiting_.emplace_back();
    if (source_->next(next.request)) {
      if (next.request.range_count != 0)
        next.ranges.assign(next.request.ranges, next.request.ranges + next.request.range_count);
      return true;
    }
    waiting_.pop_back();
    ended_ = true;
    return false;
  }

  std::unique_ptr<RequestSource> source_;
  std::deque<Waiting> waiting_;
  Waiting given_;
  bool ended_ = false;
};

}  // namespace flashloom
