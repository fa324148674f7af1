#include "sc_main/program/options/fit_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kFitDescription = R"(
Finds the values of a device's keys by which the model meets measurements of a real drive: fio's JSON, a table, or
figures in FIT.toml, which names the device to start from, the keys that may move and between what (docs/how-to/fit.md). Writes
the device file, with intervals as its uncertainty, a table of residuals, and what the measurements cannot tell: keys
whose interval fills their range, and keys that trade against each other. Before the search it says which keys the measurements will
tell, and while it goes on draws the fit so far (fit.png, with Matplotlib). Runs that are there already are not run again.

It is a command in Python: of $FLASHLOOM_PYTHON, else of the environment that this program came with, else of python3;
NumPy and SciPy must be there.)";

constexpr const char* kFitExamples = R"(
  flashloom fit fit.toml
  flashloom fit fit.toml --check                    read and check all of it, and run nothing
  flashloom fit fit.toml --plan                     which keys these measurements can tell
  flashloom run out/device.toml --job job.fio       what was fitted is a device file)";

struct RawFitOptions {
  FitOptions fit;
  std::string jobs;
};

void add_fit(CLI::App& command, RawFitOptions& raw) {
  command.add_option("fit", raw.fit.file, "what is to be fitted to what (docs/how-to/fit.md)")
      ->type_name("FIT.toml")
      ->required();
  command
      .add_option(
          "--out", raw.fit.out,
          "folder for device.toml, residuals.csv, blind.csv, report.txt, fit.json, fit.png; default: the file's `out`")
      ->type_name("DIR")
      ->check(named_path);
  command.add_option("--jobs", raw.jobs, "runs at a time; default: one a core")->type_name("N");
  command.add_flag("--check", raw.fit.check, "read and check all of it, and run nothing");
  command.add_flag("--plan", raw.fit.plan,
                   "fit nothing: say which keys the measurements will tell, and which others would tell the rest");
  command.add_flag("--blind", raw.fit.blind,
                   "of measurements left out (`blind = true`) only the prediction, without how it compares");
  command.add_flag("--quiet", raw.fit.quiet, "no progress and no report on the terminal");
}

FitOptions checked_fit(const RawFitOptions& raw) {
  FitOptions fit = raw.fit;
  if (!raw.jobs.empty()) fit.jobs = parse_count("--jobs", raw.jobs, 1);
  return fit;
}

}  // namespace

constinit const CommandEntry kFitCommand{.name = "fit",
                                         .place = 120,
                                         .summary = "Fit keys of a device to measurements of a drive",
                                         .description = kFitDescription,
                                         .examples = kFitExamples,
                                         .add = &add_command<RawFitOptions, add_fit, checked_fit>};

}  // namespace flashloom
