// Gives requests of a source the placement identifiers that the host chooses (policies/host_placement).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "policies/host_placement/host_placement.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// A job's policy, and what it chooses from. Each job has its own, so that no choice depends on how jobs mix in time.
struct HostPlacer {
  std::unique_ptr<HostPlacementPolicy> policy;
  RequestDirective directive;
  std::vector<std::uint16_t> identifiers;
  std::uint64_t writes = 0;

  void place(Request& request);
};

class PlacingSource final : public RequestSource {
 public:
  PlacingSource(std::unique_ptr<RequestSource> source, HostPlacer placer)
      : source_(std::move(source)), placer_(std::move(placer)) {}

  bool next(Request& request) override {
    if (!source_->next(request)) return false;
    placer_.place(request);
    return true;
  }
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }
  bool timed() const override { return source_->timed(); }
  SourcePosition position() const override { return source_->position(); }
  std::uint64_t clamped_times() const override { return source_->clamped_times(); }

 private:
  std::unique_ptr<RequestSource> source_;
  HostPlacer placer_;
};

}  // namespace flashloom
