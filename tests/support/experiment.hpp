// Whole simulations for tests: presets scaled down, a run in a child process, and its result as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom {

using Json = nlohmann::ordered_json;

/// Names of the presets in configs/ that take writes at any place; those of zoned drives end in "-zns".
std::vector<std::string> preset_names();
/// A preset as it is, with overrides ("nand.channels=2").
DeviceConfig preset(const std::string& name, const std::vector<std::string>& overrides = {});
/// A preset with its shape (units, planes, one-shot programs, times), scaled down to a few megabytes, with verify on.
DeviceConfig small_preset(const std::string& name, const std::vector<std::string>& overrides = {});

/// A random mixture over the whole device.
MixOptions mix_for(const DeviceConfig& config, std::uint64_t seed, std::uint64_t requests);

/// One closed-loop job (iodepth > 0), or an open-loop one (iodepth 0).
struct TestJob {
  std::vector<Request> requests;
  std::uint32_t iodepth = 1;
  std::uint32_t queue = 0;
  std::string name{};
  std::string group{};
  Picoseconds ramp_time = 0;
  Picoseconds start_delay = 0;
  std::uint32_t queues = 1;
  std::uint64_t offset = 0;
  std::uint32_t name_space = 0;
};

/// Runs the jobs in a child process. The result is that of make_result(), with these additions:
///   "verify"     as in result.json, after an audit (with verify on);
///   "digest"     of the media, "counters" and "ftl_statistics" (all fields), after the device came to rest; with [hmb]
///                "hmb_counts";
///   "end_ps"     simulated time of the last completion, "rest_ps" when the device came to rest;
///   "interrupted_ps" instants of completions in order, each with the number of completions;
///   "most_in_queue" the largest number of commands accepted and not yet complete;
///   "latency_ps" of the operations: [minimum, maximum] by name;
///   "breakdown_ps" of the operations: sum over all requests, by name and part;
///   "work" of the components, as energy_work() returns it, as if for 1 GB.
/// Checks that the parts of every request add up to its latency, and calls Ftl::check(). Throws std::runtime_error if
/// the run fails. With a `state`, a file that save_state() wrote, the run begins there in place of preconditioning.
Json simulate(const DeviceConfig& config, const std::vector<TestJob>& jobs, const std::string& state = {});

/// Preconditions the device in a child process and saves its state to a file.
void save_state(const DeviceConfig& config, const std::string& path);

/// Runs the requests one by one on the instant clock: "digest", "counters", "ftl_statistics", "verify".
Json run_instantly(const DeviceConfig& config, const std::vector<Request>& requests);

}  // namespace flashloom
