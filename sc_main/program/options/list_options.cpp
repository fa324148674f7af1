#include "sc_main/program/options/list_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kListDescription = R"(
What there is to choose from, a family after the other: policies and other parts that a device file names, with their
parameters; presets, generators, trace formats. `flashloom list config --all` explains every key of a device file,
`flashloom list fio_option` says which options of fio job files are modelled.)";

constexpr const char* kListExamples = R"(
  flashloom list
  flashloom list replacement
  flashloom list config --json)";

constexpr const char* kConfigDescription = R"(
Prints every key with its value, meaning and range; the output is itself a device file. `flashloom list config` lists
the keys alone.)";

constexpr const char* kConfigExamples = R"(
  flashloom config cosmos-openssd --set nand.ways=8 > cosmos-8-ways.toml)";

void add_list(CLI::App& command, ListOptions& list) {
  command.add_option("family", list.family, "one family only; config and fio_option are shown only so")
      ->type_name("FAMILY");
  command.add_flag("--json", list.json, "machine-readable");
  command.add_flag("--all", list.all,
                   "config: also the keys that no preset, study or bench sets; JSON always has them");
  command.add_flag("--schema", list.schema, "config: the JSON Schema of `flashloom config --json`");
  command.add_flag("--no-pager", list.no_pager, "on a terminal, too, all at once");
}

ListOptions checked_list(const ListOptions& list) {
  for (const auto& [given, name] : {std::pair{list.all, "--all"}, std::pair{list.schema, "--schema"}})
    if (given && list.family != "config") throw UsageError("list: " + std::string(name) + " goes with config");
  return list;
}

void add_config(CLI::App& command, ConfigOptions& config) {
  command.add_option("device", config.device, "device file, or name of a preset")->type_name("DEVICE.toml")->required();
  add_overrides(command, config.overrides);
  command.add_flag("--json", config.json, "machine-readable");
}

ConfigOptions checked_config(const ConfigOptions& config) { return config; }

}  // namespace

constinit const CommandEntry kListCommand{.name = "list",
                                          .place = 50,
                                          .summary = "List presets, policies, trace formats, configuration keys",
                                          .description = kListDescription,
                                          .examples = kListExamples,
                                          .add = &add_command<ListOptions, add_list, checked_list>};

constinit const CommandEntry kConfigCommand{.name = "config",
                                            .place = 60,
                                            .summary = "Print the effective configuration of a device file",
                                            .description = kConfigDescription,
                                            .examples = kConfigExamples,
                                            .add = &add_command<ConfigOptions, add_config, checked_config>};

}  // namespace flashloom
