#include "sc_main/program/options/trace_command_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kTraceDescription = R"(
The compact form (format "flashloom") holds what a replay needs, usually in 3 to 7 bytes a request; it is read several
times faster than text, and it finds truncation and damage. It is used like any other trace.)";

constexpr const char* kTraceExamples = R"(
  flashloom trace info proj_0.csv.gz --json
  flashloom trace convert proj_0.csv.gz proj_0.flt.zst
  flashloom trace convert old.trace new.flt --format disksim --time-unit ms)";

struct RawTraceCommand {
  TraceArguments traces;
  std::string trace, out, max_requests;
  bool json = false;
};

void add_trace(CLI::App& command, RawTraceCommand& raw) {
  command.add_option("trace", raw.trace, "trace, plain or compressed")->type_name("F")->required();
  add_trace_format(command, raw.traces);
}

void add_trace_info(CLI::App& command, RawTraceCommand& raw) {
  add_trace(command, raw);
  command.add_option("--max-requests", raw.max_requests, "of so many requests of its begin")->type_name("N");
  command.add_flag("--json", raw.json, "machine-readable");
}

TraceInfoOptions checked_trace_info(const RawTraceCommand& raw) {
  TraceInfoOptions info{.trace = plain_trace(raw.trace, raw.traces), .json = raw.json};
  if (!raw.max_requests.empty()) info.max_requests = parse_count("--max-requests", raw.max_requests, 1);
  return info;
}

void add_trace_convert(CLI::App& command, RawTraceCommand& raw) {
  add_trace(command, raw);
  command.add_option("out", raw.out, "file to write; compressed if it ends in .gz, .xz, .bz2 or .zst")
      ->type_name("OUT")
      ->required()
      ->check(named_path);
}

TraceConvertOptions checked_trace_convert(const RawTraceCommand& raw) {
  return {.trace = plain_trace(raw.trace, raw.traces), .out = raw.out};
}

}  // namespace

constinit const CommandEntry kTraceCommand{.name = "trace",
                                           .place = 70,
                                           .summary = "Look into traces, convert them",
                                           .description = kTraceDescription,
                                           .examples = kTraceExamples};

constinit const CommandEntry kTraceInfoCommand{
    .name = "trace info",
    .place = 71,
    .summary = "What a trace is made of: requests, bytes, footprint, locality",
    .description = kTraceDescription,
    .examples = kTraceExamples,
    .add = &add_command<RawTraceCommand, add_trace_info, checked_trace_info>};

constinit const CommandEntry kTraceConvertCommand{
    .name = "trace convert",
    .place = 72,
    .summary = "Write a trace in Flashloom's compact form",
    .description = kTraceDescription,
    .examples = kTraceExamples,
    .add = &add_command<RawTraceCommand, add_trace_convert, checked_trace_convert>};

}  // namespace flashloom
