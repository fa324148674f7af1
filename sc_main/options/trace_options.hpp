// The options about traces, of `run` and of `trace`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace flashloom {

/// A trace, how to read it, and where on the device it plays.
struct TraceSpec {
  std::string path;
  std::string format{};                             ///< empty: found out
  std::map<std::string, std::string> parameters{};  ///< of the format
  std::optional<std::uint64_t> offset{};            ///< bytes: where its part of the device begins
  std::optional<std::uint64_t> size{};              ///< bytes of its part
};

/// The traces of a run.
struct TraceSet {
  std::vector<TraceSpec> traces{};
  bool concat = false;       ///< one after another in place of side by side
  std::uint64_t gap_ps = 0;  ///< between them, with `concat`
};

/// What CLI11 collects, unchecked.
struct TraceArguments {
  std::vector<std::string> traces{};
  std::string format{};
  std::string time_unit{};
  std::vector<std::string> format_options{};
  bool concat = false;
  std::string concat_gap{};
};

/// --format, --time-unit, --format-option.
void add_trace_format(CLI::App& app, TraceArguments& arguments);
/// Those, --trace, --concat, --concat-gap.
void add_traces(CLI::App& app, TraceArguments& arguments);

/// A trace at `path` as --format and its companions say. Throws UsageError.
TraceSpec plain_trace(const std::string& path, const TraceArguments& arguments);
/// "F[,key=value...]": keys format, offset, size, and the format's own; the options hold for what a trace does not say
/// itself. A file that is called so in full is taken so. Throws UsageError.
TraceSpec parse_trace(const std::string& text, const TraceArguments& arguments);
/// All of a run. Throws UsageError, also where an option is about traces and there is none.
TraceSet parse_traces(const TraceArguments& arguments);

}  // namespace flashloom
