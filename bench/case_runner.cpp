// Runs one benchmark case or one calibration and prints a line of JSON. bench/run and others call it, a process for
// each.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/huge_pages.hpp"
#include "analysis/page_trace.hpp"
#include "bench/cases.hpp"
#include "bench/wake_calibration.hpp"
#include "policies/replacement/cache_model.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/run/open_workload.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kCachePage = 4096;
constexpr std::uint32_t kCacheShare = 10;  // the cache holds one of this many pages

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

Json list_cases() {
  Json list = Json::array();
  for (const BenchCase& known : bench_cases())
    list.push_back({{"name", known.name},
                    {"summary", known.summary},
                    {"requests", known.requests},
                    {"default", known.by_default},
                    {"memory_of", known.memory_of}});
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

// Tells perf record to start sampling, so that it leaves out the preparation before this call.
void enable_profiler(const std::string& folder) {
  std::ofstream(folder + "/control") << "enable\n" << std::flush;
  std::string answer;
  std::getline(std::ifstream(folder + "/ack"), answer);
}

std::uint64_t requests_of(const BenchCase& chosen, double scale) {
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(scale * static_cast<double>(chosen.requests))));
}

LoadedConfig load(const BenchCase& chosen, const RunOptions& options, const std::vector<std::string>& more = {}) {
  if (chosen.device.empty()) {
    if (!options.overrides.empty()) throw std::invalid_argument(chosen.name + " has no device to --set anything of");
    return {};
  }
  std::vector<std::string> overrides = chosen.overrides;
  overrides.insert(overrides.end(), more.begin(), more.end());
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  return load_device(options.paths.source + "/" + chosen.device, overrides, {});
}

/// The result, CPU time and flash operations of preconditioning.
struct Prepared {
  PreconditionResult result;
  FtlStatistics ftl;
  Json flash;
  std::uint64_t programs = 0;
  double cpu_s = 0;

  Json json() const {
    return {{"cpu_s", cpu_s},
            {"programs", programs},
            {"passes", result.passes},
            {"waf", result.waf},
            {"settled", result.settled}};
  }
};

Prepared precondition(Simulation& simulation) {
  Prepared prepared;
  const double begin = cpu_seconds();
  prepared.result = simulation.precondition({}, [&] {
    prepared.cpu_s = cpu_seconds() - begin;
    const FlashCounters& counters = simulation.ssd().instant_flash().counters();
    prepared.flash = flash_counts(counters);
    prepared.programs = counters.total(FlashOperation::Program).pages;
    prepared.ftl = simulation.ssd().ftl_statistics();
  });
  return prepared;
}

double waf(const FtlStatistics& ftl) {
  if (ftl.units_written == 0) return 0;
  return static_cast<double>(ftl.units_written + ftl.units_moved + ftl.units_padded) /
         static_cast<double>(ftl.units_written);
}

struct Cost {
  double cpu_s = 0;
  double wall_s = 0;
};

template <class Body>
Cost cost_of(Body body) {
  const auto wall_begin = std::chrono::steady_clock::now();
  const double begin = cpu_seconds();
  body();
  const double cpu_s = cpu_seconds() - begin;
  return {cpu_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_begin).count()};
}

Json head(const BenchCase& chosen, Cost cost) {
  return {{"case", chosen.name}, {"summary", chosen.summary}, {"cpu_s", cost.cpu_s}, {"wall_s", cost.wall_s}};
}

Json run_device(const BenchCase& chosen, const RunOptions& options) {
  const LoadedConfig config = load(chosen, options);
  Simulation simulation(config.device);
  const bool untimed = chosen.kind == BenchKind::Precondition;
  if (untimed && !options.profiler.empty()) enable_profiler(options.profiler);
  Prepared prepared;
  const std::uint64_t requests = requests_of(chosen, options.scale);
  Cost cost = cost_of([&] { prepared = precondition(simulation); });
  if (!untimed) {
    std::vector<HostJob> jobs(1);
    jobs[0].name = chosen.name;
    jobs[0].source = chosen.workload(options.paths, device_space(config.device), requests);
    jobs[0].iodepth = std::max(chosen.iodepth, 1U);
    jobs[0].open_loop = chosen.iodepth == 0;
    if (!options.profiler.empty()) enable_profiler(options.profiler);
    cost = cost_of([&] { simulation.run(std::move(jobs)); });
  }

  const FtlStatistics ftl = untimed ? prepared.ftl : simulation.ssd().ftl_statistics();
  const Json flash = untimed ? prepared.flash : flash_counts(simulation.flash_counters());
  if (flash["operations"] == 0 && (untimed || requests >= chosen.flash_within()))
    throw std::runtime_error(chosen.name + " did no flash operation, and so has not measured its SSD");
  Json json = head(chosen, cost);
  json["ios"] = untimed ? ftl.units_written : simulation.host().statistics().completions;
  json["flash"] = flash;
  json["kernel_deltas"] = untimed ? 0 : TimeLoop::instance().cycles();
  json["peak_rss_bytes"] = peak_rss_bytes();
  json["simulated_s"] = static_cast<double>(untimed ? 0 : simulation.end()) / static_cast<double>(kSecond);
  json["capacity_bytes"] = simulation.capacity_bytes();
  json["gc_runs"] = ftl.gc_runs;
  json["waf"] = waf(ftl);
  json["buffer_read_hits"] = simulation.ssd().buffer_statistics().read_hits;
  json["precondition"] = prepared.json();
  json["memory"] = nullptr;  // bench/run fills this in from `case_runner memory`
  return json;
}

