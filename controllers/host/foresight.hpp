// Takes requests a little ahead, so that the data structures that they will touch can be prefetched to the CPU's cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/request.hpp"

namespace flashloom {

class Firmware;

/// Passes on the requests of a source, which it takes up to kAhead ahead; so the source must not depend on the results
/// of earlier requests. For the instant clock, whose run time is mostly that of cache misses of a request: index and
/// entries of the data buffer, map, spare area.
class Foresight final : public RequestSource {
 public:
  static constexpr std::size_t kAhead = 8;

  /// Both outlive it.
  Foresight(RequestSource& source, const Firmware& firmware) : source_(source), firmware_(firmware) {}

  bool next(Request& request) override;

 private:
  static constexpr std::size_t kCloser = kAhead / 2;

  Request& at(std::uint64_t number) { return ring_[number % kAhead]; }
  bool may_go_on();

  RequestSource& source_;
  const Firmware& firmware_;
  std::array<Request, kAhead> ring_;
  std::uint64_t known_ = 0;
  std::uint64_t given_ = 0;
};

}  // namespace flashloom
