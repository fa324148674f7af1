// The first N requests of a source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "workloads/request.hpp"

namespace flashloom {

class FirstRequests final : public RequestSource {
 public:
  FirstRequests(std::unique_ptr<RequestSource> source, std::uint64_t requests)
      : source_(std::move(source)), left_(requests) {}

  bool next(Request& request) override { return left_ != 0 && source_->next(request) && left_-- != 0; }
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override {
    const std::uint64_t passed = source_->pass_reads(std::min(most, left_), bytes);
    left_ -= passed;
    return passed;
  }
  std::uint64_t expected_requests() const override { return std::min(source_->expected_requests(), left_); }
  SourcePosition position() const override { return source_->position(); }
  std::uint64_t clamped_times() const override { return source_->clamped_times(); }
  bool timed() const override { return source_->timed(); }
  bool knows_zones() const override { return source_->knows_zones(); }

 private:
  std::unique_ptr<RequestSource> source_;
  std::uint64_t left_;
};

/// 0 means all requests: returns the source itself.
inline std::unique_ptr<RequestSource> first_requests(std::unique_ptr<RequestSource> source, std::uint64_t requests) {
  if (requests == 0) return source;
  return std::make_unique<FirstRequests>(std::move(source), requests);
}

}  // namespace flashloom
