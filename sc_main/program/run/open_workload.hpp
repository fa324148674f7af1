// Opens the workload of a run's command line.
#pragma once

#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// Whether some requests come from trace files, whose file positions forked processes share. Other sources generate
/// their requests, so that a forked copy continues independently.
bool reads_traces(const Workload& workload);

/// The address space for workloads: that of the device as the host sees it; `config` is validated.
DeviceSpace device_space(const DeviceConfig& config);

/// Gives the host the submission queues that a workload file needs, if it has fewer. Throws ConfigError.
void raise_queues(const RunOptions& options, DeviceConfig& config);

/// Counts the requests of all jobs by reading them, which uses the workload up. Throws WorkloadError.
std::uint64_t count_requests(Workload workload);

/// Opens the workload that the command line names. Throws WorkloadError, ConfigError, UsageError.
Workload open_workload(const RunOptions& options, const DeviceConfig& config, const DeviceSpace& space);

}  // namespace flashloom
