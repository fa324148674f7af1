// One window of a sampled run: simulated in time by a process of its own, from where the instant clock has come to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "controllers/host/host_statistics.hpp"
#include "sc_main/config/load.hpp"
#include "sc_main/sample/service_times.hpp"
#include "sc_main/sample/window_parts.hpp"
#include "sc_main/system/simulation.hpp"

namespace flashloom {

/// Of the flash.
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

/// What a window has to say.
struct WindowAnswer {
  std::uint64_t requests = 0;        ///< measured, of all jobs
  Picoseconds time = 0;              ///< they took
  std::vector<HostStatistics> jobs;  ///< what was measured, by job
  std::vector<std::uint64_t> later;  ///< requests of each job that completed in the later half, or up to three quarters
  nlohmann::ordered_json result;     ///< make_measured(); null: nothing was measured
  FlashCommands flash;               ///< what was measured
  WindowParts parts;                 ///< measured or not
  ServiceTimes cache;                ///< of a tier: of the SSD's commands, as measured
};

/// What of a run a window is.
struct WindowShape {
  std::uint64_t warm_up = 0;  ///< requests that are simulated, and not measured
  std::uint64_t length = 0;   ///< requests, those included
  PartEnds parts{};           ///< the last one ends with the window
  std::uint64_t until_warm = 0;  ///< of a run's begin: it ends after so many if a tier's cache is warm, or an SSD alone has
                                 ///< got rid of what it was left to write, or twice, four, ... times as many, else after
                                 ///< `length`; 0: after that
  bool until_steady = false;  ///< `until_warm`: an SSD alone is to program as much as before, and not little
  Picoseconds behind = 0;     ///< open loop: the first request comes so long before the device turns to it
};

/// Simulates the jobs' next requests by `run` (Simulation::run_window). The sources must hold as many of each job, and
/// those in flight behind them. In a forked process: the simulation can do nothing else afterwards. The answer is for
/// parse_window().
std::string simulate_window(const LoadedConfig& config, Simulation& simulation, const WindowShape& shape,
                            const std::function<void()>& run);
WindowAnswer parse_window(const std::string& answer);

}  // namespace flashloom
