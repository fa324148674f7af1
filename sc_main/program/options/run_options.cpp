#include "sc_main/program/options/run_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kRunDescription = R"(
The workload is a fio job file (rw, bs, iodepth, rwmixread, size, ...; `flashloom list fio_option`), block traces,
plain or compressed (.gz, .xz, .bz2, .zst), a generator (`flashloom list generator`), or a workload file: a [[job]] table for
each of several of these, with its region, queue and times (docs/reference/workloads.md).
host.replay says how a trace is replayed: "timed" or "closed".
Several traces play side by side, each a job on its own part of the device (equal shares, unless keys offset and size
say otherwise) and its own queue; with --concat one after another, as days. docs/reference/traces.md says more.
DIR receives result.json, run.json and CSV tables.)";

constexpr const char* kRunExamples = R"(
  flashloom run mqsim-default --job randread.fio --set precondition.fill=1
  flashloom run tiny --generate "mix:read=70 %,distribution=zipf" --set precondition.fill=1
  flashloom run tiny --workload tenants.toml --alone
  flashloom run tiny --trace proj_0.csv.gz --address-fit wrap --set host.replay=closed --out results
  flashloom run nvme-tlc-1tb --trace db.csv,offset=0B,size=64GiB --trace log.txt,size=32GiB,format=blkparse,action=Q
  flashloom run nvme-tlc-1tb --trace monday.csv --trace tuesday.csv --concat --concat-gap "10 h"
  flashloom run tiny --job mixed.fio --uncertainty 1000 --set 'nand.uncertainty.program_current="17 mA to 35 mA"'
  flashloom run tiny --job mixed.fio --out results --plots --vcd --timeline --timeline-window "1 ms,3 ms")";

constexpr const char* kEnduranceDescription = R"(
Writes the workload, over and over again, with a new seed each time, until so many blocks have failed that the device
becomes read-only. nand.endurance says after how many P/E cycles blocks fail, nand.endurance_deviation how much they
differ. On the instant clock: counts, wear and lifetime, no times. Requests that arrive with gaps leave time for
background garbage collection (ftl.gc_background). DIR receives endurance.json and wear.csv (docs/reference/results.md).)";

constexpr const char* kEnduranceExamples = R"(
  flashloom endurance tiny --set nand.endurance=200 --set ftl.wear_leveling=static \
    --generate "mix:read=0 %,distribution=hot_cold,hot_space=10 %,hot_access=90 %" --out worn)";

/// The same options as CLI11 collects them, unchecked.
struct RawRunOptions {
  RunOptions run;
  TraceArguments traces;
  std::string address_fit = "error", seed, max_requests, data_memory;
  std::string uncertainty, uncertainty_seed, uncertainty_runs;
  RawPictureOptions pictures;
  RawSampleOptions sample;
};

struct RawEnduranceOptions {
  RawRunOptions experiment;
  std::string max_drive_writes;
};

AddressFit parse_address_fit(const std::string& text) {
  if (text == "error") return AddressFit::Error;
  if (text == "wrap") return AddressFit::Wrap;
  if (text == "scale") return AddressFit::Scale;
  throw UsageError("--address-fit: \"" + text + "\" is none of error, wrap, scale");
}

