#include "sc_main/options/options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

#include "policies/nearest.hpp"
#include "sc_main/config/quantity.hpp"
#include "sc_main/options/version.hpp"

namespace flashloom {
namespace {

constexpr const char* kFooter = R"(
Examples:
  flashloom list                                    what there is: presets, policies, trace formats
  flashloom run tiny --job job.fio                  a preset under a fio job
  flashloom run device.toml --trace t.csv.gz --address-fit wrap --out results
  flashloom run tiny --job job.fio --set nand.channels=4 --set nand.read_time="25 us"
  flashloom precondition tiny --set precondition.fill=1 --state full.state
  flashloom run tiny --job job.fio --state full.state
                                                    precondition once, measure often
  flashloom endurance tiny --set nand.endurance=100 --generate "mix:read=0 %,random=100 %"
                                                    write until the device is worn out
  flashloom config tiny > mine.toml                 a device file with every key, to edit
  flashloom run device.toml --trace a.csv,size=8GiB --trace b.csv,size=8GiB
                                                    two traces, each on its part of the device
  flashloom trace info t.csv.gz                     what a trace is made of
  flashloom cache t.csv.gz --policy lru,arc --size 1%,10%
                                                    hit ratios and pages written of caches, without a simulation
  flashloom cold t.csv.gz --delta 4,16,64 --buffer 16MiB
                                                    how much of what is updated is correlated, without a simulation
  flashloom linux tiny --run script.sh              a real Linux with the modelled drive as /dev/nvme0n1
  flashloom nbd tiny --unix drive.sock              the modelled drive for qemu, fio, nbdcopy, with real bytes
  flashloom workload job.fio --device-size 1GiB     the requests of a fio job file, without a simulation

`flashloom COMMAND --help` says more. Exit codes: 0 done, 1 the run failed, 2 bad input.)";

constexpr const char* kRunFooter = R"(
The workload is a fio job file (rw, bs, iodepth, rwmixread, size, ...; `flashloom list fio_option`), block traces,
plain or compressed (.gz, .xz, .zst), a generator (`flashloom list generator`), or a workload file: a [[job]] table for
each of several of these, with its region, queue and times (docs/workloads.md).
host.replay says how a trace is replayed: "timed" or "closed".
Several traces play side by side, each a job on its own part of the device (equal shares, unless keys offset and size
say otherwise) and its own queue; with --concat one after another, as days. docs/traces.md says more.
DIR receives result.json, run.json and CSV tables.

Examples:
  flashloom run mqsim-default --job randread.fio
  flashloom run tiny --generate "mix:read=70 %,distribution=zipf"
  flashloom run tiny --workload tenants.toml --alone
  flashloom run tiny --trace proj_0.csv.gz --address-fit wrap --set host.replay=closed --out results
  flashloom run nvme-tlc-1tb --trace db.csv,offset=0B,size=64GiB --trace log.txt,size=32GiB,format=blkparse,action=Q
  flashloom run nvme-tlc-1tb --trace monday.csv --trace tuesday.csv --concat --concat-gap "10 h"
  flashloom run tiny --job mixed.fio --out results --plots --vcd --timeline --timeline-window "1 ms,3 ms")";

constexpr const char* kEnduranceFooter = R"(
Writes the workload, over and over again, with a new seed each time, until so many blocks have failed that the device
becomes read-only. nand.endurance says after how many P/E cycles blocks fail, nand.endurance_deviation how much they
differ. On the instant clock: counts, wear and lifetime, no times. Requests that arrive with gaps leave time for
background garbage collection (ftl.gc_background). DIR receives endurance.json and wear.csv (docs/results.md).

Example:
  flashloom endurance tiny --set nand.endurance=200 --set ftl.wear_leveling=static \
    --generate "mix:read=0 %,distribution=hot_cold,hot_space=10 %,hot_access=90 %" --out worn)";

constexpr const char* kConfigFooter = R"(
Prints every key with its value, meaning and range; the output is itself a device file. `flashloom list config` lists
the keys alone.

Example:
  flashloom config cosmos-openssd --set nand.ways=8 > cosmos-8-ways.toml)";

