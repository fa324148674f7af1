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

/// A trace, its format, and its part of the device.
struct TraceSpec {
  std::string path;
  std::string format{};                             ///< empty: detected
  std::map<std::string, std::string> parameters{};  ///< of the format
  std::optional<std::uint64_t> offset{};            ///< bytes: where its part of the device begins
  std::optional<std::uint64_t> size{};              ///< bytes of its part
};

/// The traces of a run.
struct TraceSet {
  std::vector<TraceSpec> traces{};
  bool concat = false;       ///< one after another instead of concurrently
  std::uint64_t gap_ps = 0;  ///< between them, with `concat`
};

/// The same options as CLI11 collects them, unchecked.
struct TraceArguments {
  std::vector<std::string> traces{};
  std::string format{};
  std::string time_unit{};
  std::vector<std::string> format_options{};
  std::string columns{};
  bool concat = false;
  std::string concat_gap{};
};

/// Adds --format, --time-unit, --format-option, --columns.
void add_trace_format(CLI::App& app, TraceArguments& arguments);
/// Adds these, --trace, --concat and --concat-gap.
void add_traces(CLI::App& app, TraceArguments& arguments);

/// The trace at `path`, with --format and the other options of its format, or what the file beside it says of its
/// columns. Throws UsageError, ConfigError.
TraceSpec plain_trace(const std::string& path, const TraceArguments& arguments);
/// Parses "F[,key=value...]" with the keys format, offset, size, and the format's own; the options apply to what a
/// trace does not give itself. If a file has the whole text as its name, the text is a path. Throws UsageError.
TraceSpec parse_trace(const std::string& text, const TraceArguments& arguments);
/// All traces of a run. Throws UsageError, also if there are options about traces but no trace.
TraceSet parse_traces(const TraceArguments& arguments);

}  // namespace flashloom
