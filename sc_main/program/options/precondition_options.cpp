#include "sc_main/program/options/precondition_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kPreconditionDescription = R"(
Preconditions the device as [precondition] of its file says and writes what it then holds: flash, tables, buffer, policies.
`flashloom run DEVICE --state F.state` begins there, with the very same result. One state serves every run that differs
only in what acts on time (bus, array times, link, cores, memories, queue depth, arbitration, energies); for another
number of dies, FTL, policy or buffer it is refused. The beginning of the file is text and says what it was made for.
The file is as large as the tables of the device (docs/how-to/states.md) and is mapped, not read; with --compress it is small
where the drive was written in order, and loading takes longer.)";

constexpr const char* kPreconditionExamples = R"(
  flashloom precondition nvme-tlc-1tb --set precondition.fill=1 --set precondition.steady=true --state steady.state
  flashloom run nvme-tlc-1tb --job randwrite.fio --state steady.state --set nand.program_time="500 us")";

std::string file_is_named(const std::string& path) { return path.empty() ? "is empty; say which file" : ""; }

/// The same options as CLI11 collects them, unchecked.
struct RawPreconditionOptions {
  PreconditionOptions precondition;
  std::string seed;
};

void add_precondition(CLI::App& command, RawPreconditionOptions& raw) {
  command.add_option("device", raw.precondition.device, "device file, or name of a preset")
      ->type_name("DEVICE.toml")
      ->required();
  command.add_option("--state", raw.precondition.state, "file to write")->type_name("F.state")->check(file_is_named);
  command
      .add_option("--set", raw.precondition.overrides,
                  "override a key of the device file, as nand.channels=8; may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", raw.seed, "seed of every random choice; default: the device file's")->type_name("N");
  command.add_flag("--compress", raw.precondition.compress,
                   "compress the tables, too: a smaller file, which loads more slowly");
  command.add_flag("--quiet", raw.precondition.quiet, "no progress and no summary");
}

PreconditionOptions checked_precondition(const RawPreconditionOptions& raw) {
  PreconditionOptions precondition = raw.precondition;
  if (precondition.state.empty()) throw UsageError("precondition: nowhere to write the state; say --state F.state");
  if (!raw.seed.empty()) precondition.seed = parse_count("--seed", raw.seed, 0);
  return precondition;
}

}  // namespace

constinit const CommandEntry kPreconditionCommand{
    .name = "precondition",
    .place = 20,
    .summary = "Precondition a device and save its state",
    .description = kPreconditionDescription,
    .examples = kPreconditionExamples,
    .add = &add_command<RawPreconditionOptions, add_precondition, checked_precondition>};

}  // namespace flashloom
