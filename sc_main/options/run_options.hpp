// Options of `flashloom run` and `flashloom endurance`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/options/picture_options.hpp"
#include "sc_main/options/sample_options.hpp"
#include "sc_main/options/trace_options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

struct CommandEntry;

/// How often keys with a range are drawn.
struct SamplingOptions {
  std::size_t samples = 0;  ///< of keys that decide what parts draw alone
  std::uint64_t seed = 1;   ///< not the device's: what two devices share is drawn alike for both
  std::size_t runs = 16;    ///< of keys that take a run each; 1: these keep their values
};

/// flashloom run
struct RunOptions {
  std::string device;                    ///< device file or preset, as given
  std::vector<std::string> overrides{};  ///< "path=value"
  std::string job{};                     ///< fio job file; of this and the next three one is given
  TraceSet traces{};                     ///< block traces
  std::string workload{};                ///< workload file
  std::string generate{};                ///< generator with parameters
  AddressFit address_fit = AddressFit::Error;
  std::optional<std::uint64_t> seed{};  ///< in place of the configuration's
  std::string out{};                    ///< directory for results; empty: not given
  std::uint64_t max_requests = 0;       ///< stop issuing after so many; 0: all
  std::string state{};                  ///< saved state to begin from; empty: the device is preconditioned
  bool alone = false;                   ///< also run each job alone, and report what they cost each other
  std::string io_log{};                 ///< "binary", "csv", "both"; empty: none
  bool data = false;                    ///< real bytes, and fio's verify= for real
  std::uint64_t data_memory = std::uint64_t{512} << 20;  ///< bytes of them in memory
  bool untimed = false;                                  ///< on the instant clock: counts, and no times
  bool quiet = false;                                    ///< no progress, no summary
  bool json = false;                                     ///< the result on the output, in place of the summary
  PictureOptions pictures{};
  SamplingOptions uncertainty{};  ///< error bars of energy; no samples: none
  SampleOptions sample{};         ///< windows of the run in time, the rest on the instant clock
};

/// flashloom endurance
struct EnduranceOptions {
  RunOptions run;               ///< of it: device, overrides, the workload, seed, out, quiet, json
  double max_drive_writes = 0;  ///< stop after so many writes of the whole capacity; 0: at the end of life
};

extern const CommandEntry kRunCommand;
extern const CommandEntry kEnduranceCommand;

}  // namespace flashloom
