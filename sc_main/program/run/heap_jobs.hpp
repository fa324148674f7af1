// A workload for the object heap: its jobs as processes.
#pragma once

#include <vector>

#include "controllers/host/heap_processes.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// Throws UsageError for options of `flashloom run` that do not apply to a heap.
void refuse_on_heap(const RunOptions& options);

/// The heap's address space, as the workloads' device.
DeviceSpace heap_space(const DeviceConfig& config);

/// Makes each job a process with its own objects: those of its source if it has any, else blocks of heap.object bytes
/// of its address space. Throws ConfigError for more objects than heap.objects, and UsageError for jobs with start
/// times, runtimes, rates or rules between jobs.
std::vector<HeapJob> heap_jobs(std::vector<HostJob> jobs, const RunOptions& options, const DeviceConfig& config,
                               const DeviceSpace& space);

}  // namespace flashloom
