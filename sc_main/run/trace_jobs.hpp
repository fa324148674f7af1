// The traces of a run as jobs for the host driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/config/device_config.hpp"
#include "sc_main/options/options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// The part of the device on which a trace plays.
struct TraceSpace {
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t size = 0;    ///< bytes
};

/// "a.csv", "a.csv and 2 more".
std::string trace_names(const TraceSet& set);

/// A part of the device for each trace. Where none says offset or size: the whole device for one trace, equal shares
/// for several (whole MiB where there is room). Else a trace without offset begins where the one before it ends, one
/// without size reaches to the end of the device. Parts lie apart, or are the same. Throws UsageError.
std::vector<TraceSpace> trace_spaces(const std::vector<TraceSpec>& traces, const DeviceSpace& device);

/// One trace, or several with --concat: one job over all queues. Else a job a trace: stream i, queue i modulo
/// host.queues. Throws UsageError, WorkloadError; an untimed trace in a timed replay is one.
std::vector<HostJob> open_trace_jobs(const TraceSet& set, AddressFit fit, const DeviceConfig& config,
                                     const DeviceSpace& device);

}  // namespace flashloom
