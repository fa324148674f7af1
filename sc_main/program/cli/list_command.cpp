#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/hdd/disk_order.hpp"
#include "models/memory/dram_kinds.hpp"
#include "models/memory/nvram_kinds.hpp"
#include "policies/nearest.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/generator_choice.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/part_choice.hpp"
#include "sc_main/assembly/config/schema.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "sc_main/assembly/state/state_key.hpp"
#include "sc_main/program/cli/list_families.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/list_options.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/options/terminal.hpp"
#include "workloads/fio/fio_options.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

struct ListedParameter {
  std::string name;
  std::string type;
  std::string unit;
  std::string default_value;
  std::string range;
  std::string help;
  const ConfigKey* key = nullptr;  ///< of the device file
};

struct ListedItem {
  std::string name;
  std::string summary;
  std::string source{};
  std::vector<std::string> aliases{};
  std::vector<ListedParameter> parameters{};
};

std::vector<ListedParameter> listed(const std::vector<ParameterSpec>& specs) {
  std::vector<ListedParameter> parameters;
  for (const ParameterSpec& spec : specs)
    parameters.push_back({spec.name, parameter_type(spec), join_names(units_of(quantity_of(spec.dimension))),
                          parameter_toml(spec, spec.default_value), parameter_range(spec), spec.help});
  return parameters;
}

std::vector<ListedItem> parts_of(const std::string& family) {
  std::vector<ListedItem> items;
  for (const PartInfo* part : PartCatalog::instance().parts(family)) {
    const char* const note =
        part->time_dependent ? " (decides by what is in flight: timed and instant runs differ)" : "";
    items.push_back({part->name, part->summary + note, part->source, part->aliases, listed(part->parameters)});
  }
  return items;
}

std::vector<ListedItem> list_trace_formats() {
  std::vector<ListedItem> items;
  for (const TraceFormat& format : trace_formats()) {
    ListedItem item{format.name, format.summary, {}, format.aliases, {}};
    for (const TraceParameter& parameter : format.parameters) {
      std::string range;
      for (const std::string& choice : parameter.choices) range += (range.empty() ? "" : " | ") + choice;
      item.parameters.push_back(
          {parameter.name, range.empty() ? "text" : "choice", {}, parameter.default_value, range, parameter.help});
    }
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<ListedItem> list_generators() {
  std::vector<ListedItem> items;
  for (const Generator& generator : generators())
    items.push_back({generator.name, generator.summary, generator.source, {}, listed(generator_specs(generator))});
  return items;
}

std::vector<ListedItem> list_presets() {
  std::vector<ListedItem> items;
  for (const std::string& path : preset_files()) {
    ListedItem item{std::filesystem::path(path).stem().string(), {}, path, {}, {}};
    try {
      item.summary = load_config(path).device.description;
    } catch (const ConfigError& error) {  // an invalid file of the user must not hide the others
      item.summary = std::string("cannot be used: ") + error.what();
    }
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<ListedItem> list_nvram_kinds() {
  std::vector<ListedItem> items;
  for (const NvramKind& kind : nvram_kinds())
    items.push_back({std::string(kind.name), std::string(kind.summary), std::string(kind.source), {}, {}});
  return items;
}

std::vector<ListedItem> list_dram_kinds() {
  std::vector<ListedItem> items;
  for (const DramKind& kind : dram_kinds())
    items.push_back({std::string(kind.name), std::string(kind.summary), std::string(kind.source), {}, {}});
  return items;
}

std::vector<ListedItem> list_disk_orders() {
  std::vector<ListedItem> items;
  for (const DiskOrder& order : disk_orders())
    items.push_back({std::string(order.name), std::string(order.summary), std::string(order.source), {}, {}});
  return items;
}

std::vector<ListedItem> list_fio_options() {
  static constexpr std::array kEffects{"modelled: ", "inert: ", "refused: "};
  std::vector<ListedItem> items;
  for (const FioOption& option : fio_options())
    items.push_back(
        {option.name, kEffects[static_cast<std::size_t>(option.effect)] + option.help, {}, option.aliases, {}});
  return items;
}

/// One item per table of the device file, whose parameters are the keys of the table.
std::vector<ListedItem> list_config_keys() {
  std::vector<ListedItem> items;
  for (const ConfigKey& key : config_schema()) {
    const std::string table = key.table.empty() ? "(top level)" : "[" + key.table + "]";
    if (items.empty() || items.back().name != table) items.push_back({table, "table of the device file"});
    std::vector<std::string> units = units_of(key.quantity);
    items.back().parameters.push_back(
        {key.name, config_type(key), join_names(units), default_toml(key), config_range(key), key.help, &key});
  }
  return items;
}

struct ListedFamily {
  std::string name;
  std::vector<ListedItem> (*items)();
  bool on_request;  ///< a long list, printed only when named
};

const std::vector<ListedFamily>& own_families() {
  static const std::vector<ListedFamily> families = {
      {"config", list_config_keys, true},    {"disk_order", list_disk_orders, false},
      {"dram", list_dram_kinds, false},      {"fio_option", list_fio_options, true},
      {"generator", list_generators, false}, {"nvram", list_nvram_kinds, false},
      {"preset", list_presets, false},       {"trace_format", list_trace_formats, false}};
  return families;
}

std::vector<std::pair<std::string, std::vector<ListedItem>>> collect(const std::string& wanted) {
  std::vector<std::pair<std::string, std::vector<ListedItem>>> families;
  for (const std::string& family : PartCatalog::instance().families()) {
    if (wanted.empty() || wanted == family) families.emplace_back(family, parts_of(family));
  }
  for (const ListedFamily& family : own_families()) {
    if (wanted == family.name || (wanted.empty() && !family.on_request))
      families.emplace_back(family.name, family.items());
  }
  if (families.empty()) {
    const std::vector<std::string> names = list_families();
    throw UsageError("list: unknown family \"" + wanted + "\"" + did_you_mean(wanted, names) +
                     "; valid: " + join_names(names));
  }
  std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return families;
}

nlohmann::ordered_json to_json(const std::string& family, const ListedItem& item) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const ListedParameter& parameter : item.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"type", parameter.type},
                          {"unit", parameter.unit},
                          {"default", parameter.default_value},
                          {"range", parameter.range},
                          {"help", parameter.help}});
    if (parameter.key == nullptr) continue;
    parameters.back()["shapes_state"] = shapes_state(*parameter.key);
    parameters.back()["rare"] = parameter.key->rare;
    if (parameter.key->brings_any())
      for (const ConfigKey& key : config_schema())
        if (parameter.key->brings_path(key.path())) parameters.back()["brings"].push_back(key.path());
    if (!parameter.key->samples.empty()) parameters.back()["samples"] = parameter.key->samples;
  }
  return {{"family", family},        {"name", item.name},     {"aliases", item.aliases},
          {"summary", item.summary}, {"source", item.source}, {"parameters", parameters}};
}

