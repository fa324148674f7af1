// The workload of a run, as jobs for the host driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/fio_bytes.hpp"
#include "workloads/traces/trace_format.hpp"

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
  std::vector<Source> sources{};                                             ///< of "workload" and "generator"
  std::shared_ptr<TraceNotes> trace_notes = std::make_shared<TraceNotes>();  ///< of all traces, once they are read
  std::uint64_t expected_requests = 0;                                       ///< 0: not known beforehand
};

}  // namespace flashloom
