#include "sc_main/program/run/io_log.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "models/block/latency_breakdown.hpp"
#include "sc_main/assembly/config/json_text.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kLogBuffer = 1 << 20;
constexpr std::string_view kLogMagic = "FLSHIOLG";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 8;

struct Field {
  std::string name;
  std::size_t bytes;
  const char* unit;
};

// The fields of a record, in order, without gaps.
const std::vector<Field>& fields() {
  static const std::vector<Field> all = [] {
    std::vector<Field> list = {{"job", 4, ""},        {"queue", 2, ""},     {"operation", 1, ""}, {"status", 1, ""},
                               {"fua", 1, ""},        {"measured", 1, ""},  {"stream", 1, ""},    {"reserved", 5, ""},
                               {"offset", 8, "B"},    {"length", 8, "B"},   {"arrival", 8, "ps"}, {"submit", 8, "ps"},
                               {"accepted", 8, "ps"}, {"complete", 8, "ps"}};
    for (std::size_t part = 0; part < kLatencyParts; ++part)
      list.push_back({to_string(static_cast<LatencyPart>(part)), 8, "ps"});
    return list;
  }();
  return all;
}

std::string csv_header() {
  std::string line;
  for (const Field& field : fields()) {
    if (field.name == "reserved") continue;
    const std::string_view unit = field.unit;
    fmt::format_to(std::back_inserter(line), "{}{}{}", line.empty() ? "" : ",", field.name,
                   unit == "B"    ? "_bytes"
                   : unit == "ps" ? "_ps"
                                  : "");
  }
  line.push_back('\n');
  return line;
}

}  // namespace

IoLog::IoLog(const std::filesystem::path& directory, Form form, const std::vector<std::string>& jobs, bool zoned)
    : file_(directory / file_name(form)), form_(form) {
  if (file_.open_error() != 0) file_.fail();
  buffer_.reserve(kLogBuffer + 4096);
  buffer_ = form == Form::Binary ? header(jobs, zoned) : csv_header();
}

// The header: magic, version, length of the description, description (JSON, padded with spaces to align the records).
std::string IoLog::header(const std::vector<std::string>& jobs, bool zoned) const {
  const auto names = [](const char* const* first, std::size_t count) {
    return std::vector<std::string>(first, first + count);
  };
  nlohmann::ordered_json json;
  json["schema"] = kSchema;
  json["byte_order"] = "little";
  std::size_t offset = 0;
  for (const Field& field : fields()) {
    if (field.name != "reserved")
      json["fields"].push_back({{"name", field.name},
                                {"type", fmt::format("u{}", 8 * field.bytes)},
                                {"offset", offset},
                                {"unit", field.unit}});
    offset += field.bytes;
  }
  json["record_bytes"] = offset;
  json["operations"] = names(kIoOperationNames, zoned ? kIoOperations : kPlainOperations);
  json["statuses"] = names(kIoStatusNames, zoned ? kIoStatuses : kPlainStatuses);
  json["jobs"] = jobs;
  std::string text = json_text(json);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  std::string all(kLogMagic);
  for (const std::uint32_t number : {kVersion, static_cast<std::uint32_t>(text.size())})
    for (unsigned byte = 0; byte < 4; ++byte) all += static_cast<char>(number >> (8 * byte));
  return all + text;
}

void IoLog::put(std::uint64_t value, std::size_t bytes) {
  for (std::size_t byte = 0; byte < bytes; ++byte) buffer_ += static_cast<char>(value >> (8 * byte));
}

void IoLog::completed(const IoCommand& command, std::uint32_t job, bool measured) {
  const auto operation = static_cast<std::size_t>(command.operation);
  const auto status = static_cast<std::size_t>(command.status);
  if (form_ == Form::Binary) {
    put(job, 4);
    put(command.queue, 2);
    put(operation, 1);
    put(status, 1);
    put(command.fua ? 1 : 0, 1);
    put(measured ? 1 : 0, 1);
    put(command.stream, 1);
    put(0, 5);
    for (const std::uint64_t value : {command.offset, command.length, command.at.arrival, command.at.submit,
                                      command.at.accepted, command.at.complete})
      put(value, 8);
    for (const Picoseconds part : command.breakdown.parts()) put(part, 8);
  } else {
    fmt::format_to(std::back_inserter(buffer_), "{},{},{},{},{},{},{},{},{},{},{},{},{}", job, command.queue,
                   kIoOperationNames[operation], kIoStatusNames[status], command.fua ? 1 : 0, measured ? 1 : 0,
                   command.stream, command.offset, command.length, command.at.arrival, command.at.submit,
                   command.at.accepted, command.at.complete);
    for (const Picoseconds part : command.breakdown.parts()) fmt::format_to(std::back_inserter(buffer_), ",{}", part);
    buffer_ += '\n';
  }
  if (buffer_.size() >= kLogBuffer) flush();
}

void IoLog::flush() {
  file_.write(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void IoLog::finish() {
  flush();
  file_.commit();
}

}  // namespace flashloom