constexpr const char* kTraceFooter = R"(
The compact form (format "flashloom") holds what a replay needs, usually in 3 to 7 bytes a request; it is read several
times faster than text, and it finds truncation and damage. It is used like any other trace.

Examples:
  flashloom trace info proj_0.csv.gz --json
  flashloom trace convert proj_0.csv.gz proj_0.flt.zst
  flashloom trace convert old.trace new.flt --format disksim --time-unit ms)";

constexpr const char* kWorkloadFooter = R"(
Prints the requests of a fio job file in fio's log format, version 2 (fio --read_iolog, `flashloom run --trace`): what is
sent where, not when. A job that goes on until its runtime ends after a million requests. Jobs that run together take
turns.
Of a workload file (.toml) it prints what each job is made of, and how much of its data earlier jobs have used.

Examples:
  flashloom workload randread.fio --device-size "64 MiB" --max-requests 1000 --out randread.iolog
  flashloom workload experiments/pwc/office.toml --device-size "2 TB" [--json])";

/// Arguments as CLI11 collects them, before they are checked.
struct Raw {
  RunOptions run;
  RawPreconditionOptions precondition;
  std::string max_drive_writes;
  RawTortureOptions torture;
  ListOptions list;
  ConfigOptions config;
  TraceArguments traces;
  std::string trace_file;
  std::string trace_out;
  bool json = false;
  WorkloadOptions workload;
  std::string device_size;
  std::string sector_size;
  std::string address_fit = "error";
  std::string seed;
  std::string max_requests;
  std::string data_memory;
  RawPictureOptions pictures;
  RawCacheOptions cache;
  RawColdOptions cold;
  RawLinuxOptions linux;
  RawNbdOptions nbd;
};

