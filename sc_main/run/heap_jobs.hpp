// A workload for the object heap: its jobs as processes.
#pragma once

#include <vector>

#include "controllers/host/heap_processes.hpp"
#include "sc_main/config/device_config.hpp"
#include "sc_main/options/options.hpp"
#include "sc_main/run/workload.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// Throws UsageError for options of `flashloom run` that make no sense with a heap.
void refuse_on_heap(const RunOptions& options);

/// The heap's address space as workloads see it.
DeviceSpace heap_space(const DeviceConfig& config);

/// Each job is a process with objects of its own: those of its source where that knows any, else pieces of heap.object
/// of its address space. Throws ConfigError for more objects than heap.objects, and UsageError for jobs with times,
/// rates or rules of their own.
std::vector<HeapJob> heap_jobs(std::vector<HostJob> jobs, const RunOptions& options, const DeviceConfig& config,
                               const DeviceSpace& space);

}  // namespace flashloom
