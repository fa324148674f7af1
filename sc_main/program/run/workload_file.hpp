// Workload files: several jobs on one device, each a trace, a fio job file or a generator (docs/reference/workloads.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/report/workload.hpp"
#include "workloads/address_fit.hpp"
#include "workloads/generators/generator.hpp"

namespace flashloom {

/// A part of the device: bytes, or a share of its capacity.
struct Extent {
  std::uint64_t bytes = 0;
  double share = 0;  ///< of the capacity; in place of bytes if not 0
};

/// One [[job]] table, checked as far as possible without a device.
struct WorkloadJob {
  enum class Source : std::uint8_t { Trace, Fio, Generator };

  std::string where;  ///< place of the table, for messages
  std::string name;
  Source source = Source::Generator;
  std::string source_where;
  std::string path;                                   ///< trace or fio: the file, relative paths resolved
  std::string format;                                 ///< trace
  std::map<std::string, std::string> format_options;  ///< trace
  AddressFit address_fit = AddressFit::Error;         ///< trace
  const Generator* generator = nullptr;
  std::map<std::string, GeneratorValue> parameters;
  std::map<std::string, std::string> parameter_where;
  Extent offset;
  std::string offset_where;
  std::optional<Extent> size;  ///< none: from the offset to the end of the device
  std::string size_where;
  std::optional<std::uint32_t> queue;
  std::uint32_t name_space = 0;  ///< namespace of the device, from 1; 0: not given, the first if there are any
  std::string name_space_where;
  std::uint32_t iodepth = 0;          ///< 0: host.iodepth
  std::optional<std::string> replay;  ///< "timed" or "closed"
  std::string replay_where;
  double speedup = 1;
  std::optional<double> saved;  ///< share of its data that compression saves; none: as in its file, or in the device's
  Picoseconds start = 0;        ///< since the run's begin, or the end of `after`
  std::string after;            ///< an earlier job's name; empty: waits for none
  std::string after_where;
  std::uint64_t skip = 0;             ///< trace: requests left out at its begin
  std::optional<std::uint64_t> seed;  ///< none: by its number in the file
  Picoseconds runtime = 0;            ///< 0: no limit
  std::uint64_t requests = 0;
};

/// Throws ConfigError (file:line, key). Paths in it are relative to the file's folder.
std::vector<WorkloadJob> read_workload_file(const std::string& path);
/// The same from text; `name` is the path for messages, and relative paths are relative to `folder`.
std::vector<WorkloadJob> read_workload_text(const std::string& text, const std::string& name,
                                            const std::string& folder);
/// "mix" or "mix:read=70 %,size=8 KiB": one job of a generator, as --generate has it. Throws ConfigError.
WorkloadJob read_generator_shorthand(const std::string& text);

/// Makes the generator of a job. Throws ConfigError for invalid parameters.
GeneratedWorkload open_generator(const WorkloadJob& job, const GeneratorContext& context);

/// Submission queues that the jobs need: job i uses queue i unless it names another.
std::uint32_t queues_needed(const std::vector<WorkloadJob>& jobs);

/// Opens the sources and adds their jobs. Throws ConfigError, WorkloadError.
void open_workload_jobs(Workload& workload, const std::vector<WorkloadJob>& jobs, const DeviceConfig& config,
                        const DeviceSpace& space);

}  // namespace flashloom
