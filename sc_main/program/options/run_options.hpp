// Options of `flashloom run` and `flashloom endurance`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/program/options/picture_options.hpp"
#include "sc_main/program/options/sample_options.hpp"
#include "sc_main/program/options/trace_options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

struct CommandEntry;

/// Numbers of samples of keys with a range.
struct SamplingOptions {
  std::size_t samples = 0;  ///< of keys that affect only the power of parts
  std::uint64_t seed = 1;   ///< separate from the device's seed: keys that two devices share are drawn alike for both
  std::size_t runs = 16;    ///< samples of keys that need a run for each; 1: these keep their values
};

/// flashloom run
struct RunOptions {
  std::string device;                    ///< device file or preset, as given
  std::vector<std::string> overrides{};  ///< "path=value"
  std::string job{};                     ///< fio job file; exactly one of this and the next three is given
  TraceSet traces{};                     ///< block traces
  std::string workload{};                ///< workload file
  std::string generate{};                ///< generator with parameters
  AddressFit address_fit = AddressFit::Error;
  std::optional<std::uint64_t> seed{};                   ///< replaces the configuration's
  std::string out{};                                     ///< directory for results; empty: not given
  std::uint64_t max_requests = 0;                        ///< stop issuing after so many; 0: all
  std::string state{};                                   ///< initial saved state; empty: the device is preconditioned
  std::string save_state{};                              ///< file for the state after the run; empty: none
  std::vector<std::string> sections{};                   ///< of the job file; empty: all
  bool alone = false;                                    ///< also run each job alone, and report the slowdowns
  std::string io_log{};                                  ///< "binary", "csv", "both"; empty: none
  bool data = false;                                     ///< store real bytes, and carry out fio's verify=
  std::uint64_t data_memory = std::uint64_t{512} << 20;  ///< bytes of data kept in memory
  bool untimed = false;                                  ///< run on the instant clock: counts, but no times
  bool quiet = false;                                    ///< no progress, no summary
  bool json = false;                                     ///< print the result instead of the summary
  PictureOptions pictures{};
  SamplingOptions uncertainty{};  ///< error bars of energy; no samples: none
  SampleOptions sample{};         ///< sampled run, or run in segments
};

/// flashloom endurance
struct EnduranceOptions {
  RunOptions run;               ///< used: device, overrides, the workload, seed, out, quiet, json
  double max_drive_writes = 0;  ///< stop after so many writes of the whole capacity; 0: at the end of life
};

extern const CommandEntry kRunCommand;
extern const CommandEntry kEnduranceCommand;

}  // namespace flashloom