/// Adds the options for device and workload.
void add_experiment(CLI::App& command, RawRunOptions& raw) {
  command.add_option("device", raw.run.device, "device file, or name of a preset")
      ->type_name("DEVICE.toml")
      ->required();
  command.add_option("--job", raw.run.job, "fio job file")->type_name("F.fio");
  command.add_option("--section", raw.run.sections, "job of the job file, without the others; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_traces(command, raw.traces);
  command.add_option("--workload", raw.run.workload, "workload file: several jobs at once")->type_name("W.toml");
  command
      .add_option("--generate", raw.run.generate, "workload generator (`flashloom list generator`), as mix:read=70%")
      ->type_name("GENERATOR[:PARAMETER=VALUE,...]");
  command.add_option("--address-fit", raw.address_fit, "addresses beyond the device: error (default), wrap, scale")
      ->type_name("error|wrap|scale");
  add_overrides(command, raw.run.overrides);
  command.add_option("--seed", raw.seed, "seed of every random choice; default: the device file's")->type_name("N");
  command.add_option("--out", raw.run.out, "folder for result.json and tables")->type_name("DIR")->check(named_path);
  command.add_flag("--json", raw.run.json, "print the result as JSON, in place of the summary");
}

void add_endurance(CLI::App& command, RawEnduranceOptions& raw) {
  add_experiment(command, raw.experiment);
  command.add_option("--max-drive-writes", raw.max_drive_writes, "stop after so many writes of the whole capacity")
      ->type_name("N");
  command.add_flag("--quiet", raw.experiment.run.quiet, "no progress and no summary");
}

void add_run(CLI::App& command, RawRunOptions& raw) {
  add_experiment(command, raw);
  command.add_flag("--alone", raw.run.alone, "run each job alone too, and report slowdowns and fairness");
  command.add_flag("--untimed", raw.run.untimed,
                   "one request after another without time: counts only, many times faster");
  command.add_option("--max-requests", raw.max_requests, "stop after so many requests")->type_name("N");
  command
      .add_option("--state", raw.run.state, "begin from a state that `flashloom precondition` wrote, or --save-state")
      ->type_name("F.state")
      ->check(named_path);
  command.add_option("--save-state", raw.run.save_state, "with --untimed: file for the state after the run")
      ->type_name("F.state")
      ->check(named_path);
  command.add_option("--io-log", raw.run.io_log, "write every request into DIR: binary (io_log.bin), csv or both")
      ->type_name("binary|csv|both");
  command.add_flag("--data", raw.run.data, "of a fio job file: keep real bytes, and check verify= for real");
  command
      .add_option("--data-memory", raw.data_memory,
                  "with --data: of them in memory; more go to $TMPDIR; default: 512 MiB")
      ->type_name("SIZE");
  command
      .add_option("--uncertainty", raw.uncertainty,
                  "error bars of energy, from so many samples of the ranges in [TABLE.uncertainty]")
      ->type_name("N");
  command.add_option("--uncertainty-seed", raw.uncertainty_seed, "seed of the samples; default: 1")->type_name("N");
  command
      .add_option("--uncertainty-runs", raw.uncertainty_runs,
                  "runs for samples of keys that act on time; 1: these keep their values; default: 16")
      ->type_name("N");
  add_sample_options(command, raw.sample);
  add_picture_options(command, raw.pictures);
  command.add_flag("--quiet", raw.run.quiet, "no progress and no summary");
}

/// Checks the options about the workload.
RunOptions checked_experiment(const RawRunOptions& raw, const std::string& command) {
  RunOptions run = raw.run;
  run.traces = parse_traces(raw.traces);
  const std::pair<const char*, bool> workloads[] = {{"--job", !run.job.empty()},
                                                    {"--trace", !run.traces.traces.empty()},
                                                    {"--workload", !run.workload.empty()},
                                                    {"--generate", !run.generate.empty()}};
  const char* first = nullptr;
  for (const auto& [option, given] : workloads) {
    if (!given) continue;
    if (first != nullptr)
      throw UsageError(std::string(option) + ": does not go together with " + first + "; give one workload");
    first = option;
  }
  if (first == nullptr)
    throw UsageError(command + ": no workload given; say --job F.fio, --trace F, --workload W.toml or --generate NAME");
  if (!run.sections.empty() && run.job.empty()) throw UsageError("--section: is of --job, which is not given");
  run.address_fit = parse_address_fit(raw.address_fit);
  if (!raw.seed.empty()) run.seed = parse_count("--seed", raw.seed, 0);
  return run;
}

EnduranceOptions checked_endurance(const RawEnduranceOptions& raw) {
  EnduranceOptions endurance{.run = checked_experiment(raw.experiment, "endurance")};
  if (!raw.max_drive_writes.empty())
    endurance.max_drive_writes = static_cast<double>(parse_count("--max-drive-writes", raw.max_drive_writes, 1));
  return endurance;
}

/// Checks --data and --data-memory.
void check_data(RunOptions& run, const std::string& memory) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
  if (!run.data && !memory.empty()) throw UsageError("--data-memory: is of --data, which is not given");
  if (!memory.empty()) run.data_memory = parse_byte_count("--data-memory", memory, kLeast, kMost);
  if (!run.data) return;
  if (run.job.empty()) throw UsageError("--data: is for --job; other workloads have no contents");
  if (run.untimed) throw UsageError("--untimed: --data is for timed runs; set verify=true to check tokens");
  if (run.alone) throw UsageError("--alone: does not go together with --data");
  run.overrides.push_back("verify=true");  // in the drive, the oracle's tokens represent the bytes
}

