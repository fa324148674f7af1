// Parses and checks the command line of flashloom.
#pragma once

#include <any>
#include <string>
#include <vector>

#include "sc_main/program/options/option_values.hpp"

namespace flashloom {

struct CommandBinding;

/// A checked command line.
struct ParsedCommand {
  const CommandBinding* binding;  ///< null: `options` is an InformationText to print
  std::any options;               ///< of the command: RunOptions, ListOptions, ...
};

/// Parses the arguments (without the program's name). Throws UsageError.
ParsedCommand parse_command_line(const std::vector<std::string>& arguments);

}  // namespace flashloom
