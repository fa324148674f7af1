#include "sc_main/program/cli/value_completion.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "policies/correlation/correlation.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "policies/write_buffer/write_buffer.hpp"
#include "sc_main/assembly/config/generator_choice.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/schema.hpp"
#include "sc_main/program/cli/list_families.hpp"
#include "sc_main/program/options/datasheet_options.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

/// A candidate with parameters: a policy or a generator.
struct OfferedPart {
  std::string name;
  std::string summary;
  std::vector<ParameterSpec> parameters;
};

std::vector<OfferedPart> offered_parts(const std::vector<std::string>& families) {
  std::vector<OfferedPart> parts;
  for (const std::string& family : families)
    for (const PartInfo* part : PartCatalog::instance().parts(family))
      parts.push_back({part->name, part->summary, part->parameters});
  return parts;
}

std::vector<OfferedPart> offered_generators() {
  std::vector<OfferedPart> parts;
  for (const Generator& generator : generators())
    parts.push_back({generator.name, generator.summary, generator_specs(generator)});
  return parts;
}

void offer_parameter_values(Completion& completion, const std::string& word, const std::string& before,
                            const ParameterSpec& spec) {
  if (std::holds_alternative<bool>(spec.default_value))
    for (const char* const value : {"false", "true"}) completion.offer(word, before + value);
  for (const std::string& choice : spec.choices) completion.offer(word, before + choice);
}

/// Completes "NAME[:PARAMETER=VALUE,...]", or a list of these if `several`.
Completion complete_parts(const std::string& word, const std::vector<OfferedPart>& parts, bool several) {
  Completion completion;
  completion.open = true;
  const std::size_t last = word.find_last_of(",:");
  const std::string before = last == std::string::npos ? "" : word.substr(0, last + 1);
  const std::size_t colon = before.rfind(':');
  if (before.empty() || (several && before.back() == ','))
    for (const OfferedPart& part : parts) completion.offer(word, before + part.name, part.summary);
  if (colon == std::string::npos) return completion;
  const std::size_t comma = word.rfind(',', colon);
  const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
  const std::string name = word.substr(begin, colon - begin);
  const std::string piece = word.substr(before.size());
  const std::size_t equals = piece.find('=');
  for (const OfferedPart& part : parts) {
    if (part.name != name) continue;
    for (const ParameterSpec& spec : part.parameters) {
      const std::string assignment = before + spec.name + "=";
      if (equals == std::string::npos)
        completion.offer(word, assignment, spec.help);
      else if (piece.substr(0, equals) == spec.name)
        offer_parameter_values(completion, word, assignment, spec);
    }
  }
  return completion;
}

/// Completes the value after "PATH=".
Completion complete_setting(const std::string& word, const std::string& path) {
  Completion completion;
  const std::string before = path + "=";
  if (const ConfigKey* key = find_config_key(path)) {
    DeviceConfig config;
    if (!key->family.empty())
      for (const PartInfo* part : PartCatalog::instance().parts(key->family))
        completion.offer(word, before + part->name, part->summary);
    else if (std::holds_alternative<bool*>(key->member(config)))
      for (const char* const value : {"false", "true"}) completion.offer(word, before + value);
    else if (!std::holds_alternative<std::vector<std::string>*>(key->member(config)))
      for (const std::string& choice : key->choices) completion.offer(word, before + choice);
    return completion;
  }
  const std::size_t dot = path.rfind('.');
  const ConfigKey* const part_key = dot == std::string::npos ? nullptr : find_config_key(path.substr(0, dot));
  if (part_key == nullptr || part_key->family.empty()) return completion;
  std::set<std::string> seen;  // parts of a family share names
  for (const OfferedPart& part : offered_parts({part_key->family}))
    for (const ParameterSpec& spec : part.parameters)
      if (path.substr(dot + 1) == spec.name && seen.insert(spec.name).second)
        offer_parameter_values(completion, word, before, spec);
  return completion;
}

/// Completes "PATH=VALUE" of --set, one element of the path (table, key, parameter of a part) at a time.
Completion complete_override(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos) return complete_setting(word, word.substr(0, equals));
  Completion completion;
  completion.open = true;
  const std::size_t dot = word.rfind('.');
  const std::string table = dot == std::string::npos ? "" : word.substr(0, dot);
  const std::string before = table.empty() ? "" : table + ".";
  std::set<std::string> offered;
  for (const ConfigKey& key : config_schema()) {
    const std::string path = key.path();
    if (key.table == table) {
      completion.offer(word, path + "=", key.help);
      if (!key.family.empty() && word.size() > before.size()) completion.offer(word, path + ".", "its parameters");
    } else if (key.table.starts_with(before)) {
      const std::string inner =
          before + key.table.substr(before.size(), key.table.find('.', before.size()) - before.size());
      if (offered.insert(inner).second) completion.offer(word, inner + ".", "table [" + inner + "]");
    }
    if (path != table || key.family.empty()) continue;
    for (const OfferedPart& part : offered_parts({key.family}))
      for (const ParameterSpec& spec : part.parameters)
        if (offered.insert(spec.name).second)
          completion.offer(word, before + spec.name + "=", part.name + ": " + spec.help);
  }
  return completion;
}

Completion complete_device(const std::string& word) {
  Completion completion;
  completion.files = true;
  for (const std::string& path : preset_files())
    completion.offer(word, std::filesystem::path(path).stem().string(), "preset");
  return completion;
}

