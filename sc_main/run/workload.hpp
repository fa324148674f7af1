// The workload of a run's command line, as jobs for the host driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/config/device_config.hpp"
#include "sc_main/options/options.hpp"
#include "sc_main/run/fio_bytes.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// An input file of a workload.
struct WorkloadInput {
  std::string file;  ///< basename
  std::string hash;  ///< content_hash_of_file
};

/// The jobs of one run, and the names of their origins for the result.
struct Workload {
  /// An option of a fio job file that has no effect here, and why.
  struct InertOption {
    std::string option;
    std::string value;
    std::string meaning;
  };

  /// A job of a workload file.
  struct Source {
    std::string name;
    std::string kind;  ///< "job", "trace" or "generator"
    std::string file;  ///< basename; name of the generator
  };

  std::vector<std::unique_ptr<FioBytes>> bytes{};  ///< of jobs, with --data
  std::vector<HostJob> jobs;
  std::string kind;  ///< "job", "trace", "workload" or "generator"
  std::string file;  ///< basename; of several traces "a and 2 more"; with --generate its argument
  std::string hash;  ///< content_hash_of_file; of several the hash of their hashes
  std::vector<WorkloadInput> inputs;
  std::vector<InertOption> inert_options{};
  std::vector<Source> sources{};        ///< of "workload" and "generator"
  std::uint64_t expected_requests = 0;  ///< 0: not known beforehand
};

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
