// Observers of the host driver: io-log, time series, timelines.
#pragma once

#include <cstdint>

#include "models/block/io_command.hpp"

namespace flashloom {

/// Attached with HostDriver::attach(). Called at the kernel's time of the event; must change nothing, and allocate
/// nothing in steady state.
class HostObserver {
 public:
  /// `command` of job number `job` is about to be sent: at.arrival and at.submit are set.
  virtual void submitted(const IoCommand& /*command*/, std::uint32_t /*job*/) {}
  /// `command` has completed, whatever its status; all of `at` is set. `measured`: it counts in the statistics (it
  /// arrived after its job's ramp).
  virtual void completed(const IoCommand& command, std::uint32_t job, bool measured) = 0;

 protected:
  ~HostObserver() = default;
};

}  // namespace flashloom
