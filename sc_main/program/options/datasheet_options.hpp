// Options of `flashloom datasheet`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flashloom {

struct CommandEntry;

/// The words of --tests, with what they measure.
struct DatasheetTest {
  const char* name;
  const char* summary;
};
inline constexpr std::array<DatasheetTest, 9> kDatasheetTests = {{
    {"brief", "the figures of a data sheet"},
    {"iops", "IOPS of random reads and writes by block size and mix"},
    {"tp", "throughput of sequential reads and writes"},
    {"lat", "latency of single requests"},
    {"wsat", "write saturation"},
    {"hir", "host idle recovery"},
    {"xsr", "cross stimulus recovery"},
    {"dirth", "demand intensity: response time by load"},
    {"ecw", "enterprise composite workload"},
}};

/// Empty: not given; the Python package has the defaults.
struct DatasheetOptions {
  std::string device{};
  std::string drive_class{};             ///< "client" or "enterprise"
  std::string tests{};                   ///< names of kDatasheetTests, separated by commas
  std::string figures{};                 ///< keys in datasheet.json, separated by commas; the package checks them
  std::string error{};                   ///< a relative error, as given
  std::vector<std::string> overrides{};  ///< "path=value"
  std::vector<std::string> sweeps{};     ///< "path=value,value..."
  std::string out{};                     ///< folder
  std::uint64_t jobs = 0;                ///< runs in parallel; 0: not given
  std::optional<std::uint64_t> seed{};
  bool quiet = false;
};

extern const CommandEntry kDatasheetCommand;

}  // namespace flashloom
