// A fio job file as jobs for the host driver.
#pragma once

#include <string>

#include "sc_main/config/device_config.hpp"
#include "sc_main/run/workload.hpp"

namespace flashloom {

/// Adds the jobs of the file, and what the file says that has no effect; `data`: with the bytes of those that have
/// verify=. Throws WorkloadError.
void add_fio_jobs(Workload& workload, const std::string& path, const DeviceConfig& config, const DeviceSpace& space,
                  bool data);

}  // namespace flashloom
