// The workload of what replaces the host (StackPart::replaces_host()): the object heap.
#pragma once

#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/assembly/system/stack_part.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

struct PartJobs {
  /// Throws UsageError for options of `flashloom run` that do not apply.
  void (*refuse)(const RunOptions& options);
  /// Its address space, as the workloads' device.
  DeviceSpace (*space)(const DeviceConfig& config);
  /// Gives the part its jobs, for Simulation::run_part(). Throws ConfigError, UsageError.
  void (*hand_over)(StackPart& part, std::vector<HostJob> jobs, const RunOptions& options, const DeviceConfig& config,
                    const DeviceSpace& space);
};

/// Null in a program without the heap, which refuses its devices.
inline const PartJobs* heap_part_jobs = nullptr;
inline const PartJobs* part_jobs(const DeviceConfig& config) {
  return config.heap.present() ? heap_part_jobs : nullptr;
}

}  // namespace flashloom