/// Completes "FILE[,KEY=VALUE...]": after the first comma the keys.
Completion complete_trace(const std::string& word) {
  Completion completion;
  const std::size_t comma = word.rfind(',');
  if (comma == std::string::npos) {
    completion.files = true;
    return completion;
  }
  completion.open = true;
  const std::string before = word.substr(0, comma + 1);
  for (const TraceFormat& format : trace_formats())
    completion.offer(word, before + "format=" + format.name, format.summary);
  completion.offer(word, before + "columns=", "what the columns of a table mean");
  completion.offer(word, before + "offset=", "where its part of the device begins");
  completion.offer(word, before + "size=", "of its part of the device");
  return completion;
}

Completion complete_format(const std::string& word) {
  Completion completion;
  for (const TraceFormat& format : trace_formats()) completion.offer(word, format.name, format.summary);
  return completion;
}

Completion complete_time_unit(const std::string& word) {
  Completion completion;
  std::set<std::string> units;
  for (const TraceFormat& format : trace_formats())
    for (const TraceParameter& parameter : format.parameters)
      if (parameter.name == "time_unit") units.insert(parameter.choices.begin(), parameter.choices.end());
  for (const std::string& unit : units) completion.offer(word, unit);
  return completion;
}

Completion complete_family(const std::string& word) {
  Completion completion;
  for (const std::string& family : list_families()) completion.offer(word, family);
  return completion;
}

Completion complete_cache_policies(const std::string& word) {
  std::vector<OfferedPart> parts = offered_parts({ReplacementPolicy::kFamily, kOfflineReplacementFamily});
  parts.push_back({"all", "every policy", {}});
  return complete_parts(word, parts, true);
}

Completion complete_buffer_policy(const std::string& word) {
  return complete_parts(word, offered_parts({ReplacementPolicy::kFamily, WriteBufferPolicy::kFamily}), false);
}

Completion complete_detectors(const std::string& word) {
  return complete_parts(word, offered_parts({CorrelationDetector::kFamily}), true);
}

Completion complete_datasheet_tests(const std::string& word) {
  std::vector<OfferedPart> tests;
  for (const DatasheetTest& test : kDatasheetTests) tests.push_back({test.name, test.summary, {}});
  return complete_parts(word, tests, true);
}

Completion complete_generator(const std::string& word) { return complete_parts(word, offered_generators(), false); }

Completion complete_file(const std::string&) { return {.files = true}; }
Completion complete_folder(const std::string&) { return {.folders = true}; }
/// For numbers, sizes and names: there are no candidates.
Completion complete_nothing(const std::string&) { return {}; }

Completion complete_choice(const std::string& choices, const std::string& word) {
  Completion completion;
  for (std::size_t begin = 0; begin <= choices.size();) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    completion.offer(word, choices.substr(begin, end - begin));
    begin = end + 1;
  }
  return completion;
}

using CompleteValue = Completion (*)(const std::string& word);

const std::map<std::string, CompleteValue>& value_types() {
  static const std::map<std::string, CompleteValue> types = {
      {"DEVICE.toml", complete_device},
      {"PATH=VALUE", complete_override},
      {"F[,KEY=VALUE...]", complete_trace},
      {"TRACE[,KEY=VALUE...]", complete_trace},
      {"FIGURE,...", complete_nothing},
      {"FORMAT", complete_format},
      {"UNIT", complete_time_unit},
      {"FAMILY", complete_family},
      {"GENERATOR[:PARAMETER=VALUE,...]", complete_generator},
      {"POLICY[:PARAMETER=VALUE,...],...", complete_cache_policies},
      {"BUFFER_POLICY[:PARAMETER=VALUE,...]", complete_buffer_policy},
      {"DETECTOR,...", complete_detectors},
      {"TEST,...", complete_datasheet_tests},
      {"KEY=VALUE,...", complete_override},
      {"DIR", complete_folder},
      {"F", complete_file},
      {"F.fio", complete_file},
      {"F.fio|F.toml", complete_file},
      {"F.state", complete_file},
      {"FIT.toml", complete_file},
      {"FILE", complete_file},
      {"FILE.so", complete_file},
      {"K", complete_file},
      {"OUT", complete_file},
      {"RESULT", complete_file},
      {"SCRIPT", complete_file},
      {"SOCK", complete_file},
      {"SOURCE", complete_file},
      {"W.toml", complete_file},
      {"[F]", complete_file},
      {"COMMAND", complete_nothing},
      {"FROM,TO", complete_nothing},
      {"MICROSECONDS", complete_nothing},
      {"N", complete_nothing},
      {"NANOSECONDS", complete_nothing},
      {"N,...", complete_nothing},
      {"NAME", complete_nothing},
      {"NAME=VALUE", complete_nothing},
      {"NAME=COLUMN,...", complete_nothing},
      {"S", complete_nothing},
      {"SECONDS", complete_nothing},
      {"SIZE", complete_nothing},
      {"X%", complete_nothing},
      {"SIZE,...", complete_nothing},
      {"TEXT", complete_nothing},
      {"TIME", complete_nothing},
      {"X", complete_nothing},
  };
  return types;
}

}  // namespace

void Completion::offer(const std::string& word, const std::string& value, const std::string& help) {
  if (value.starts_with(word)) candidates.push_back({value, help});
}

Completion complete_value(const std::string& type, const std::string& word) {
  if (const auto found = value_types().find(type); found != value_types().end()) return found->second(word);
  if (type.find('|') != std::string::npos) return complete_choice(type, word);
  throw std::logic_error("no completion for values of type " + type);
}

}  // namespace flashloom
