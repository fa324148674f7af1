#include "sc_main/program/options/workload_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kWorkloadDescription = R"(
Prints the requests of a fio job file in fio's log format, version 2 (fio --read_iolog, `flashloom run --trace`): what is
sent where, not when. A job that goes on until its runtime ends after a million requests. Jobs that run together take
turns.
Of a workload file (.toml) it prints what each job is made of, and how much of its data earlier jobs have used.)";

constexpr const char* kWorkloadExamples = R"(
  flashloom workload randread.fio --device-size "64 MiB" --max-requests 1000 --out randread.iolog
  flashloom workload experiments/pwc/office.toml --device-size "2 TB" [--json])";

/// The same options as CLI11 collects them, unchecked.
struct RawWorkloadOptions {
  WorkloadOptions workload;
  std::string device_size, sector_size, seed, max_requests;
};

void add_workload(CLI::App& command, RawWorkloadOptions& raw) {
  command.add_option("job", raw.workload.job, "fio job file or workload file")->type_name("F.fio|F.toml")->required();
  command.add_flag("--json", raw.workload.json, "of a workload file: as JSON");
  command.add_option("--device-size", raw.device_size, "of the device that it addresses; default: 64 MiB")
      ->type_name("SIZE");
  command.add_option("--sector-size", raw.sector_size, "of the device; default: 512 B")->type_name("SIZE");
  command.add_option("--seed", raw.seed, "seed of every random choice; default: 1")->type_name("N");
  command.add_option("--name", raw.workload.name, "the job of this name only")->type_name("NAME");
  command.add_option("--section", raw.workload.sections, "the job file without other jobs; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_option("--max-requests", raw.max_requests, "so many requests of each job")->type_name("N");
  command
      .add_option("--out", raw.workload.out,
                  "file, compressed if it ends in .gz, .zst, .bz2 or .xz; default: print them")
      ->type_name("FILE")
      ->check(named_path);
}

WorkloadOptions checked_workload(const RawWorkloadOptions& raw) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60;
  WorkloadOptions workload = raw.workload;
  if (!raw.device_size.empty())
    workload.device_size = parse_byte_count("--device-size", raw.device_size, 512, kMostBytes);
  if (!raw.sector_size.empty())
    workload.sector_size = static_cast<std::uint32_t>(parse_byte_count("--sector-size", raw.sector_size, 512, 65536));
  if (!raw.seed.empty()) workload.seed = parse_count("--seed", raw.seed, 0);
  if (!raw.max_requests.empty()) workload.max_requests = parse_count("--max-requests", raw.max_requests, 1);
  const bool described = workload.job.ends_with(".toml");
  if (workload.json && !described) throw UsageError("--json: is for workload files (.toml)");
  if (described && !(workload.name.empty() && workload.out.empty()))
    throw UsageError((workload.out.empty() ? std::string("--name") : std::string("--out")) + ": is for fio job files");
  return workload;
}

}  // namespace

constinit const CommandEntry kWorkloadCommand{
    .name = "workload",
    .place = 80,
    .summary = "Print the requests of a fio job file, or what a workload file has",
    .description = kWorkloadDescription,
    .examples = kWorkloadExamples,
    .add = &add_command<RawWorkloadOptions, add_workload, checked_workload>};

}  // namespace flashloom
