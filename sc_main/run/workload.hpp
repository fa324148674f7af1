// What a run's command line says of its workload, as jobs for the host driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/cli/options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// A file that a workload comes from.
struct WorkloadInput {
  std::string file;  ///< basename
  std::string hash;  ///< content_hash_of_file
};

/// The jobs of one run, and how a result names where they come from.
struct Workload {
  /// An option of a fio job file that changes nothing here, and why.
  struct InertOption {
    std::string option;
    std::string value;
    std::string meaning;
  };

  std::vector<HostJob> jobs;
  std::string kind;  ///< "job" or "trace"
  std::string file;  ///< basename; of several "a and 2 more"
  std::string hash;  ///< content_hash_of_file; of several the hash of their hashes
  std::vector<WorkloadInput> inputs;
  std::vector<InertOption> inert_options{};
  std::uint64_t expected_requests = 0;  ///< 0: not known beforehand
};

/// Opens the fio job file or the traces. Throws WorkloadError, UsageError.
Workload open_workload(const RunOptions& options, const DeviceConfig& config, const DeviceSpace& space);

}  // namespace flashloom
