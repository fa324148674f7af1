#include "sc_main/program/options/trace_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/options/trace_columns.hpp"

namespace flashloom {
namespace {

std::uint64_t parse_quantity(const std::string& option, Quantity quantity, const std::string& text) {
  try {
    return parse_exact(quantity, text);
  } catch (const QuantityError& error) {
    throw UsageError(option + ": " + error.what());
  }
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

}  // namespace

void add_trace_format(CLI::App& app, TraceArguments& arguments) {
  app.add_option("--format", arguments.format, "trace format (`flashloom list trace_format`); default: found out")
      ->type_name("FORMAT");
  app.add_option("--time-unit", arguments.time_unit, "unit of a trace's times, for formats that do not say it")
      ->type_name("UNIT");
  app.add_option("--format-option", arguments.format_options, "another parameter of the format; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--columns", arguments.columns,
                 "what the columns of a table mean, by numbers from 1 or names of its header, as "
                 "time=1*us,op=2:Rd=read,offset=3*512,size=4 (docs/reference/traces.md)")
      ->type_name("NAME=COLUMN,...");
}

void add_traces(CLI::App& app, TraceArguments& arguments) {
  app.add_option("--trace", arguments.traces,
                 "block trace; may be repeated: each plays on its own part of the device (keys offset, size, format, "
                 "and the format's own)")
      ->type_name("F[,KEY=VALUE...]")
      ->allow_extra_args(false);
  add_trace_format(app, arguments);
  app.add_flag("--concat", arguments.concat, "the traces one after another, as days, in place of side by side");
  app.add_option("--concat-gap", arguments.concat_gap, "pause between them, as \"1 h\"; default: none")
      ->type_name("TIME");
}

TraceSpec plain_trace(const std::string& path, const TraceArguments& arguments) {
  TraceSpec spec{.path = path, .format = arguments.format};
  if (!arguments.time_unit.empty()) spec.parameters["time_unit"] = arguments.time_unit;
  for (const std::string& assignment : arguments.format_options) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--format-option: \"" + assignment +
                       "\" is not name=value; `flashloom list trace_format` has the names");
    spec.parameters[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  if (!arguments.columns.empty()) spec.parameters["columns"] = arguments.columns;
  add_columns_beside(spec.path, spec.format, spec.parameters);
  return spec;
}

TraceSpec parse_trace(const std::string& text, const TraceArguments& arguments) {
  TraceSpec spec = plain_trace(text, arguments);
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return spec;
  std::map<std::string, std::string> keys;
  for (;;) {  // from the end, as long as there are assignments
    const std::size_t comma = spec.path.rfind(',');
    if (comma == std::string::npos) break;
    const std::string assignment = spec.path.substr(comma + 1);
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || !is_word(std::string_view(assignment).substr(0, equals))) break;
    const std::string key = assignment.substr(0, equals);
    if (!keys.emplace(key, assignment.substr(equals + 1)).second)
      throw UsageError("--trace " + text + ": " + key + " is said twice");
    spec.path.resize(comma);
  }
  if (spec.path.empty()) throw UsageError("--trace " + text + ": names no file");
  for (const auto& [key, value] : keys) {
    const std::string option = "--trace " + spec.path + ": " + key;
    if (key == "format")
      spec.format = value;
    else if (key == "offset")
      spec.offset = parse_quantity(option, Quantity::Bytes, value);
    else if (key == "size")
      spec.size = parse_quantity(option, Quantity::Bytes, value);
    else
      spec.parameters[key] = value;  // the format checks the key
  }
  add_columns_beside(spec.path, spec.format, spec.parameters);
  if (spec.size == std::uint64_t{0}) throw UsageError("--trace " + spec.path + ": size: must be greater than 0");
  return spec;
}

TraceSet parse_traces(const TraceArguments& arguments) {
  TraceSet set;
  for (const std::string& text : arguments.traces) set.traces.push_back(parse_trace(text, arguments));
  const std::pair<const char*, bool> about_traces[] = {{"--format", !arguments.format.empty()},
                                                       {"--time-unit", !arguments.time_unit.empty()},
                                                       {"--format-option", !arguments.format_options.empty()},
                                                       {"--columns", !arguments.columns.empty()},
                                                       {"--concat", arguments.concat},
                                                       {"--concat-gap", !arguments.concat_gap.empty()}};
  for (const auto& [option, given] : about_traces)
    if (given && set.traces.empty())
      throw UsageError(std::string(option) + ": says how to read a --trace; there is none");
  set.concat = arguments.concat;
  if (!arguments.concat_gap.empty()) {
    if (!set.concat) throw UsageError("--concat-gap: is between traces one after another; say --concat");
    set.gap_ps = parse_quantity("--concat-gap", Quantity::Time, arguments.concat_gap);
  }
  for (const TraceSpec& spec : set.traces)
    if (set.concat && (spec.offset || spec.size))
      throw UsageError("--trace " + spec.path +
                       ": offset and size do not go together with --concat: all play on the whole device");
  return set;
}

}  // namespace flashloom
