#include "sc_main/program/options/analysis_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <thread>

#include "policies/nearest.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/part_choice.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "workloads/file_sink.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::uint32_t parse_page(const std::string& option, const std::string& text, std::uint64_t least) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  std::uint64_t bytes = 0;
  try {
    bytes = parse_exact(Quantity::Bytes, text);
  } catch (const QuantityError& error) {
    throw UsageError(option + ": " + error.what());
  }
  if (bytes < least || bytes > kMost)
    throw UsageError(option + ": \"" + text + "\" is out of range; valid: " + format_exact(Quantity::Bytes, least) +
                     " .. " + format_exact(Quantity::Bytes, kMost));
  return static_cast<std::uint32_t>(bytes);
}

/// Reads the trace, or the generator and its options.
void read_workload(const std::string& command, const RawAnalysisOptions& raw, AnalysisOptions& options) {
  if (raw.trace.empty() == raw.generate.empty())
    throw UsageError(raw.trace.empty() ? command + ": no trace given; name a TRACE, or say --generate NAME"
                                       : command + ": give a TRACE or --generate, not both of them");
  if (!raw.trace.empty()) {
    if (!raw.space.empty() || !raw.seed.empty())
      throw UsageError(std::string(raw.space.empty() ? "--seed" : "--space") + ": goes with --generate");
    options.trace = parse_trace(raw.trace, {});
    if (options.trace.offset || options.trace.size)
      throw UsageError(command + ": " + options.trace.path +
                       ": offset and size place a trace on a device; there is none here");
    return;
  }
  options.generate = raw.generate;
  if (!raw.seed.empty()) options.seed = parse_count("--seed", raw.seed, 0);
  if (raw.space.empty()) return;
  try {
    options.space = parse_exact(Quantity::Bytes, raw.space);
  } catch (const QuantityError& error) {
    throw UsageError("--space: " + std::string(error.what()));
  }
  if (options.space == 0) throw UsageError("--space: must be greater than 0");
}

}  // namespace

std::string AnalysisOptions::source_name() const {
  return generate.empty() ? std::filesystem::path(trace.path).filename().string() : generate;
}

unsigned AnalysisOptions::thread_count() const {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts = split_at_commas(text);
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

std::vector<std::string> split_parts(const std::string& text) {
  std::vector<std::string> policies;
  for (const std::string& part : split_list(text)) {
    const std::size_t equals = part.find('=');
    const bool continues = !policies.empty() && equals != std::string::npos && part.find(':') > equals &&
                           policies.back().find(':') != std::string::npos;
    if (continues)
      policies.back() += "," + part;
    else
      policies.push_back(part);
  }
  return policies;
}

std::vector<std::string> part_names(const std::string& family) {
  std::vector<std::string> names;
  for (const PartInfo* part : PartCatalog::instance().parts(family)) names.push_back(part->name);
  return names;
}

PolicyChoice parse_part(const std::string& option, const std::string& text, const std::string& family,
                        const std::vector<std::string>& valid) {
  const std::string where = option + " " + text;
  const std::size_t colon = text.find(':');
  const std::string name = trimmed(text.substr(0, colon));
  if (PartCatalog::instance().find(family, name) == nullptr) {
    throw UsageError(option + ": unknown policy \"" + name + "\"" + did_you_mean(name, valid) +
                     "; valid: " + join_names(valid));
  }
  ConfigNode part{ConfigNode::Table{}, where};
  part.table().emplace_back("name", ConfigNode{name, where});
  if (colon != std::string::npos) {
    for (const std::string& assignment : split_list(text.substr(colon + 1))) {
      const std::size_t equals = assignment.find('=');
      if (equals == std::string::npos || equals == 0)
        throw UsageError(option + ": \"" + assignment + "\" of \"" + text +
                         "\" is not parameter=value, as in cflru:window=50%");
      part.table().emplace_back(trimmed(assignment.substr(0, equals)),
                                parse_value(trimmed(assignment.substr(equals + 1)), where));
    }
  }
  return read_part(part, name, family, name);
}

std::string part_label(const PolicyChoice& choice, const std::string& text) {
  const std::size_t colon = text.find(':');
  std::string label = choice.name + (colon == std::string::npos ? "" : text.substr(colon));
  std::replace(label.begin(), label.end(), ',', ';');  // the label is one CSV field
  std::erase(label, ' ');
  return label;
}

void add_analysis(CLI::App& app, RawAnalysisOptions& raw) {
  app.add_option("trace", raw.trace, "block trace, plain or compressed")->type_name("TRACE[,KEY=VALUE...]");
  app.add_option("--generate", raw.generate, "workload generator (`flashloom list generator`), in place of a trace")
      ->type_name("GENERATOR[:PARAMETER=VALUE,...]");
  app.add_option("--space", raw.space, "with --generate: the device that it addresses; default: 1 GiB")
      ->type_name("SIZE");
  app.add_option("--seed", raw.seed, "with --generate: of its random choices; default: 1")->type_name("N");
  app.add_option("--page", raw.page, "page; default: 4 KiB")->type_name("SIZE");
  app.add_option("--block", raw.block, "erase block of the flash below; default: 64 pages")->type_name("SIZE");
  app.add_option("--format", raw.format, "csv (default) or json")->type_name("csv|json");
  app.add_option("--max-requests", raw.max_requests, "stop after so many requests of the trace")->type_name("N");
  app.add_option("--threads", raw.threads, "so many at a time; default: one a core")->type_name("N");
  app.add_option("--out", raw.out, "file, compressed if it ends in .gz, .zst, .bz2 or .xz; default: print the table")
      ->type_name("FILE");
  app.add_flag("--quiet", raw.quiet, "no progress");
  app.add_flag("--json", raw.json, "print the table as JSON, also with --out, whose file is JSON then");
}

AnalysisOptions checked_analysis(const std::string& command, const RawAnalysisOptions& raw) {
  AnalysisOptions options;
  read_workload(command, raw, options);
  options.page = parse_page("--page", raw.page, 512);
  options.block = 64 * std::uint64_t{options.page} > UINT32_MAX ? options.page : 64 * options.page;
  if (!raw.block.empty()) options.block = parse_page("--block", raw.block, options.page);
  if (options.block % options.page != 0)
    throw UsageError("--block: \"" + raw.block + "\" is not a whole number of pages");
  if (raw.format != "csv" && raw.format != "json")
    throw UsageError("--format: \"" + raw.format +
                     "\" is neither csv nor json; the trace's format is a key of it, as trace.txt,format=blkparse");
  options.json = raw.json || raw.format == "json";
  options.print_json = raw.json;
  if (!raw.max_requests.empty()) options.max_requests = parse_count("--max-requests", raw.max_requests, 1);
  if (!raw.threads.empty())
    options.threads = static_cast<unsigned>(std::min<std::uint64_t>(parse_count("--threads", raw.threads, 1), 1024));
  options.out = raw.out;
  options.quiet = raw.quiet;
  return options;
}

}  // namespace flashloom
