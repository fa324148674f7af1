// A fio job file as jobs for the host driver.
#pragma once

#include <string>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/report/workload.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// Adds the jobs of the file, or of its `sections`, and its options that have no effect. `data`: jobs with verify= write and check real
/// bytes. Throws WorkloadError.
void add_fio_jobs(Workload& workload, const std::string& path, const std::vector<std::string>& sections,
                  const DeviceConfig& config, const DeviceSpace& space, bool data);

}  // namespace flashloom
