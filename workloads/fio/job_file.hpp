// Reader of fio job files: [global] and job sections, key[=value] lines, comments with # or ;.
#pragma once

#include <string>
#include <vector>

#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// One option that job files may hold.
struct FioOption {
  std::string name;
  std::vector<std::string> aliases;
  std::string help;  ///< one line
  bool inert;        ///< accepted and without effect: it is about the operating system under fio
};

/// All options, in alphabetical order.
std::vector<FioOption> fio_options();

/// The jobs of a file in order; a [global] section applies to the jobs that follow it.
/// Throws WorkloadError (file, line, key): unreadable file, no job section, unknown option (with near ones), bad value.
std::vector<FioJob> read_fio_jobs(const std::string& path);

}  // namespace flashloom
