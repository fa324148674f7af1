// Sources that also determine when a request may be sent: rates, think times, flushes during which a host waits.
#pragma once

#include <cstdint>
#include <optional>

#include "workloads/request.hpp"

namespace flashloom {

/// What has to happen before a request is sent, and while it is in flight.
struct Pace {
  std::uint64_t not_before_ps = 0;  ///< since the start of the job
  std::uint64_t pause_ps = 0;       ///< after the wait for the requests in flight
  bool drain = false;               ///< the job's requests in flight complete first
  bool alone = false;               ///< the job sends nothing else until it completes
  bool goes_on = false;             ///< of an alone request: nobody's write of its zone comes between it and the next

  std::optional<std::uint64_t>
      after{};  ///< the commands of the zone at this offset that were taken before complete first

  bool free() const { return not_before_ps == 0 && pause_ps == 0 && !drain && !alone && !after; }
};

class PacedSource : public RequestSource {
 public:
  /// Sets the time since the start of the job. To be called before each next(), whose request can depend on it.
  virtual void advance(std::uint64_t now_ps) = 0;
  /// The pace of the request that next() gave out last.
  virtual Pace pace() const = 0;
};

}  // namespace flashloom
