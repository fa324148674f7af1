// Reader of fio job files: [global] and job sections, key[=value] lines, include lines, comments with # or ;.
#pragma once

#include <string>
#include <vector>

#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// The jobs of a file in order, or those that `sections` names, without a look at the others; a [global] section applies
/// to the jobs that follow it. In values ${NAME} stands for an environment variable, $pagesize, $mb_memory and $ncpus for
/// fixed figures of a host: 4096, 16384, 8.
/// Throws WorkloadError (file, line, key): unreadable file, no job section, unknown option (suggests similar names),
/// bad value, an engine that does no block I/O, a section that is not there.
std::vector<FioJob> read_fio_jobs(const std::string& path, const std::vector<std::string>& sections = {});

}  // namespace flashloom
