// One benchmark case, or one calibration, in a process of its own; prints a line of JSON. bench/run is the way to it.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/cases.hpp"
#include "bench/wake_calibration.hpp"
#include "sc_main/config/load.hpp"
#include "sc_main/system/simulation.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

Json list_cases() {
  Json list = Json::array();
  for (const BenchCase& known : bench_cases()) list.push_back({{"name", known.name}, {"summary", known.summary}});
  return list;
}

Json flash_counts(const FlashCounters& counters) {
  const FlashCount reads = counters.total(FlashOperation::Read);
  const FlashCount programs = counters.total(FlashOperation::Program);
  const FlashCount erases = counters.total(FlashOperation::Erase);
  return {{"operations", reads.commands + programs.commands + erases.commands},
          {"pages", reads.pages + programs.pages},
          {"reads", reads.commands},
          {"programs", programs.commands},
          {"erases", erases.commands}};
}

struct RunOptions {
  std::string name;
  BenchPaths paths;
  double scale = 1.0;
  std::vector<std::string> overrides;
  std::string profiler;  // folder with the FIFOs "control" and "ack" of perf record; empty: none
};

// Lets perf record begin: what was prepared until now is not sampled.
void enable_profiler(const std::string& folder) {
  std::ofstream(folder + "/control") << "enable\n" << std::flush;
  std::string answer;
  std::getline(std::ifstream(folder + "/ack"), answer);
}

Json run_case(const RunOptions& options) {
  const BenchCase& chosen = bench_case(options.name);
  std::vector<std::string> overrides = chosen.overrides;
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  const LoadedConfig config = load_config(options.paths.source + "/" + chosen.device, overrides);
  Simulation simulation(config.device);

  // As Simulation::precondition(), which forgets what the flash did.
  InstantHost instant = simulation.instant_host();
  double begin = cpu_seconds();
  const PreconditionResult prepared = Preconditioner(config.device, instant, simulation.ssd().firmware()).run({});
  const double prepare_s = cpu_seconds() - begin;
  const std::uint64_t programs = simulation.ssd().instant_flash().counters().total(FlashOperation::Program).pages;
  simulation.ssd().reset_statistics();

  const DeviceSpace space{.capacity = simulation.capacity_bytes(),
                          .sector_size = config.device.host_interface.sector_size};
  const auto requests = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(options.scale * static_cast<double>(chosen.requests))));
  std::vector<HostJob> jobs(1);
  jobs[0].name = chosen.name;
  jobs[0].source = chosen.workload(options.paths, space, requests);
  jobs[0].iodepth = chosen.iodepth;

  if (!options.profiler.empty()) enable_profiler(options.profiler);
  const auto wall_begin = std::chrono::steady_clock::now();
  begin = cpu_seconds();
  simulation.run(std::move(jobs));
  const double cpu_s = cpu_seconds() - begin;
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_begin).count();

  const HostStatistics host = simulation.host().statistics();
  const FtlStatistics ftl = simulation.ssd().ftl_statistics();
  const BufferStatistics buffer = simulation.ssd().buffer_statistics();
  Json json;
  json["case"] = chosen.name;
  json["summary"] = chosen.summary;
  json["cpu_s"] = cpu_s;
  json["wall_s"] = wall_s;
  json["ios"] = host.completions;
  json["flash"] = flash_counts(simulation.ssd().flash().counters());
  json["kernel_deltas"] = TimeLoop::instance().cycles();
  json["peak_rss_bytes"] = peak_rss_bytes();
  json["simulated_s"] = static_cast<double>(simulation.end()) / static_cast<double>(kSecond);
  json["capacity_bytes"] = simulation.capacity_bytes();
  json["gc_runs"] = ftl.gc_runs;
  json["waf"] = ftl.units_written == 0 ? 0.0
                                       : static_cast<double>(ftl.units_written + ftl.units_moved + ftl.units_padded) /
                                             static_cast<double>(ftl.units_written);
  json["buffer_read_hits"] = buffer.read_hits;
  json["precondition"] = {{"cpu_s", prepare_s},
                          {"programs", programs},
                          {"passes", prepared.passes},
                          {"waf", prepared.waf},
                          {"settled", prepared.settled}};
  return json;
}

int run(int argc, char** argv) {
  CLI::App app("One benchmark case, or a calibration, as a line of JSON (use bench/run)");
  app.require_subcommand(1);
  RunOptions options;
  std::uint32_t samples = 5;
  std::uint64_t wakes = 200'000;
  app.add_subcommand("list", "names of the cases")->callback([] { std::cout << list_cases() << '\n'; });
  CLI::App* const wake = app.add_subcommand("wake", "CPU nanoseconds of one timed SC_METHOD wake");
  wake->add_option("--samples", samples, "measurements")->check(CLI::Range(1, 1000))->capture_default_str();
  wake->add_option("--wakes", wakes, "wakes a measurement")
      ->check(CLI::Range(1000, 1'000'000'000))
      ->capture_default_str();
  wake->callback([&] { std::cout << Json{{"wake_ns", measure_wakes(samples, wakes)}} << '\n'; });
  CLI::App* const one = app.add_subcommand("run", "run a case");
  one->add_option("case", options.name, "which")->required();
  one->add_option("--source", options.paths.source, "root of the source tree")->required();
  one->add_option("--scale", options.scale, "share of the case's requests")->check(CLI::PositiveNumber);
  one->add_option("--set", options.overrides, "override path=value, after the case's own")->allow_extra_args(false);
  one->add_option("--profiler", options.profiler, "folder with the FIFOs control and ack of perf record");
  one->callback([&] { std::cout << run_case(options) << '\n'; });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return 0;
}

}  // namespace
}  // namespace flashloom

// libsystemc has its own main(), which calls this.
int sc_main(int argc, char** argv) {
  try {
    return flashloom::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "case_runner: " << error.what() << '\n';
    return 2;
  }
}
