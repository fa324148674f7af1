#include "workloads/traces/trace_format.hpp"

#include <algorithm>
#include <stdexcept>

#include "workloads/line_reader.hpp"
#include "workloads/traces/column_guess.hpp"
#include "workloads/traces/fields.hpp"

namespace flashloom {
namespace {

std::vector<TraceFormat>& registered_formats() {
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

const TraceFormat& named_format(const std::string& file, const std::string& name) {
  for (const TraceFormat& format : trace_formats())
    if (answers_to(format, name)) return format;
  throw WorkloadError(file, 0, "unknown trace format \"" + name + "\"; valid: " + format_names());
}

const TraceFormat& found_format(const std::string& file, const TraceSample& sample) {
  std::vector<const TraceFormat*> best;
  int best_score = kLowestTraceScore;
  for (const TraceFormat& format : trace_formats()) {
    const int score = format.score(sample);
    if (score < best_score) continue;
    if (score > best_score) best.clear();
    best.push_back(&format);
    best_score = score;
  }
  if (best.empty())
    throw WorkloadError(file, 1,
                        "the beginning fits no known trace format" + seen_columns(sample) +
                            "; or name a format by --format: " + format_names());
  if (best.size() > 1) {
    std::vector<std::string> names;
    for (const TraceFormat* format : best) names.push_back(format->name);
    throw WorkloadError(file, 1,
                        "the beginning fits several trace formats; say by --format which one: " + joined(names));
  }
  return *best.front();
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
    if (!declared->choices.empty() &&
        std::find(declared->choices.begin(), declared->choices.end(), value) == declared->choices.end())
      throw WorkloadError(path, 0,
                          "option " + name + " = \"" + value + "\" of trace format \"" + format.name +
                              "\"; valid: " + joined(declared->choices));
    values[name] = value;
  }
  return values;
}

constexpr const char* kColumns = "columns";  // parameter of the format csv alone

std::string* noted_refusal = nullptr;

}  // namespace

std::string note_text(const TraceNotes& notes) {
  if (notes.unknown_flags == 0) return {};
  std::string letters;
  for (const char flag : notes.flags) letters += (letters.empty() ? "" : ", ") + std::string(1, flag);
  return "unknown RWBS flags ignored: " + letters;
}

const std::vector<TraceFormat>& trace_formats() { return registered_formats(); }

void TraceFormatRegistration::note_refusal(std::string* refusal) { noted_refusal = refusal; }

TraceFormatRegistration::TraceFormatRegistration(TraceFormat format) {
  auto& all = registered_formats();
  std::vector<std::string> names = format.aliases;
  names.push_back(format.name);
  for (const TraceFormat& other : all)
    for (const std::string& name : names) {
      if (!answers_to(other, name)) continue;
      const std::string why = "trace format registered twice: " + name;
      if (noted_refusal == nullptr) throw std::logic_error(why);
      *noted_refusal = why;
      return;
    }
  const auto position =
      std::find_if(all.begin(), all.end(), [&](const TraceFormat& f) { return f.name > format.name; });
  all.insert(position, std::move(format));
}

TraceSample trace_sample(std::string_view head) {
  TraceSample sample{.bytes = head, .lines = {}};
  const bool whole = head.size() < TraceSample::kBytes;
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  while (sample.lines.size() < TraceSample::kLines && !head.empty()) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && !whole) break;  // the line continues beyond the sample
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_blank(line)) sample.lines.push_back(line);
  }
  return sample;
}

std::unique_ptr<RequestSource> open_trace(TraceInput stored, const TraceOptions& options) {
  const std::string& name = stored.name;
  std::unique_ptr<PeekedStream> bytes;
  try {
    bytes = std::make_unique<PeekedStream>(decompressed(std::move(stored.bytes), name), TraceSample::kBytes);
    if (bytes->failed() && bytes->head().empty()) bytes->read(nullptr, 0);  // throws the stream's error
  } catch (const StreamError& error) {
    throw WorkloadError(name, 1, error.what());
  }
  const TraceSample sample = trace_sample(bytes->head());
  if (options.format.empty() && !bytes->failed() && sample.lines.empty() && sample.bytes.size() < TraceSample::kBytes)
    throw WorkloadError(name, 0, "empty file: no requests");
  if (sample.bytes.starts_with("PAR1"))
    throw WorkloadError(name, 0, "a Parquet file; write it as a trace by flashloom trace convert " + name + " OUT");
  const TraceFormat& format = !options.format.empty()                 ? named_format(name, options.format)
                              : options.parameters.contains(kColumns) ? named_format(name, "csv")
                                                                      : found_format(name, sample);
  const TraceContext context{.parameters = complete(name, format, options.parameters),
                             .sample = sample,
                             .notes = options.notes ? options.notes : std::make_shared<TraceNotes>()};
  return format.make({.name = name, .bytes = std::move(bytes)}, context);
}

std::unique_ptr<RequestSource> open_trace(const std::string& path, const TraceOptions& options) {
  TraceInput stored{.name = path, .bytes = nullptr};
  try {
    stored.bytes = open_stored_bytes(path);
  } catch (const StreamError& error) {
    throw WorkloadError(path, 0, error.what());
  }
  return open_trace(std::move(stored), options);
}

}  // namespace flashloom
