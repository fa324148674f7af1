#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "analysis/trace_info.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/program/cli/python_command.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/options/trace_command_options.hpp"
#include "workloads/file_sink.hpp"
#include "workloads/first_requests.hpp"
#include "workloads/traces/native_writer.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

std::unique_ptr<RequestSource> open_input(const TraceSpec& trace, const std::shared_ptr<TraceNotes>& notes) {
  return open_trace(trace.path, {.format = trace.format, .parameters = trace.parameters, .notes = notes});
}

bool is_parquet(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 4> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == "PAR1";
}

[[noreturn]] void convert_parquet(const TraceConvertOptions& options) {
  std::vector<std::string> words;
  if (!options.trace.format.empty()) words.insert(words.end(), {"--format", options.trace.format});
  for (const auto& [name, value] : options.trace.parameters)
    words.insert(words.end(), {"--format-option", name + "=" + value});
  words.insert(words.end(), {"--", options.trace.path, options.out});
  run_python({.name = "parquet", .needs = "pyarrow (pip install pyarrow)", .guide = "docs/reference/traces.md"}, words);
}

int trace_info_command(const TraceInfoOptions& options, std::ostream& out) {
  const auto notes = std::make_shared<TraceNotes>();
  TraceInfo info = analyse_trace(*first_requests(open_input(options.trace, notes), options.max_requests));
  info.notes = *notes;
  const std::string name = std::filesystem::path(options.trace.path).filename().string();
  if (options.json) {
    out << json_text(to_json(info, name), 2) << '\n';
  } else {
    const std::string text = to_text(info, name);
    out << text << (text.ends_with('\n') ? "" : "\n");
  }
  return 0;
}

int trace_convert_command(const TraceConvertOptions& options, std::ostream& out) {
  if (same_file(options.trace.path, options.out))
    throw UsageError("trace convert: " + options.out + " is " + options.trace.path +
                     " itself; name another file to write");
  if (is_parquet(options.trace.path)) convert_parquet(options);
  const auto notes = std::make_shared<TraceNotes>();
  const auto source = open_input(options.trace, notes);
  FileSink sink(options.out);
  const std::uint64_t requests = write_native_trace(*source, sink.out());
  sink.commit();
  const auto bytes = static_cast<double>(sink.size());
  std::ostream& told = sink.to_stdout() ? std::cerr : out;
  told << fmt::format("{}: {} requests, {:.0f} bytes ({:.2f} a request)", options.out, requests, bytes,
                      bytes / static_cast<double>(requests));
  if (source->clamped_times() != 0)
    told << fmt::format("; {} times raised to an earlier one's", source->clamped_times());
  if (notes->unknown_flags != 0) told << "; " << note_text(*notes);
  told << '\n';
  return 0;
}

const RegisterCommand registered_trace(kTraceCommand);
const RegisterCommand registered_trace_info(kTraceInfoCommand, trace_info_command);
const RegisterCommand registered_trace_convert(kTraceConvertCommand, trace_convert_command);

}  // namespace
}  // namespace flashloom
