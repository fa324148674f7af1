// Sources that say when a request may be sent, not only in which order: rates, think times, flushes that a host waits
// in.
#pragma once

#include <cstdint>

#include "workloads/request.hpp"

namespace flashloom {

/// What has to happen before a request is sent, and while it is under way.
struct Pace {
  std::uint64_t not_before_ps = 0;  ///< since the begin of the job
  std::uint64_t pause_ps = 0;       ///< after the wait for what is in flight
  bool drain = false;               ///< what the job has in flight completes first
  bool alone = false;               ///< the job sends nothing else until it completes

  bool free() const { return not_before_ps == 0 && pause_ps == 0 && !drain && !alone; }
};

class PacedSource : public RequestSource {
 public:
  /// The time since the begin of the job, before each next(): what it gives out can depend on it.
  virtual void advance(std::uint64_t now_ps) = 0;
  /// Of the request that next() gave out last.
  virtual Pace pace() const = 0;
};

}  // namespace flashloom
