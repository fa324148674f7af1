// The command line of flashloom, taken apart and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "sc_main/options/cache_options.hpp"
#include "sc_main/options/cold_options.hpp"
#include "sc_main/options/linux_options.hpp"
#include "sc_main/options/nbd_options.hpp"
#include "sc_main/options/picture_options.hpp"
#include "sc_main/options/precondition_options.hpp"
#include "sc_main/options/torture_options.hpp"
#include "sc_main/options/trace_options.hpp"
#include "workloads/address_fit.hpp"

namespace flashloom {

/// A command line that makes no sense; what() names the option.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
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
  PictureOptions pictures{};
};

/// flashloom endurance
struct EnduranceOptions {
  RunOptions run;               ///< of it: device, overrides, the workload, seed, out, quiet
  double max_drive_writes = 0;  ///< stop after so many writes of the whole capacity; 0: at the end of life
};

/// flashloom list
struct ListOptions {
  std::string family{};  ///< empty: all
  bool json = false;
};

/// flashloom config
struct ConfigOptions {
  std::string device;
  std::vector<std::string> overrides{};
  bool json = false;
};

/// flashloom trace info
struct TraceInfoOptions {
  TraceSpec trace{};
  bool json = false;
};

/// flashloom trace convert
struct TraceConvertOptions {
  TraceSpec trace{};
  std::string out{};  ///< file to write
};

/// flashloom workload
struct WorkloadOptions {
  std::string job{};                                    ///< fio job file, or workload file (.toml)
  std::uint64_t device_size = std::uint64_t{64} << 20;  ///< bytes
  std::uint32_t sector_size = 512;                      ///< bytes
  std::uint64_t seed = 1;
  std::string name{};              ///< this job only; empty: all
  std::uint64_t max_requests = 0;  ///< of each job; 0: all
  std::string out{};               ///< file; empty: the output
  bool json = false;               ///< of a workload file
};

/// Text to print and stop with success: --help, --version.
struct InformationText {
  std::string text;
};

using CommandOptions = std::variant<RunOptions, PreconditionOptions, EnduranceOptions, TortureOptions, ListOptions,
                                    ConfigOptions, TraceInfoOptions, TraceConvertOptions, WorkloadOptions, CacheOptions,
                                    ColdOptions, LinuxOptions, NbdOptions, InformationText>;

/// A whole number >= `minimum`. Throws UsageError, which names the option.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum);

/// Adds --set.
void add_overrides(CLI::App& app, std::vector<std::string>& overrides);
/// A size within bounds, in bytes. Throws UsageError, which names the option.
std::uint64_t parse_byte_count(const std::string& option, const std::string& text, std::uint64_t least,
                               std::uint64_t most);
/// Throws UsageError unless --io-log has a form, and --out a folder for it.
void check_io_log(const std::string& form, const std::string& out);

/// Takes the arguments (without the program's name) apart. Throws UsageError.
CommandOptions parse_command_line(const std::vector<std::string>& arguments);

}  // namespace flashloom
