// Options of the program itself, which may precede the command or follow it anywhere.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct ProgramOptions {
  std::vector<std::string> plugins{};  ///< files
  bool verbose = false;
  std::vector<std::string> arguments{};  ///< the others, in order
};

/// Extracts these options from the arguments (without the program's name). Throws UsageError.
ProgramOptions take_program_options(const std::vector<std::string>& arguments);

}  // namespace flashloom