// Measures page references to a cache, without generating the references and numbering their pages (bench/cache
// includes both).
Json run_cache(const BenchCase& chosen, const RunOptions& options) {
  load(chosen, options);
  const DeviceSpace space{.capacity = ~std::uint64_t{0}, .sector_size = kCachePage};
  const auto source = chosen.workload(options.paths, space, requests_of(chosen, options.scale));
  const PageTrace trace = read_page_trace(*source, {.page_bytes = kCachePage});
  CacheModelContext context{.policy = {}, .directory = trace.directory(), .future = {}};
  context.policy.capacity = std::max(1U, trace.footprint / kCacheShare);
  context.policy.memory = &huge_pages();
  const auto model = make_cache_model({chosen.name.substr(chosen.name.find('/') + 1), {}}, context);
  if (!options.profiler.empty()) enable_profiler(options.profiler);
  const Cost cost = cost_of([&] { model->run(trace.references); });
  Json json = head(chosen, cost);
  json["ios"] = trace.references.size();
  json["flash"] = flash_counts({});
  json["kernel_deltas"] = 0;
  json["peak_rss_bytes"] = peak_rss_bytes();
  json["simulated_s"] = 0.0;
  json["capacity_bytes"] = std::uint64_t{context.policy.capacity} * kCachePage;
  json["gc_runs"] = 0;
  json["waf"] = 0.0;
  json["buffer_read_hits"] = 0;
  json["precondition"] = Prepared{}.json();
  json["memory"] = {{"bytes_per_mapping_unit", nullptr},
                    {"bytes_per_page", static_cast<double>(model->policy_bytes() + model->lookup_bytes()) /
                                           static_cast<double>(context.policy.capacity)}};
  return json;
}

Json run_case(const RunOptions& options) {
  const BenchCase& chosen = bench_case(options.name);
  return chosen.kind == BenchKind::Cache ? run_cache(chosen, options) : run_device(chosen, options);
}

// The case's device at one of its two sizes, preconditioned, without a run.
Json measure_memory(const RunOptions& options, std::uint32_t size) {
  const BenchCase& chosen = bench_case(options.name);
  if (chosen.memory_of.empty()) throw std::invalid_argument(chosen.name + ": its memory is not measured");
  const LoadedConfig config = load(chosen, options, chosen.sizes.at(size));
  Simulation simulation(config.device);
  precondition(simulation);
  const NandGeometry& geometry = simulation.ssd().geometry();
  return {{"rss_bytes", peak_rss_bytes()},
          {"pages", geometry.total_units() / geometry.units_per_page},
          {"mapping_units", geometry.total_units()}};
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
  const auto add_case = [&options](CLI::App* command) {
    command->add_option("case", options.name, "which")->required();
    command->add_option("--source", options.paths.source, "root of the source tree")->required();
    command->add_option("--set", options.overrides, "override path=value, after the case's own")
        ->allow_extra_args(false);
  };
  CLI::App* const memory = app.add_subcommand("memory", "memory of a case's device, preconditioned");
  add_case(memory);
  std::uint32_t size = 0;
  memory->add_option("--size", size, "0: small; 1: twice as large")->check(CLI::Range(0, 1))->required();
  memory->callback([&] { std::cout << measure_memory(options, size) << '\n'; });
  CLI::App* const one = app.add_subcommand("run", "run a case");
  add_case(one);
  one->add_option("--scale", options.scale, "share of the case's requests")->check(CLI::PositiveNumber);
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
