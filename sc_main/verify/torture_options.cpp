#include "sc_main/verify/torture_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "policies/nearest.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {

namespace {

/// Scenarios of a Linux guest: those of tools/linux-guest/torture.py.
constexpr const char* kScenarios =
    "ext4|ext4-journal|xfs|f2fs|sqlite-wal|sqlite-rollback|rocksdb|postgresql|raw|raw-fua|raw-atomic";

std::vector<std::string> torture_scenarios() {
  std::istringstream choices(kScenarios);
  std::vector<std::string> names;
  for (std::string name; std::getline(choices, name, '|');) names.push_back(name);
  return names;
}

constexpr const char* kTortureDescription = R"(
Drives of the given kind, each from its own seed, get random requests (all sizes, trims, flushes, FUA) and lose power at
random and at adversarial instants: in GC, in merges, in a checkpoint, in an erase, in a metadata program, in the mount
itself. After each cut the drive mounts, everything ever written is read and checked, and it goes on. Runs on the instant
clock, hundreds of cuts a second on a small device. What may be lost is what the device's configuration allows
(docs/reference/power_cuts.md). The first failure ends it: exit code 1, with a command that shows it again.)";

constexpr const char* kTortureExamples = R"(
  flashloom torture tiny --cuts 10000 --seed 1
  flashloom torture tiny --set ftl.recovery=journal --set nand.paired_pages=true
  flashloom torture slc-small-block --timed --cuts 200
  flashloom torture tiny --set faults.flush_ignored=1 --expect-faults)";

constexpr std::uint64_t kLinuxCuts = 100;

/// The same options as CLI11 collects them, unchecked.
struct RawTortureOptions {
  TortureOptions torture;
  std::string cuts, seed, at;
};

void add_torture(CLI::App& command, RawTortureOptions& raw) {
  command.add_option("device", raw.torture.device, "device file, or name of a preset")
      ->type_name("DEVICE.toml")
      ->required();
  command.add_option("--cuts", raw.cuts, "power cuts; default: 1000")->type_name("N");
  command.add_option("--seed", raw.seed, "seed of every random choice; default: the device file's")->type_name("S");
  add_overrides(command, raw.torture.overrides);
  command.add_flag("--timed", raw.torture.timed,
                   "timed, through the host interface: its queues, namespaces and protocol; slower");
  command.add_flag("--expect-faults", raw.torture.expect_faults,
                   "of a device with [faults]: go on, and say how many cuts caught them; exit code 1 if none did");
  command
      .add_option("--linux", raw.torture.scenario,
                  "a Linux guest at work meanwhile, or a script of such work (docs/how-to/linux.md)")
      ->type_name(std::string(kScenarios) + "|SCRIPT");
  command.add_option("--kernel", raw.torture.kernel, "with --linux: as of `flashloom linux`")->type_name("K");
  command.add_option("--at", raw.at, "with --linux: one cut, at this instant")->type_name("TIME");
  command.add_flag("--quiet", raw.torture.quiet, "no summary");
  command.add_flag("--json", raw.torture.json, "print counts and failure as JSON, in place of the summary");
}

TortureOptions checked_torture(const RawTortureOptions& raw) {
  TortureOptions torture = raw.torture;
  if (!raw.seed.empty()) torture.seed = parse_count("--seed", raw.seed, 0);
  if (!raw.cuts.empty()) torture.cuts = parse_count("--cuts", raw.cuts, 1);
  if (!torture.scenario.empty()) {
    if (torture.json) throw UsageError("--json: is not of --linux");
    if (torture.timed) throw UsageError("--timed: a Linux guest is timed anyway");
    const auto names = torture_scenarios();
    torture.own_script = std::filesystem::is_regular_file(torture.scenario);
    if (!torture.own_script && std::find(names.begin(), names.end(), torture.scenario) == names.end())
      throw UsageError("--linux: \"" + torture.scenario + "\" is no scenario" + did_you_mean(torture.scenario, names) +
                       "; valid: " + join_names(names) + ", or the file of a script");
    if (raw.cuts.empty()) torture.cuts = kLinuxCuts;
  } else if (!raw.at.empty() || !torture.kernel.empty()) {
    throw UsageError(std::string(raw.at.empty() ? "--kernel" : "--at") + ": goes together with --linux");
  }
  if (!raw.at.empty()) {
    try {
      torture.at = parse_exact(Quantity::Time, raw.at);
    } catch (const QuantityError& error) {
      throw UsageError(std::string("--at: ") + error.what());
    }
    if (torture.at == 0) throw UsageError("--at: \"" + raw.at + "\" is before the guest");
  }
  return torture;
}

}  // namespace

constinit const CommandEntry kTortureCommand{.name = "torture",
                                             .place = 40,
                                             .summary = "Cut a device's power over and over, and verify its data",
                                             .description = kTortureDescription,
                                             .examples = kTortureExamples,
                                             .add = &add_command<RawTortureOptions, add_torture, checked_torture>};

std::string command_line(const TortureOptions& options) {
  std::string text = "flashloom torture " + options.device;
  for (const std::string& each : options.overrides) text += " --set '" + each + "'";
  return text;
}

}  // namespace flashloom
