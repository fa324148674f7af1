// Converts block requests to accesses of objects, and accesses of objects to block requests.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "workloads/objects/object_source.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Divides the address space of block requests into pieces of one size, and treats each piece as an object: a
/// substitute for files in traces that do not name them. The first read or write of a piece creates it; a trim of a
/// whole piece deletes it. Flushes and trims of parts of a piece are dropped, since a heap has no such operations.
class ObjectsOfBlocks final : public ObjectSource {
 public:
  /// Addresses of `source` must lie below `capacity` (bytes), where the last piece ends. Arrival times are divided by
  /// `speedup`; 0: requests get no arrival times.
  ObjectsOfBlocks(std::unique_ptr<RequestSource> source, std::uint64_t object_bytes, std::uint64_t capacity,
                  double speedup)
      : source_(std::move(source)),
        object_bytes_(object_bytes),
        capacity_(capacity),
        exists_((capacity + object_bytes - 1) / object_bytes),
        speedup_(speedup) {}

  bool next(ObjectRequest& request) override;
  std::uint64_t objects() const override { return exists_.size(); }
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }

 private:
  std::unique_ptr<RequestSource> source_;
  std::uint64_t object_bytes_;
  std::uint64_t capacity_;
  std::vector<bool> exists_;
  double speedup_;
  Request block_;  // the part of the source's last request that is not converted yet
  bool more_ = false;
};

/// Places objects one after another, and converts their accesses to requests of up to `request_bytes`: the traffic of a
/// heap without memory in front of its store. Creates give no requests.
class BlocksOfObjects final : public RequestSource {
 public:
  /// `bases`: start of each object, then the end of the last one, in bytes; empty: all objects have `object_bytes`.
  BlocksOfObjects(std::unique_ptr<ObjectSource> source, std::uint64_t request_bytes, std::uint64_t object_bytes,
                  std::vector<std::uint64_t> bases, std::uint64_t expected)
      : source_(std::move(source)),
        request_bytes_(request_bytes),
        object_bytes_(object_bytes),
        bases_(std::move(bases)),
        expected_(expected) {}

  bool next(Request& request) override;
  std::uint64_t expected_requests() const override { return expected_; }

 private:
  std::uint64_t base(std::uint64_t object) const {
    return bases_.empty() ? object * object_bytes_ : bases_[static_cast<std::size_t>(object)];
  }

  std::unique_ptr<ObjectSource> source_;
  std::uint64_t request_bytes_;
  std::uint64_t object_bytes_;
  std::vector<std::uint64_t> bases_;
  std::uint64_t expected_;
  ObjectRequest access_;    // the part of the source's last access that is not converted yet
  std::uint64_t left_ = 0;  // bytes of that part
};

}  // namespace flashloom
