#include <filesystem>

#include "analysis/trace_info.hpp"
#include "sc_main/cli/commands.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {

int trace_info_command(const TraceInfoOptions& options, std::ostream& out) {
  const auto source = open_trace(options.trace, {.format = options.format, .parameters = options.parameters});
  const TraceInfo info = analyse_trace(*source);
  const std::string name = std::filesystem::path(options.trace).filename().string();
  if (options.json) {
    out << to_json(info, name).dump(2) << '\n';
  } else {
    const std::string text = to_text(info, name);
    out << text << (text.ends_with('\n') ? "" : "\n");
  }
  return 0;
}

}  // namespace flashloom
