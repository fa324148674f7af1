// flashloom datasheet, in Python, which begins many runs.
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/program/cli/python_command.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/datasheet_options.hpp"

namespace flashloom {
namespace {

int datasheet_command(const DatasheetOptions& options, std::ostream&) {
  // With a sweep, the device without its values need not be valid.
  if (options.sweeps.empty()) load_device(options.device, options.overrides, options.seed);
  std::vector<std::string> words = {options.device};
  const auto pass_on = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  pass_on("--class", options.drive_class);
  pass_on("--tests", options.tests);
  pass_on("--figures", options.figures);
  pass_on("--error", options.error);
  for (const std::string& assignment : options.overrides) pass_on("--set", assignment);
  for (const std::string& sweep : options.sweeps) pass_on("--sweep", sweep);
  pass_on("--out", options.out);
  if (options.jobs != 0) pass_on("--jobs", std::to_string(options.jobs));
  if (options.seed) pass_on("--seed", std::to_string(*options.seed));
  if (options.quiet) words.emplace_back("--quiet");
  run_python({.name = "datasheet", .needs = "the package flashloom and pandas", .guide = "docs/how-to/datasheet.md"},
             words);
}

const RegisterCommand registered_datasheet(kDatasheetCommand, datasheet_command);

}  // namespace
}  // namespace flashloom
