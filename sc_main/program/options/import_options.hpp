// Options of `flashloom import`.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace flashloom {

struct CommandEntry;

/// Whose configurations are read.
inline constexpr std::array<const char*, 5> kImportKinds = {"mqsim", "simplessd", "nvmevirt", "femu", "fio"};

struct ImportOptions {
  std::string kind{};                 ///< one of kImportKinds
  std::vector<std::string> source{};  ///< files, names or a command line, as the kind has it
  std::string out{};                  ///< file for the device, or the jobs; empty: stdout
  std::string job{};                  ///< file for the jobs of MQSim's flows
  std::string capacity{};             ///< of NVMeVirt's device, a size
};

extern const CommandEntry kImportCommand;

}  // namespace flashloom