AddressFit parse_address_fit(const std::string& text) {
  if (text == "error") return AddressFit::Error;
  if (text == "wrap") return AddressFit::Wrap;
  if (text == "scale") return AddressFit::Scale;
  throw UsageError("--address-fit: \"" + text + "\" is none of error, wrap, scale");
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// What CLI11 could not place: mistyped options and commands, arguments too many.
void refuse_extras(const CLI::App& app, const std::string& command) {
  const std::vector<std::string> extras = app.remaining();
  for (const std::string& extra : extras) {
    if (extra.size() < 2 || extra.front() != '-') continue;
    const std::string name = extra.substr(0, extra.find('='));
    throw UsageError("unknown option " + name + " of `" + command + "`" + did_you_mean(name, option_names(app)) +
                     "; valid: " + join_names(option_names(app)));
  }
  if (!extras.empty()) throw UsageError("unexpected argument \"" + extras.front() + "\" of `" + command + "`");
}

/// For what a command writes: an empty name, of a variable that is not set, would write nothing without a word.
std::string named(const std::string& path) { return path.empty() ? "is empty; say which file or folder" : ""; }

/// What a device and its workload are.
void add_experiment(CLI::App& app, Raw& raw) {
  app.add_option("device", raw.run.device, "device file, or name of a preset")->type_name("DEVICE.toml")->required();
  app.add_option("--job", raw.run.job, "fio job file")->type_name("F.fio");
  add_traces(app, raw.traces);
  app.add_option("--workload", raw.run.workload, "workload file: several jobs at once")->type_name("W.toml");
  app.add_option("--generate", raw.run.generate, "workload generator (`flashloom list generator`), as mix:read=70%")
      ->type_name("NAME[:PARAMETER=VALUE,...]");
  app.add_option("--address-fit", raw.address_fit, "addresses beyond the device: error (default), wrap, scale")
      ->type_name("MODE");
  add_overrides(app, raw.run.overrides);
  app.add_option("--seed", raw.seed, "seed of every random choice; default: the device file's")->type_name("N");
  app.add_option("--out", raw.run.out, "folder for result.json and tables")->type_name("DIR")->check(named);
}

CLI::App* add_endurance(CLI::App& app, Raw& raw) {
  CLI::App* endurance = app.add_subcommand("endurance", "Write until the device is worn out");
  add_experiment(*endurance, raw);
  endurance->add_option("--max-drive-writes", raw.max_drive_writes, "stop after so many writes of the whole capacity")
      ->type_name("N");
  endurance->add_flag("--quiet", raw.run.quiet, "no progress and no summary");
  endurance->footer(kEnduranceFooter);
  return endurance;
}

CLI::App* add_run(CLI::App& app, Raw& raw) {
  CLI::App* run = app.add_subcommand("run", "Simulate a device under a workload");
  add_experiment(*run, raw);
  run->add_flag("--alone", raw.run.alone, "run each job alone too, and report slowdowns and fairness");
  run->add_flag("--untimed", raw.run.untimed, "one request after another without time: counts only, many times faster");
  run->add_option("--max-requests", raw.max_requests, "stop after so many requests")->type_name("N");
  run->add_option("--state", raw.run.state, "begin from a state that `flashloom precondition` wrote")
      ->type_name("F.state")
      ->check(named);
  run->add_option("--io-log", raw.run.io_log, "write every request into DIR: binary (io_log.bin), csv or both")
      ->type_name("FORM");
  run->add_flag("--data", raw.run.data, "of a fio job file: keep real bytes, and check verify= for real");
  run->add_option("--data-memory", raw.data_memory,
                  "with --data: of them in memory; more go to $TMPDIR; default: 512 MiB")
      ->type_name("SIZE");
  add_picture_options(*run, raw.pictures);
  run->add_flag("--quiet", raw.run.quiet, "no progress and no summary");
  run->footer(kRunFooter);
  return run;
}

CLI::App* add_workload(CLI::App& app, Raw& raw) {
  CLI::App* workload =
      app.add_subcommand("workload", "Print the requests of a fio job file, or what a workload file has");
  workload->add_option("job", raw.workload.job, "fio job file or workload file")->type_name("F.fio|F.toml")->required();
  workload->add_flag("--json", raw.workload.json, "of a workload file: as JSON");
  workload->add_option("--device-size", raw.device_size, "of the device that it addresses; default: 64 MiB")
      ->type_name("SIZE");
  workload->add_option("--sector-size", raw.sector_size, "of the device; default: 512 B")->type_name("SIZE");
  workload->add_option("--seed", raw.seed, "seed of every random choice; default: 1")->type_name("N");
  workload->add_option("--name", raw.workload.name, "the job of this name only")->type_name("NAME");
  workload->add_option("--max-requests", raw.max_requests, "so many requests of each job")->type_name("N");
  workload
      ->add_option("--out", raw.workload.out, "file, compressed if it ends in .gz, .zst or .xz; default: print them")
      ->type_name("FILE")
      ->check(named);
  workload->footer(kWorkloadFooter);
  return workload;
}

WorkloadOptions checked_workload(const Raw& raw) {
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

/// The workload and what goes with it.
RunOptions checked_experiment(const Raw& raw, const std::string& command) {
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
  run.address_fit = parse_address_fit(raw.address_fit);
  if (!raw.seed.empty()) run.seed = parse_count("--seed", raw.seed, 0);
  return run;
}

EnduranceOptions checked_endurance(const Raw& raw) {
  EnduranceOptions endurance{.run = checked_experiment(raw, "endurance")};
  if (!raw.max_drive_writes.empty())
    endurance.max_drive_writes = static_cast<double>(parse_count("--max-drive-writes", raw.max_drive_writes, 1));
  return endurance;
}

/// --data and what goes with it.
void check_data(RunOptions& run, const std::string& memory) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
  if (!run.data && !memory.empty()) throw UsageError("--data-memory: is of --data, which is not given");
  if (!memory.empty()) run.data_memory = parse_byte_count("--data-memory", memory, kLeast, kMost);
  if (!run.data) return;
  if (run.job.empty()) throw UsageError("--data: is for --job; other workloads have no contents");
  if (run.untimed) throw UsageError("--untimed: --data is for timed runs; set verify=true to check tokens");
  if (run.alone) throw UsageError("--alone: does not go together with --data");
  run.overrides.push_back("verify=true");  // tokens stand for the bytes
}

RunOptions checked_run(const CLI::App& app, const Raw& raw) {
  RunOptions run = checked_experiment(raw, "run");
  check_io_log(run.io_log, run.out);
  if (!raw.max_requests.empty()) run.max_requests = parse_count("--max-requests", raw.max_requests, 1);
  run.pictures = checked_pictures(app, raw.pictures, run.out);
  check_data(run, raw.data_memory);
  const std::pair<const char*, bool> of_time[] = {{"--alone", run.alone},
                                                  {"--io-log", !run.io_log.empty()},
                                                  {"--plots", run.pictures.plots},
                                                  {"--vcd", run.pictures.vcd.has_value()},
                                                  {"--timeline", run.pictures.timeline.has_value()}};
  for (const auto& [option, given] : of_time)
    if (run.untimed && given)
      throw UsageError(std::string("--untimed: there is no time that ") + option + " could tell of");
  return run;
}

}  // namespace

