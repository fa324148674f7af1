// One window of a sampled run, simulated on the timed clock by a forked process from the state of the instant clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "controllers/host/host_statistics.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/sample/service_times.hpp"
#include "sc_main/program/sample/window_parts.hpp"

namespace flashloom {

/// Commands that the flash carried out.
struct FlashCommands {
  std::uint64_t host_reads = 0;
  std::uint64_t other_reads = 0;
  std::uint64_t programs = 0;

  template <class Archive>
  void state(Archive& archive) {
    archive(host_reads, other_reads, programs);
  }
};
FlashCommands flash_commands(const FlashCounters& counters);

/// Measurements of a window.
struct WindowAnswer {
  std::uint64_t requests = 0;        ///< measured requests of all jobs
  Picoseconds time = 0;              ///< measured time
  std::vector<HostStatistics> jobs;  ///< measured, by job
  std::vector<std::uint64_t> later;  ///< by job: requests that completed in the last 1/2 to 3/4 of the window
  nlohmann::ordered_json result;     ///< make_measured(); null: nothing was measured
  FlashCommands flash;               ///< measured
  WindowParts parts;                 ///< of the whole window, warm-up included
  ServiceTimes cache;                ///< tier: measured times of commands to the SSD
};

/// Lengths of a window.
struct WindowShape {
  std::uint64_t warm_up = 0;     ///< requests that are simulated, but not measured
  std::uint64_t length = 0;      ///< requests, those of the warm-up included
  PartEnds parts{};              ///< the last part ends with the window
  std::uint64_t until_warm = 0;  ///< run's begin: it ends after so many requests (or 2, 4, ... times as many) if a
                                 ///< tier's cache is warm then, or an SSD alone has written what was dirty before the
                                 ///< run, else after `length`; 0: always after `length`
  bool until_steady = false;     ///< with `until_warm`: an SSD alone has to program at a steady rate instead
  Picoseconds behind = 0;        ///< open loop: the device's backlog at the first request
};

/// Simulates the jobs' next requests by `run` (Simulation::run_window), in a forked process: the simulation cannot go
/// on afterwards. The sources must hold the window's requests of each job, and those in flight at its end. Returns an
/// answer for parse_window(). Throws SimulationFailure if a read was wrong.
std::string simulate_window(const LoadedConfig& config, Simulation& simulation, const WindowShape& shape,
                            const std::function<void()>& run);
WindowAnswer parse_window(const std::string& answer);

}  // namespace flashloom
