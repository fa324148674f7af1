// Models writes that wait for room in the data buffer on the instant clock, which carries out one request at a time and
// so has no such waits of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "workloads/request.hpp"

namespace flashloom {

/// Passes on the requests of a source in the order in which a timed device takes them while a number of writes waits
/// for room. The initial part of a write that is dirty in the buffer overwrites it at once, ahead of the waiting
/// writes. So the buffer absorbs as many writes as on the timed clock, and blocks are filled in the same order. A flush
/// comes behind all waiting writes; other requests do not wait.
class WaitingWrites final : public RequestSource {
 public:
  /// Length of the initial part of a byte range that is dirty in the buffer.
  using Dirty = std::function<std::uint64_t(std::uint64_t offset, std::uint64_t length)>;

  /// `source` outlives it. At first none waits.
  WaitingWrites(RequestSource& source, Dirty dirty) : source_(source), dirty_(std::move(dirty)) {}

  /// From now on `writes` writes wait, as soon as so many have arrived.
  void wait_for(std::size_t writes) { room_ = writes; }
  /// From now on returns only the waiting requests, then ends.
  void drain() { draining_ = true; }

  bool next(Request& request) override {
    while (!draining_ && !flushes_ && waiting_.size() <= room_) {
      if (!source_.next(request)) return false;
      if (request.kind == RequestKind::Flush) {
        flushes_ = true;
        flush_ = request;
        break;
      }
      if (request.kind != RequestKind::Write) return true;
      Request& rest = waiting_.emplace_back(request);
      request.length = dirty_(request.offset, request.length);
      rest.offset += request.length;
      rest.length -= request.length;
      if (rest.length == 0) waiting_.pop_back();
      if (request.length != 0) return true;
    }
    if (waiting_.empty()) {
      request = flush_;
      return std::exchange(flushes_, false);
    }
    request = waiting_.front();
    waiting_.pop_front();
    return true;
  }

 private:
  RequestSource& source_;
  Dirty dirty_;
  std::deque<Request> waiting_;
  std::size_t room_ = 0;
  bool flushes_ = false;  // behind what waits
  Request flush_;
  bool draining_ = false;
};

}  // namespace flashloom
