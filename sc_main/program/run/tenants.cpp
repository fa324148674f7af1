#include "sc_main/program/run/tenants.hpp"

#include <algorithm>
#include <thread>

#include "sc_main/assembly/state/state_file.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/program/run/child_process.hpp"
#include "sc_main/program/run/open_workload.hpp"
#include "workloads/byte_stream.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

/// a / b; null if either is 0.
Json slowdown(const Json& a, const Json& b) {
  const double over = a.get<double>();
  const double under = b.get<double>();
  if (over == 0 || under == 0) return nullptr;
  return over / under;
}

}  // namespace

std::vector<Tenant> tenants_of(const std::vector<HostJob>& jobs) {
  std::vector<Tenant> tenants;
  std::vector<std::string> groups;  // of the tenants
  for (std::uint32_t number = 0; number < jobs.size(); ++number) {
    const HostJob& job = jobs[number];
    const auto found = job.group.empty() ? groups.end() : std::find(groups.begin(), groups.end(), job.group);
    if (found == groups.end()) {
      tenants.push_back({job.group.empty() ? job.name : job.group, {number}});
      groups.push_back(job.group);
    } else {
      tenants[static_cast<std::size_t>(found - groups.begin())].jobs.push_back(number);
    }
  }
  return tenants;
}

Json tenant_figures(const HostStatistics& statistics) {
  LatencyHistogram latency;
  std::uint64_t bytes = 0;
  for (const HostStatistics::Operation& operation : statistics.operations) {
    latency += operation.latency;
    bytes += operation.bytes;
  }
  const double seconds = static_cast<double>(statistics.elapsed()) / static_cast<double>(kSecond);
  const auto rate = [seconds](std::uint64_t n) { return seconds == 0 ? 0.0 : static_cast<double>(n) / seconds; };
  return {{"ios", statistics.ios()},
          {"iops", rate(statistics.ios())},
          {"bandwidth_bytes_per_s", rate(bytes)},
          {"latency_mean_ns", latency.mean() / static_cast<double>(kNanosecond)},
          {"latency_p99_ns", static_cast<double>(latency.percentile(0.99)) / static_cast<double>(kNanosecond)}};
}

std::vector<Json> figures_of(const HostDriver& host, const std::vector<Tenant>& tenants) {
  std::vector<Json> figures;
  for (const Tenant& tenant : tenants) {
    HostStatistics sum = host.statistics(tenant.jobs.front());
    for (std::size_t i = 1; i < tenant.jobs.size(); ++i) sum += host.statistics(tenant.jobs[i]);
    figures.push_back(tenant_figures(sum));
  }
  return figures;
}

std::vector<Json> run_alone(const RunOptions& options, const DeviceConfig& config, const DeviceSpace& space,
                            const std::vector<Tenant>& tenants) {
  const auto alone = [&](std::size_t number) -> Json {
    // Opened again: files opened before the fork would share their positions.
    Workload workload = open_workload(options, config, space);
    std::vector<HostJob> jobs;
    for (const std::uint32_t job : tenants[number].jobs) jobs.push_back(std::move(workload.jobs[job]));
    const auto state = options.state.empty() ? nullptr : std::make_unique<StateReader>(options.state);
    Simulation simulation(config, {.keep_versions = false});
    begin_state(simulation, state.get());
    simulation.run(std::move(jobs));
    const HostStatistics statistics = simulation.host().statistics();
    if (simulation.oracle() != nullptr) {
      simulation.quiesce();
      simulation.audit();
      if (simulation.oracle()->mismatches() != 0)
        throw SimulationFailure("data did not verify: " + simulation.oracle()->first_mismatch());
    }
    return tenant_figures(statistics);
  };
  keep_inputs_whole();
  try {
    return in_children(tenants.size(), std::thread::hardware_concurrency(), alone);
  } catch (const std::runtime_error& error) {
    throw SimulationFailure(std::string("a job alone: ") + error.what());
  }
}

Json compare_tenants(const std::vector<Tenant>& tenants, const std::vector<Json>& together,
                     const std::vector<Json>& alone) {
  Json result;
  Json& jobs = result["jobs"] = Json::array();
  std::vector<double> slowdowns;
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    const Json mean = slowdown(together[i]["latency_mean_ns"], alone[i]["latency_mean_ns"]);
    if (!mean.is_null()) slowdowns.push_back(mean.get<double>());
    jobs.push_back(
        {{"name", tenants[i].name},
         {"together", together[i]},
         {"alone", alone[i]},
         {"slowdown",
          {{"latency_mean", mean},
           {"latency_p99", slowdown(together[i]["latency_p99_ns"], alone[i]["latency_p99_ns"])},
           {"bandwidth", slowdown(alone[i]["bandwidth_bytes_per_s"], together[i]["bandwidth_bytes_per_s"])}}}});
  }
  for (const char* const name : {"slowdown_min", "slowdown_max", "fairness", "jain"}) result[name] = nullptr;
  if (slowdowns.empty()) return result;
  const auto [least, most] = std::minmax_element(slowdowns.begin(), slowdowns.end());
  double sum = 0;
  double squares = 0;
  for (const double s : slowdowns) {
    sum += 1 / s;
    squares += 1 / (s * s);
  }
  result["slowdown_min"] = *least;
  result["slowdown_max"] = *most;
  result["fairness"] = *least / *most;
  result["jain"] = sum * sum / (static_cast<double>(slowdowns.size()) * squares);
  return result;
}

}  // namespace flashloom
