// The traces of a run as jobs for the host driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/program/options/trace_options.hpp"
#include "workloads/address_fit.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {

/// The part of the device on which a trace plays.
struct TraceSpace {
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t size = 0;    ///< bytes
};

/// "a.csv", "a.csv and 2 more".
std::string trace_names(const TraceSet& set);

/// A part of the device for each trace. If no trace has an offset or size: the whole device for one trace, equal shares
/// for several (whole MiB if there is room). Else a trace without offset begins where the one before it ends, and one
/// without size extends to the end of the device. Two parts must be disjoint or equal. Throws UsageError.
std::vector<TraceSpace> trace_spaces(const std::vector<TraceSpec>& traces, const DeviceSpace& device);

/// One trace, or several with --concat, make one job over all queues. Else each trace i makes a job with stream i and
/// queue i modulo host.queues. `clocked`: the run is on the timed clock. Throws UsageError and WorkloadError (also for a
/// trace without times in a timed replay on that clock). The readers add to `notes`.
std::vector<HostJob> open_trace_jobs(const TraceSet& set, AddressFit fit, const DeviceConfig& config,
                                     const DeviceSpace& device, bool clocked,
                                     const std::shared_ptr<TraceNotes>& notes = nullptr);

}  // namespace flashloom