void add_overrides(CLI::App& app, std::vector<std::string>& overrides) {
  app.add_option("--set", overrides, "override a key of the device file, as nand.channels=8; may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum) {
  constexpr std::uint64_t kLargest = INT64_MAX;
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || value < minimum || value > kLargest)
    throw UsageError(option + ": \"" + text + "\" is no whole number; valid: " + std::to_string(minimum) + " .. " +
                     std::to_string(kLargest));
  return value;
}

std::uint64_t parse_byte_count(const std::string& option, const std::string& text, std::uint64_t least,
                               std::uint64_t most) {
  std::uint64_t bytes = 0;
  try {
    bytes = parse_exact(Quantity::Bytes, text);
  } catch (const QuantityError& error) {
    throw UsageError(option + ": " + error.what());
  }
  if (bytes < least || bytes > most)
    throw UsageError(option + ": \"" + text + "\" is out of range; valid: " + format_exact(Quantity::Bytes, least) +
                     " .. " + format_exact(Quantity::Bytes, most));
  return bytes;
}

void check_io_log(const std::string& form, const std::string& out) {
  if (!form.empty() && form != "binary" && form != "csv" && form != "both")
    throw UsageError("--io-log: \"" + form + "\" is none of binary, csv, both");
  if (!form.empty() && out.empty()) throw UsageError("--io-log: writes into the folder of --out; there is none");
}

