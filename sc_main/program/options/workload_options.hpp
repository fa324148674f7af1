// Options of `flashloom workload`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flashloom {

struct CommandEntry;

/// flashloom workload
struct WorkloadOptions {
  std::string job{};                                    ///< fio job file, or workload file (.toml)
  std::uint64_t device_size = std::uint64_t{64} << 20;  ///< bytes
  std::uint32_t sector_size = 512;                      ///< bytes
  std::uint64_t seed = 1;
  std::string name{};                   ///< this job only; empty: all
  std::vector<std::string> sections{};  ///< of the job file; empty: all
  std::uint64_t max_requests = 0;       ///< of each job; 0: all
  std::string out{};                    ///< file; empty: the output
  bool json = false;                    ///< print JSON; for a workload file
};

extern const CommandEntry kWorkloadCommand;

}  // namespace flashloom
