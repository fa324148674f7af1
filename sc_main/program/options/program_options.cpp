#include "sc_main/program/options/program_options.hpp"

#include <string_view>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/help_options.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {

ProgramOptions take_program_options(const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlugin = "--plugin";
  ProgramOptions options;
  if (!arguments.empty() && arguments.front() == kCompleteCommand.name) {  // its words are never options
    options.arguments = arguments;
    return options;
  }
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (*argument == "--verbose") {
      options.verbose = true;
    } else if (argument->starts_with("--plugin=")) {
      options.plugins.push_back(argument->substr(kPlugin.size() + 1));
    } else if (*argument == kPlugin) {
      if (++argument == arguments.end()) throw UsageError("--plugin: needs a file");
      options.plugins.push_back(*argument);
    } else {
      options.arguments.push_back(*argument);
    }
  }
  return options;
}

}  // namespace flashloom
