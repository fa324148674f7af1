#include "workloads/traces/trace_format.hpp"

#include <algorithm>
#include <stdexcept>

#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kSampleLines = 32;
constexpr int kLowestScore = 50;

std::vector<TraceFormat>& registered() {
  static std::vector<TraceFormat> all;
  return all;
}

bool answers_to(const TraceFormat& format, const std::string& name) {
  return format.name == name || std::find(format.aliases.begin(), format.aliases.end(), name) != format.aliases.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
  return result;
}

std::string format_names() {
  std::vector<std::string> names;
  for (const TraceFormat& format : trace_formats()) names.push_back(format.name);
  return joined(names);
}

std::vector<std::string> first_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  std::string_view line;
  while (lines.size() < kSampleLines && reader.next(line))
    if (line.find_first_not_of(" \t") != std::string_view::npos) lines.emplace_back(line);
  return lines;
}

const TraceFormat& choose(const std::string& path, const std::string& name, std::span<const std::string> sample) {
  if (!name.empty()) {
    for (const TraceFormat& format : trace_formats())
      if (answers_to(format, name)) return format;
    throw WorkloadError(path, 0, "unknown trace format \"" + name + "\"; valid: " + format_names());
  }
  if (sample.empty()) throw WorkloadError(path, 0, "empty file: no requests");
  const TraceFormat* best = nullptr;
  int best_score = kLowestScore - 1;
  for (const TraceFormat& format : trace_formats()) {
    const int score = format.score(sample);
    if (score > best_score) {
      best = &format;
      best_score = score;
    }
  }
  if (best == nullptr)
    throw WorkloadError(path, 1, "the first lines fit no known trace format; name one of: " + format_names());
  return *best;
}

std::map<std::string, std::string> complete(const std::string& path, const TraceFormat& format,
                                            const std::map<std::string, std::string>& given) {
  std::map<std::string, std::string> values;
  std::vector<std::string> names;
  for (const TraceParameter& parameter : format.parameters) {
    values[parameter.name] = parameter.default_value;
    names.push_back(parameter.name);
  }
  for (const auto& [name, value] : given) {
    const auto declared = std::find_if(format.parameters.begin(), format.parameters.end(),
                                       [&key = name](const TraceParameter& p) { return p.name == key; });
    if (declared == format.parameters.end())
      throw WorkloadError(path, 0,
                          "trace format \"" + format.name + "\" has no option \"" + name +
                              "\"; valid: " + (names.empty() ? "none" : joined(names)));
    if (std::find(declared->choices.begin(), declared->choices.end(), value) == declared->choices.end())
      throw WorkloadError(path, 0,
                          "option " + name + " = \"" + value + "\" of trace format \"" + format.name +
                              "\"; valid: " + joined(declared->choices));
    values[name] = value;
  }
  return values;
}

}  // namespace

const std::vector<TraceFormat>& trace_formats() { return registered(); }

TraceFormatRegistration::TraceFormatRegistration(TraceFormat format) {
  auto& all = registered();
  std::vector<std::string> names = format.aliases;
  names.push_back(format.name);
  for (const TraceFormat& other : all)
    for (const std::string& name : names)
      if (answers_to(other, name)) throw std::logic_error("trace format registered twice: " + name);
  const auto position =
      std::find_if(all.begin(), all.end(), [&](const TraceFormat& f) { return f.name > format.name; });
  all.insert(position, std::move(format));
}

std::unique_ptr<RequestSource> open_trace(const std::string& path, const TraceOptions& options) {
  TraceContext context;
  context.sample = first_lines(path);
  const TraceFormat& format = choose(path, options.format, context.sample);
  context.parameters = complete(path, format, options.parameters);
  return format.make(std::make_unique<LineReader>(path), context);
}

}  // namespace flashloom
