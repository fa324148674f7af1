// Block requests as accesses to objects, and accesses to objects as block requests.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "workloads/objects/object_source.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// The address space of block requests in pieces of one size, each an object: what a trace without names says of files.
/// A piece is created, empty, when it is first read or written; a trim of a whole piece deletes it. Flushes, and trims
/// of parts, are nothing to a heap.
class ObjectsOfBlocks final : public ObjectSource {
 public:
  /// Addresses of `source` lie below `capacity`, where the last piece ends, too. Arrivals are divided by `speedup`; 0:
  /// there are none.
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
  Request block_;  // what is left of it
  bool more_ = false;
};

/// The accesses of objects that lie one after the other, as requests of one size: the traffic of a heap without memory
/// in front of its store. Creates ask for nothing.
class BlocksOfObjects final : public RequestSource {
 public:
  /// `bases`: where each object begins, and where the last one ends; empty: all have `object_bytes`.
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
  ObjectRequest access_;    // what is left of it
  std::uint64_t left_ = 0;  // bytes
};

}  // namespace flashloom