SamplingOptions checked_sampling(const RawRunOptions& raw) {
  constexpr std::uint64_t kMostSamples = 1'000'000;
  SamplingOptions sampling;
  for (const auto& [option, given] : {std::pair{"--uncertainty-seed", !raw.uncertainty_seed.empty()},
                                      {"--uncertainty-runs", !raw.uncertainty_runs.empty()}})
    if (raw.uncertainty.empty() && given)
      throw UsageError(std::string(option) + ": is of --uncertainty, which is not given");
  if (raw.uncertainty.empty()) return sampling;
  sampling.samples = parse_count("--uncertainty", raw.uncertainty, 1);
  if (sampling.samples > kMostSamples)
    throw UsageError("--uncertainty: " + raw.uncertainty + " is too many; valid: 1 .. 1000000");
  if (!raw.uncertainty_seed.empty()) sampling.seed = parse_count("--uncertainty-seed", raw.uncertainty_seed, 0);
  if (!raw.uncertainty_runs.empty()) sampling.runs = parse_count("--uncertainty-runs", raw.uncertainty_runs, 1);
  if (sampling.runs > sampling.samples && !raw.uncertainty_runs.empty())
    throw UsageError("--uncertainty-runs: " + raw.uncertainty_runs + " is more than the samples, " + raw.uncertainty +
                     "; each run needs one");
  return sampling;
}

RunOptions checked_run(const CLI::App& app, const RawRunOptions& raw) {
  RunOptions run = checked_experiment(raw, "run");
  check_io_log(run.io_log, run.out);
  if (!raw.max_requests.empty()) run.max_requests = parse_count("--max-requests", raw.max_requests, 1);
  run.pictures = checked_pictures(app, raw.pictures, run.out);
  check_data(run, raw.data_memory);
  run.uncertainty = checked_sampling(raw);
  const std::pair<const char*, bool> of_time[] = {{"--alone", run.alone},
                                                  {"--uncertainty", run.uncertainty.samples != 0},
                                                  {"--io-log", !run.io_log.empty()},
                                                  {"--plots", run.pictures.plots},
                                                  {"--vcd", run.pictures.vcd.has_value()},
                                                  {"--timeline", run.pictures.timeline.has_value()},
                                                  {"--power", run.pictures.power.has_value()}};
  for (const auto& [option, given] : of_time)
    if (run.untimed && given)
      throw UsageError(std::string("--untimed: there is no time that ") + option + " could tell of");
  run.sample = checked_sample(raw.sample);
  const char* const split = run.sample.on ? "--sample" : run.sample.segments != 0 ? "--segments" : nullptr;
  if (split != nullptr && run.untimed) throw UsageError(std::string(split) + ": does not go together with --untimed");
  if (split != nullptr && !run.save_state.empty())
    throw UsageError(std::string(split) + ": does not go together with --save-state, which is of --untimed");
  if (!run.save_state.empty() && !run.untimed) throw UsageError("--save-state: is of --untimed, which is not given");
  if (split != nullptr && run.data) throw UsageError(std::string(split) + ": does not go together with --data");
  for (const auto& [option, given] : of_time)
    if (split != nullptr && given)
      throw UsageError(std::string(split) + ": " + option + " is of a run that is simulated from begin to end");
  return run;
}

}  // namespace

constinit const CommandEntry kRunCommand{.name = "run",
                                         .place = 10,
                                         .summary = "Simulate a device under a workload",
                                         .description = kRunDescription,
                                         .examples = kRunExamples,
                                         .add = &add_command<RawRunOptions, add_run, checked_run>};

constinit const CommandEntry kEnduranceCommand{
    .name = "endurance",
    .place = 30,
    .summary = "Write until the device is worn out",
    .description = kEnduranceDescription,
    .examples = kEnduranceExamples,
    .add = &add_command<RawEnduranceOptions, add_endurance, checked_endurance>};

}  // namespace flashloom
