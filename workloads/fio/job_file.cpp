#include "workloads/fio/job_file.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "workloads/fio/fio_value.hpp"
#include "workloads/line_reader.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMaxJobs = 4096;

/// A section while it is read: kb_base concerns the values after it only.
struct Section {
  FioJob job;
  unsigned kb_base = 1024;
};

struct Option {
  FioOption info;
  void (*apply)(Section&, std::string_view);
};

std::uint32_t integer(Section& s, std::string_view v, std::uint64_t lowest, std::uint64_t highest) {
  return static_cast<std::uint32_t>(parse_fio_integer(v, lowest, highest, s.kb_base));
}

void ignore(Section&, std::string_view) {}

const std::vector<Option>& options() {
  using S = Section;
  using V = std::string_view;
  static const std::vector<Option> all = {
      {{"bs", {"blocksize"}, "block size: read[,write[,trim]]", false},
       [](S& s, V v) { s.job.bs = parse_fio_block_sizes(v, s.kb_base); }},
      {{"description", {}, "free text", true}, &ignore},
      {{"direct", {}, "the model has no page cache: always direct", true}, &ignore},
      {{"directory", {}, "jobs address the device, not files", true}, &ignore},
      {{"filename", {}, "jobs address the device, not files", true}, &ignore},
      {{"fsync", {}, "a flush after so many writes", false}, [](S& s, V v) { s.job.fsync = integer(s, v, 0, kMax32); }},
      {{"group_reporting", {}, "reports are of the run", true}, &ignore},
      {{"io_size", {"io_limit"}, "bytes to transfer in all", false},
       [](S& s, V v) {
         s.job.io_size = parse_fio_bytes(v, s.kb_base);
         if (*s.job.io_size == 0) throw FioValueError("0 bytes: no requests");
       }},
      {{"iodepth", {}, "requests in flight of each job", false},
       [](S& s, V v) { s.job.iodepth = integer(s, v, 1, 1U << 20U); }},
      {{"ioengine", {}, "the model's host driver is the engine", true}, &ignore},
      {{"kb_base", {}, "1024: k is 1024 and kib is 1000 (fio's default); 1000: the reverse", false},
       [](S& s, V v) {
         if (v != "1024" && v != "1000") throw FioValueError("expected 1024 or 1000, found \"" + std::string(v) + "\"");
         s.kb_base = v == "1024" ? 1024 : 1000;
       }},
      {{"name", {}, "name of the job", false}, [](S& s, V v) { s.job.name = std::string(v); }},
      {{"norandommap", {}, "random offsets may repeat within a pass", false},
       [](S& s, V v) { s.job.norandommap = parse_fio_bool(v); }},
      {{"numjobs", {}, "so many copies of the job", false},
       [](S& s, V v) { s.job.numjobs = integer(s, v, 1, kMaxJobs); }},
      {{"offset", {}, "begin of the region: bytes or % of the device", false},
       [](S& s, V v) { s.job.offset = parse_fio_size(v, s.kb_base); }},
      {{"randseed", {}, "seed of the job instead of the run's", false},
       [](S& s, V v) {
         s.job.randseed = parse_fio_integer(v, 0, std::numeric_limits<std::uint64_t>::max(), s.kb_base);
       }},
      {{"runtime", {"timeout"}, "simulated time at which the job ends, if not before", false},
       [](S& s, V v) { s.job.runtime_ps = parse_fio_time(v); }},
      {{"rw", {"readwrite"}, "pattern: read, write, trim, rw, and randread, randwrite, randtrim, randrw", false},
       [](S& s, V v) { s.job.rw = parse_fio_pattern(v); }},
      {{"rwmixread", {}, "percent of reads in rw and randrw", false},
       [](S& s, V v) { s.job.rwmixread = integer(s, v, 0, 100); }},
      {{"rwmixwrite", {}, "percent of writes in rw and randrw", false},
       [](S& s, V v) { s.job.rwmixread = 100 - integer(s, v, 0, 100); }},
      {{"size", {}, "size of the region: bytes or % of the device", false},
       [](S& s, V v) {
         s.job.size = parse_fio_size(v, s.kb_base);
         if (s.job.size->value == 0) throw FioValueError("0: a region must hold a block");
       }},
      {{"thread", {}, "jobs are neither threads nor processes", true}, &ignore},
      {{"time_based", {}, "go on until runtime, looping over the region", false},
       [](S& s, V v) { s.job.time_based = parse_fio_bool(v); }},
  };
  return all;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string unknown_option(std::string_view key) {
  std::string near;
  std::string every;
  for (const Option& option : options()) {
    std::vector<std::string> names = option.info.aliases;
    names.insert(names.begin(), option.info.name);
    for (const std::string& name : names)
      if (edit_distance(key.substr(0, 64), name) <= 2) near += (near.empty() ? "" : ", ") + name;
    every += (every.empty() ? "" : ", ") + option.info.name;
  }
  return "unknown option \"" + std::string(key) + "\"" +
         (near.empty() ? "; valid: " + every : "; did you mean: " + near + "?");
}

class JobFileParser {
 public:
  explicit JobFileParser(const std::string& path) : lines_(path) {}

  std::vector<FioJob> parse() {
    std::string_view line;
    while (lines_.next(line)) {
      line = trimmed(line);
      if (line.empty() || line.front() == '#' || line.front() == ';') continue;
      if (line.front() == '[') {
        section(line);
      } else {
        option(line);
      }
    }
    if (jobs_.empty()) throw WorkloadError(lines_.file(), std::max<std::uint64_t>(lines_.line(), 1), "no job section");
    std::vector<FioJob> jobs;
    for (Section& s : jobs_) {
      if (s.job.time_based && s.job.runtime_ps == 0)
        throw WorkloadError(s.job.file, s.job.line_of("time_based"), "time_based: needs a runtime");
      jobs.push_back(std::move(s.job));
    }
    return jobs;
  }

 private:
  void section(std::string_view line) {
    const std::string_view name =
        trimmed(line.substr(1, line.find(']') == std::string_view::npos ? 0 : line.find(']') - 1));
    if (name.empty() || line.back() != ']') fail("expected [NAME], found \"" + std::string(line.substr(0, 80)) + "\"");
    if (name == "global") {
      current_ = &global_;
      return;
    }
    jobs_.push_back(global_);
    current_ = &jobs_.back();
    current_->job.file = lines_.file();
    current_->job.name = std::string(name);
    current_->job.section_line = lines_.line();
  }

  void option(std::string_view line) {
    if (current_ == nullptr) fail("option before the first section: \"" + std::string(line.substr(0, 80)) + "\"");
    const std::size_t equals = line.find('=');
    const std::string key(trimmed(line.substr(0, equals)));
    const bool has_value = equals != std::string_view::npos;
    const std::string_view value = has_value ? trimmed(line.substr(equals + 1)) : std::string_view{};
    for (const Option& candidate : options()) {
      const auto& aliases = candidate.info.aliases;
      if (candidate.info.name != key && std::find(aliases.begin(), aliases.end(), key) == aliases.end()) continue;
      try {
        if (has_value && value.empty() && !candidate.info.inert) throw FioValueError("value is missing after =");
        candidate.apply(*current_, value);
      } catch (const FioValueError& error) {
        fail(key + ": " + error.what());
      }
      current_->job.lines[candidate.info.name] = lines_.line();
      return;
    }
    fail(unknown_option(key));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw WorkloadError(lines_.file(), lines_.line(), message);
  }

  LineReader lines_;
  Section global_;
  std::vector<Section> jobs_;
  Section* current_ = nullptr;
};

}  // namespace

std::vector<FioOption> fio_options() {
  std::vector<FioOption> result;
  for (const Option& option : options()) result.push_back(option.info);
  return result;
}

std::vector<FioJob> read_fio_jobs(const std::string& path) { return JobFileParser(path).parse(); }

}  // namespace flashloom
