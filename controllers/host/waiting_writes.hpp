// Writes that wait for room in the data buffer, for the instant clock: it carries out one request at a time, so that none
// would ever wait there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "workloads/request.hpp"

namespace flashloom {

/// Passes requests of a source on in the order in which a timed device takes them while so many writes wait for room: what
/// of a write is dirty in the buffer, up to its first unit that is not, is overwritten there at once, ahead of those that
/// wait. So the buffer absorbs as much as it does in time, and blocks are filled in the same order. A flush comes behind
/// all that waits; requests that neither write nor flush wait for nobody.
class WaitingWrites final : public RequestSource {
 public:
  /// Of a range of bytes: how many from its begin on lie in units that are dirty in the buffer.
  using Dirty = std::function<std::uint64_t(std::uint64_t offset, std::uint64_t length)>;

  /// `source` outlives it. At first none waits.
  WaitingWrites(RequestSource& source, Dirty dirty) : source_(source), dirty_(std::move(dirty)) {}

  /// So many wait from now on, as soon as they have come.
  void wait_for(std::size_t writes) { room_ = writes; }
  /// From now on what waits comes, and then nothing more.
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
