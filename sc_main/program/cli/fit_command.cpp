// flashloom fit, in Python, which has SciPy.
#include "sc_main/program/cli/python_command.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/fit_options.hpp"

namespace flashloom {
namespace {

int fit_command(const FitOptions& options, std::ostream&) {
  std::vector<std::string> words = {options.file};
  if (!options.out.empty()) words.insert(words.end(), {"--out", options.out});
  if (options.jobs != 0) words.insert(words.end(), {"--jobs", std::to_string(options.jobs)});
  if (options.check) words.emplace_back("--check");
  if (options.plan) words.emplace_back("--plan");
  if (options.blind) words.emplace_back("--blind");
  if (options.quiet) words.emplace_back("--quiet");
  run_python({.name = "fit", .needs = "NumPy, SciPy and the package flashloom", .guide = "docs/how-to/fit.md"}, words);
}

const RegisterCommand registered_fit(kFitCommand, fit_command);

}  // namespace
}  // namespace flashloom