/// Leaves out rare keys of the device file, unless `all`.
void print(const ListedItem& item, bool all, std::ostream& out) {
  const auto shown = [all](const ListedParameter& parameter) {
    return all || parameter.key == nullptr || !parameter.key->rare;
  };
  if (!item.parameters.empty() && std::none_of(item.parameters.begin(), item.parameters.end(), shown)) return;
  out << "  " << item.name;
  if (!item.aliases.empty()) out << " (" << join_names(item.aliases) << ")";
  out << ": " << item.summary << '\n';
  if (!item.source.empty()) out << "      source: " << item.source << '\n';
  for (const ListedParameter& parameter : item.parameters) {
    if (!shown(parameter)) continue;
    out << "      " << parameter.name << " = " << parameter.default_value << "  (" << parameter.type;
    if (!parameter.range.empty()) out << ", " << parameter.range;
    if (!parameter.unit.empty()) out << "; unit " << parameter.unit;
    out << ")  " << parameter.help << '\n';
  }
}

int list_command(const ListOptions& options, std::ostream& out) {
  if (options.schema) {
    out << json_text(config_json_schema(), 2) << '\n';
    return 0;
  }
  const auto families = collect(options.family);
  if (options.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const auto& [family, items] : families)
      for (const ListedItem& item : items) json.push_back(to_json(family, item));
    out << json_text(json, 2) << '\n';
    return 0;
  }
  std::ostringstream text;
  for (const auto& [family, items] : families) {
    text << styled(out, TextStyle::Heading, family) << '\n';
    for (const ListedItem& item : items) print(item, options.all, text);
    if (items.empty() && family == "preset")
      text << "  none were found; looked in " << preset_folders_searched() << '\n';
    text << '\n';
  }
  if (options.family == "config" && !options.all) {
    const auto& keys = config_schema();
    text << std::count_if(keys.begin(), keys.end(), [](const ConfigKey& key) { return key.rare; })
         << " keys that are seldom set: `flashloom list config --all`.\n";
  }
  if (options.family.empty()) text << "More: `flashloom list config`, `flashloom list fio_option`.\n";
  if (options.no_pager)
    out << text.str();
  else
    print_paged(out, text.str());
  return 0;
}

const RegisterCommand registered_list(kListCommand, list_command);

}  // namespace

std::vector<std::string> list_families() {
  std::vector<std::string> names = PartCatalog::instance().families();
  for (const ListedFamily& family : own_families()) names.push_back(family.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace flashloom
