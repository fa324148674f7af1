// Thesios, Google's synthesized traces of storage servers (Phothilimthana et al., ASPLOS 2024; layout by the README of
// the data): CSV, the header may come again within a file,
//     filename, file_offset, application, c_time, io_zone, redundancy_type, op_type (READ|WRITE), service_class,
//     from_flash_cache, cache_hit (1 hit, 0 miss, -1 write), request_io_size_bytes, disk_io_size_bytes,
//     response_io_size_bytes, start_time (seconds since 1970), disk_time, simulated_disk_start_time, simulated_latency
// The trace names files and not their places: file n, from 0 as they appear, begins at n times file_size. Reads that hit
// the server's cache do not reach the disk; the option level = server keeps them. Requests of 0 bytes are ignored.
#include <array>
#include <functional>
#include <unordered_map>

#include "workloads/traces/trace_reader.hpp"

namespace flashloom::trace_format::thesios {
namespace {

constexpr std::size_t kFields = 17;
constexpr std::uint64_t kTickPs = 1'000'000'000'000;  // seconds
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr const char* kLayout = "filename,file_offset,...,simulated_latency";
using Fields = std::array<std::string_view, kFields>;

bool is_header(std::string_view line) { return line.starts_with("filename,file_offset,"); }

class ThesiosReader final : public TraceReader {
 public:
  ThesiosReader(TraceInput input, const TraceContext& context)
      : TraceReader(std::move(input), kTickPs),
        file_size_(parse_scaled(context.parameters.at("file_mib"), "file_mib", kMiB)),
        disk_(context.parameters.at("level") == "disk") {}

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (is_header(text)) return false;
    Fields fields;
    require_fields(split_commas(text, fields.data(), kFields), kFields, kLayout);
    const std::uint64_t offset = parse_integer(fields[1], "file_offset");
    record.kind = parse_read_write(fields[6]);
    record.length = parse_integer(fields[10], "request_io_size_bytes");
    record.time = parse_time(fields[13], "start_time", kTickPs);
    if (record.length == 0 || (disk_ && fields[9] == "1")) return false;
    if (record.length > file_size_ || offset > file_size_ - record.length)
      throw FieldError("the request ends beyond " + std::to_string(file_size_ / kMiB) +
                       " MiB of its file; raise the option file_mib");
    record.offset = file_of(fields[0]) * file_size_ + offset;
    return true;
  }

  std::uint64_t file_of(std::string_view name) {
    return files_.emplace(std::hash<std::string_view>{}(name), files_.size()).first->second;
  }

  std::uint64_t file_size_;
  bool disk_;
  std::unordered_map<std::uint64_t, std::uint64_t> files_;  // hash of the name: names are long, and hashes already
};

int score(const TraceSample& sample) {
  return score_lines(sample, [](std::string_view line) {
    Fields fields;
    return is_header(line) || (split_commas(line, fields.data(), kFields) == kFields && is_integer(fields[1]) &&
                               (fields[6] == "READ" || fields[6] == "WRITE") && is_integer(fields[10]));
  });
}

const TraceFormatRegistration registration{
    {.name = "thesios",
     .aliases = {"google"},
     .summary = "Google's Thesios CSV: filename,file_offset,...,simulated_latency",
     .parameters = {{.name = "level",
                     .default_value = "disk",
                     .choices = {"disk", "server"},
                     .help = "disk: without reads that hit the server's cache"},
                    {.name = "file_mib",
                     .default_value = "64",
                     .choices = {"1", "16", "64", "256", "1024", "16384"},
                     .help = "MiB of address space of each file"}},
     .score = &score,
     .make = &make_reader<ThesiosReader>}};

}  // namespace
}  // namespace flashloom::trace_format::thesios
