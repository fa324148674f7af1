// Options of the program itself: they may stand before the command or anywhere behind it.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct ProgramOptions {
  std::vector<std::string> plugins{};  ///< files
  bool verbose = false;
  std::vector<std::string> arguments{};  ///< the others, in order
};

/// Takes them out of the arguments (without the program's name). Throws UsageError.
ProgramOptions take_program_options(const std::vector<std::string>& arguments);

}  // namespace flashloom
