#include "sc_main/program/options/import_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kImportDescription = R"(
Reads a configuration of another simulator (mqsim, simplessd, nvmevirt, femu) and writes a device file, or a command line of
fio and writes a job file. Behind each key stands what it comes from; a table on stderr says what became of each source key,
with a warning where results change (docs/how-to/import.md).

It is a command in Python: of $FLASHLOOM_PYTHON, else of the environment that this program came with, else of python3.)";

constexpr const char* kImportExamples = R"(
  flashloom import mqsim ssdconfig.xml workload.xml --out device.toml --job flows.fio
  flashloom import simplessd intel750_400gb.cfg --out device.toml
  flashloom import nvmevirt ssd_config.h SAMSUNG_970PRO --capacity "64 GiB" --out device.toml
  flashloom import femu "femu,devsz_mb=4096,femu_mode=1" --out device.toml     or a script that has -device femu
  flashloom import fio "fio --name=x --rw=randread --bs=4k --size=1G" --out job.fio)";

void add_import(CLI::App& command, ImportOptions& import) {
  command.add_option("kind", import.kind, "whose configuration it is")
      ->type_name("mqsim|simplessd|nvmevirt|femu|fio")
      ->required();
  command.add_option("source", import.source, "files, names or a command line in quotes, as the examples have them")
      ->type_name("SOURCE")
      ->required();
  command.add_option("--out", import.out, "file to write; default: standard output")
      ->type_name("FILE")
      ->check(named_path);
  command.add_option("--job", import.job, "mqsim: job file for the flows of workload.xml")
      ->type_name("FILE")
      ->check(named_path);
  command.add_option("--capacity", import.capacity, "nvmevirt: memmap_size of its module; default: 64 GiB")
      ->type_name("SIZE");
}

ImportOptions checked_import(const ImportOptions& import) {
  if (std::ranges::find(kImportKinds, import.kind) == kImportKinds.end()) {
    std::string valid;
    for (const char* kind : kImportKinds) valid += (valid.empty() ? "" : ", ") + std::string(kind);
    throw UsageError("import: \"" + import.kind + "\" is none of " + valid);
  }
  return import;
}

}  // namespace

constinit const CommandEntry kImportCommand{
    .name = "import",
    .place = 127,
    .summary = "Read configurations of other simulators, and fio's command lines",
    .description = kImportDescription,
    .examples = kImportExamples,
    .add = &add_command<ImportOptions, add_import, checked_import>};

}  // namespace flashloom
