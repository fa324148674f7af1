#include "sc_main/program/options/datasheet_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kDatasheetDescription = R"(
Measures a device as SNIA's Performance Test Specification for SSDs (PTS) says, with its preconditioning and its rounds to
steady state, and writes the data sheet (docs/how-to/datasheet.md). With --sweep, that of several devices side by side.

It is a command in Python: of $FLASHLOOM_PYTHON, else of the environment that this program came with, else of python3.)";

constexpr const char* kDatasheetExamples = R"(
  flashloom datasheet nvme-tlc-1tb --out sheet
  flashloom datasheet mine.toml --tests iops,lat,wsat --sweep ftl.over_provisioning=0.07,0.28 --out sheets)";

struct RawDatasheetOptions {
  DatasheetOptions datasheet;
  std::string jobs, seed;
};

void add_datasheet(CLI::App& command, RawDatasheetOptions& raw) {
  DatasheetOptions& datasheet = raw.datasheet;
  command.add_option("device", datasheet.device, "device file, or name of a preset")
      ->type_name("DEVICE.toml")
      ->required();
  command
      .add_option("--class", datasheet.drive_class, "of drive, as PTS tells them apart: client, enterprise (default)")
      ->type_name("client|enterprise");
  command
      .add_option("--tests", datasheet.tests,
                  "brief (default), or of PTS iops, tp, lat, wsat, hir, xsr, dirth, ecw, separated by commas")
      ->type_name("TEST,...");
  command
      .add_option("--figures", datasheet.figures, "of the brief (docs/how-to/datasheet.md names them); default: all")
      ->type_name("FIGURE,...");
  command.add_option("--error", datasheet.error, "relative error that the figures may have")->type_name("X%");
  add_overrides(command, datasheet.overrides);
  command
      .add_option("--sweep", datasheet.sweeps, "values of a key, whose figures are set side by side; may be repeated")
      ->type_name("KEY=VALUE,...")
      ->allow_extra_args(false);
  command.add_option("--out", datasheet.out, "folder for the data sheet")->type_name("DIR")->check(named_path);
  command.add_option("--jobs", raw.jobs, "runs at a time; default: one a core")->type_name("N");
  command.add_option("--seed", raw.seed, "seed of every random choice; default: the device file's")->type_name("N");
  command.add_flag("--quiet", datasheet.quiet, "no progress and no report on the terminal");
}

void check_tests(const std::string& list) {
  std::set<std::string> seen;
  for (const std::string& name : split_at_commas(list)) {
    if (std::ranges::none_of(kDatasheetTests, [&name](const DatasheetTest& test) { return name == test.name; })) {
      std::string valid;
      for (const DatasheetTest& test : kDatasheetTests) valid += (valid.empty() ? "" : ", ") + std::string(test.name);
      throw UsageError("--tests: \"" + name + "\" is none of " + valid);
    }
    if (!seen.insert(name).second) throw UsageError("--tests: " + name + " is named twice");
  }
}

void check_sweep(const std::string& sweep) {
  const std::size_t equals = sweep.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--sweep: \"" + sweep + "\" is no KEY=VALUE,...; valid: as nand.channels=4,8");
  std::set<std::string> seen;
  for (const std::string& value : split_at_commas(sweep.substr(equals + 1))) {
    if (value.find_first_not_of(' ') == std::string::npos)
      throw UsageError("--sweep: \"" + sweep + "\" has an empty value");
    if (!seen.insert(value).second) throw UsageError("--sweep: \"" + sweep + "\" has " + value + " twice");
  }
}

DatasheetOptions checked_datasheet(const CLI::App& command, const RawDatasheetOptions& raw) {
  DatasheetOptions datasheet = raw.datasheet;
  if (command.count("--class") != 0 && datasheet.drive_class != "client" && datasheet.drive_class != "enterprise")
    throw UsageError("--class: \"" + datasheet.drive_class + "\" is none of client, enterprise");
  if (command.count("--tests") != 0) check_tests(datasheet.tests);
  if (command.count("--error") != 0) parse_relative_error("--error", datasheet.error);
  std::set<std::string> swept;
  for (const std::string& sweep : datasheet.sweeps) {
    check_sweep(sweep);
    if (const std::string key = sweep.substr(0, sweep.find('=')); !swept.insert(key).second)
      throw UsageError("--sweep: " + key + " is swept twice");
  }
  if (!raw.jobs.empty()) datasheet.jobs = parse_count("--jobs", raw.jobs, 1);
  if (!raw.seed.empty()) datasheet.seed = parse_count("--seed", raw.seed, 0);
  return datasheet;
}

}  // namespace

constinit const CommandEntry kDatasheetCommand{
    .name = "datasheet",
    .place = 125,
    .summary = "Measure a device as data sheets do",
    .description = kDatasheetDescription,
    .examples = kDatasheetExamples,
    .add = &add_command<RawDatasheetOptions, add_datasheet, checked_datasheet>};

}  // namespace flashloom
