// Lets a workload without knowledge of zones read, but not write or trim, a zoned device.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "workloads/request.hpp"

namespace flashloom {

class ReadsOfZones final : public RequestSource {
 public:
  explicit ReadsOfZones(std::unique_ptr<RequestSource> source) : source_(std::move(source)) {}

  /// Throws WorkloadError at the first request that is neither a read nor a flush.
  bool next(Request& request) override {
    if (!source_->next(request)) return false;
    if (request.kind != RequestKind::Read && request.kind != RequestKind::Flush)
      throw WorkloadError(source_->position(),
                          "writes or trims at any place, and the device is written zone by zone (ftl.kind \"zoned\"); "
                          "valid: reads, or a workload that knows zones, as the generator `zones`");
    return true;
  }
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }
  SourcePosition position() const override { return source_->position(); }
  std::uint64_t clamped_times() const override { return source_->clamped_times(); }
  bool timed() const override { return source_->timed(); }

 private:
  std::unique_ptr<RequestSource> source_;
};

/// Returns the source itself if the device has no zones (`zone_size` 0) or the source knows zones.
inline std::unique_ptr<RequestSource> for_zones(std::unique_ptr<RequestSource> source, std::uint64_t zone_size) {
  if (zone_size == 0 || source->knows_zones()) return source;
  return std::make_unique<ReadsOfZones>(std::move(source));
}

}  // namespace flashloom
