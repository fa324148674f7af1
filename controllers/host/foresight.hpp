// Requests that are known a little ahead, so that the simulating computer fetches what they will touch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/request.hpp"

namespace flashloom {

class Firmware;

/// Passes the requests of a source on. They are taken from it up to kAhead ahead, all of what it has before its end (which
/// need not be its last), so it may not go by what becomes of those that were passed on. For the instant clock, whose time
/// is mostly that of the memory that a request touches: index and entries of the data buffer, map, spare area.
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