CommandOptions parse_command_line(const std::vector<std::string>& arguments) {
  Raw raw;
  CLI::App app("Flashloom: a cycle-approximate model of whole SSDs", "flashloom");
  app.footer(kFooter);
  std::vector<std::string> plugins;  // loaded before, see cli_main()
  app.add_option("--plugin", plugins,
                 "shared object with parts of yours (docs/embedding.md); may be repeated; anywhere")
      ->type_name("FILE.so");
  app.set_version_flag("--version", std::string("flashloom ") + flashloom_version());
  CLI::App* run = add_run(app, raw);
  CLI::App* precondition = add_precondition(app, raw.precondition);
  CLI::App* endurance = add_endurance(app, raw);
  CLI::App* torture = add_torture(app, raw.torture);

  CLI::App* list = app.add_subcommand("list", "List presets, policies, trace formats, configuration keys");
  list->add_option("family", raw.list.family, "one family only; config and fio_option are shown only so")
      ->type_name("FAMILY");
  list->add_flag("--json", raw.list.json, "machine-readable");

  CLI::App* config = app.add_subcommand("config", "Print the effective configuration of a device file");
  config->add_option("device", raw.config.device, "device file, or name of a preset")
      ->type_name("DEVICE.toml")
      ->required();
  add_overrides(*config, raw.config.overrides);
  config->add_flag("--json", raw.config.json, "machine-readable");
  config->footer(kConfigFooter);

  CLI::App* trace = app.add_subcommand("trace", "Look into traces, convert them");
  CLI::App* info = trace->add_subcommand("info", "What a trace is made of: requests, bytes, footprint, locality");
  CLI::App* convert = trace->add_subcommand("convert", "Write a trace in Flashloom's compact form");
  for (CLI::App* each : {info, convert}) {
    each->add_option("trace", raw.trace_file, "trace, plain or compressed")->type_name("F")->required();
    add_trace_format(*each, raw.traces);
  }
  info->add_flag("--json", raw.json, "machine-readable");
  convert->add_option("out", raw.trace_out, "file to write; compressed if it ends in .gz, .xz or .zst")
      ->type_name("OUT")
      ->required()
      ->check(named);
  trace->footer(kTraceFooter);
  convert->footer(kTraceFooter);

  CLI::App* workload = add_workload(app, raw);
  CLI::App* cache = add_cache(app, raw.cache);
  CLI::App* cold = add_cold(app, raw.cold);
  CLI::App* linux = add_linux(app, raw.linux);
  CLI::App* nbd = add_nbd(app, raw.nbd);

  // One command a line: its arguments may be called like other commands (`list config`).
  app.require_subcommand(0, 1);
  trace->require_subcommand(0, 1);
  for (CLI::App* each : {&app, run, precondition, endurance, torture, list, config, trace, info, convert, workload,
                         cache, cold, linux, nbd})
    each->allow_extras();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants a vector
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return InformationText{app.help()};  // of the command that was named, if any
  } catch (const CLI::CallForVersion& version) {
    return InformationText{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }

  if (run->parsed()) {
    refuse_extras(*run, "flashloom run");
    return checked_run(*run, raw);
  }
  if (precondition->parsed()) {
    refuse_extras(*precondition, "flashloom precondition");
    return checked_precondition(raw.precondition);
  }
  if (endurance->parsed()) {
    refuse_extras(*endurance, "flashloom endurance");
    return checked_endurance(raw);
  }
  if (torture->parsed()) {
    refuse_extras(*torture, "flashloom torture");
    return checked_torture(raw.torture);
  }
  if (list->parsed()) {
    refuse_extras(*list, "flashloom list");
    return raw.list;
  }
  if (config->parsed()) {
    refuse_extras(*config, "flashloom config");
    return raw.config;
  }
  if (info->parsed()) {
    refuse_extras(*info, "flashloom trace info");
    return TraceInfoOptions{.trace = plain_trace(raw.trace_file, raw.traces), .json = raw.json};
  }
  if (convert->parsed()) {
    refuse_extras(*convert, "flashloom trace convert");
    return TraceConvertOptions{.trace = plain_trace(raw.trace_file, raw.traces), .out = raw.trace_out};
  }
  if (linux->parsed()) {
    refuse_extras(*linux, "flashloom linux");
    return checked_linux(*linux, raw.linux);
  }
  if (nbd->parsed()) {
    refuse_extras(*nbd, "flashloom nbd");
    return checked_nbd(*nbd, raw.nbd);
  }
  if (workload->parsed()) {
    refuse_extras(*workload, "flashloom workload");
    return checked_workload(raw);
  }
  if (cache->parsed()) {
    refuse_extras(*cache, "flashloom cache");
    return checked_cache(raw.cache);
  }
  if (cold->parsed()) {
    refuse_extras(*cold, "flashloom cold");
    return checked_cold(raw.cold);
  }
  const CLI::App& asked = trace->parsed() ? *trace : app;
  const std::string program = trace->parsed() ? "flashloom trace" : "flashloom";
  const std::vector<std::string> commands =
      trace->parsed() ? std::vector<std::string>{"info", "convert"}
                      : std::vector<std::string>{"run",   "precondition", "endurance", "torture", "list",  "config",
                                                 "trace", "workload",     "cache",     "cold",    "linux", "nbd"};
  const std::vector<std::string> extras = asked.remaining();
  if (!extras.empty() && extras.front().front() != '-') {
    throw UsageError("unknown command \"" + extras.front() + "\"" + did_you_mean(extras.front(), commands) +
                     "; valid: " + join_names(commands));
  }
  refuse_extras(asked, program);
  throw UsageError("no command given; valid: " + join_names(commands) + "; `" + program + " --help` says more");
}

}  // namespace flashloom
