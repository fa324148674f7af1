// Interference between the jobs of a run: each job also runs alone, and its latencies and bandwidth are compared.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// A job, or a group of jobs that is reported as one.
struct Tenant {
  std::string name;
  std::vector<std::uint32_t> jobs;  ///< numbers in the order of the run
};

std::vector<Tenant> tenants_of(const std::vector<HostJob>& jobs);

/// The figures of a tenant that are compared: ios, iops, bandwidth, mean and 99th percentile of all its latencies.
nlohmann::ordered_json tenant_figures(const HostStatistics& statistics);
/// The same of each tenant, after a run.
std::vector<nlohmann::ordered_json> figures_of(const HostDriver& host, const std::vector<Tenant>& tenants);

/// Runs each tenant alone, with the queues, times and seeds of the common run, on a device in the same state; each in a
/// child process, as many in parallel as there are cores. To be called before this process makes a simulation. Throws
/// SimulationFailure.
std::vector<nlohmann::ordered_json> run_alone(const RunOptions& options, const DeviceConfig& config,
                                              const DeviceSpace& space, const std::vector<Tenant>& tenants);

/// `tenants` of result.json. Slowdown: the mean latency together divided by that alone (the 99th percentile likewise;
/// bandwidth alone divided by that together); 1: no slowdown. Fairness of the slowdowns of the means: the lowest
/// divided by the highest, as in MQSim (Tavakkol et al., FAST'18; Gabor, Weiss, Mendelson, MICRO 2006), and Jain's
/// index of their inverses (Jain, Chiu, Hawe, DEC-TR-301, 1984). A ratio of which a term is 0 is null.
nlohmann::ordered_json compare_tenants(const std::vector<Tenant>& tenants,
                                       const std::vector<nlohmann::ordered_json>& together,
                                       const std::vector<nlohmann::ordered_json>& alone);

}  // namespace flashloom
