#include "sc_main/program/cli/analysis_command.hpp"

#include <fmt/format.h>

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/workload_file.hpp"
#include "workloads/file_sink.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

std::string csv_field(const nlohmann::ordered_json& value) {
  if (value.is_number_float()) return fmt::format("{:.6f}", value.get<double>());
  if (!value.is_string()) return json_text(value);
  const std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

void write_csv(const std::vector<nlohmann::ordered_json>& rows, std::ostream& out) {
  const char* separator = "";
  for (const auto& [name, value] : rows.front().items()) {
    out << separator << name;
    separator = ",";
  }
  out << '\n';
  for (const nlohmann::ordered_json& each : rows) {
    separator = "";
    for (const auto& [name, value] : each.items()) {
      out << separator << csv_field(value);
      separator = ",";
    }
    out << '\n';
  }
}

}  // namespace

std::unique_ptr<RequestSource> open_source(const AnalysisOptions& options) {
  if (options.generate.empty() && same_file(options.trace.path, options.out))
    throw UsageError("--out: " + options.out + " is the trace itself");
  if (options.generate.empty())
    return open_trace(options.trace.path, {.format = options.trace.format, .parameters = options.trace.parameters});
  return open_generator(read_generator_shorthand(options.generate),
                        {.space = {.capacity = options.space}, .seed = options.seed})
      .source;
}

void write_table(const AnalysisOptions& options, nlohmann::ordered_json head, const std::string& rows_name,
                 const std::vector<nlohmann::ordered_json>& rows, std::ostream& out) {
  const auto write = [&](std::ostream& to) {
    if (!options.json) {
      write_csv(rows, to);
      return;
    }
    head[rows_name] = rows;
    to << json_text(head, 2) << '\n';
  };
  if (!options.out.empty()) {
    FileSink file(options.out);
    write(file.out());
    file.commit();
    if (!options.print_json || file.to_stdout()) return;
  }
  write(out);
}

}  // namespace flashloom
