#include "workloads/fio/job_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string_view>

#include "workloads/fio/fio_engine.hpp"
#include "workloads/fio/fio_options.hpp"
#include "workloads/fio/fio_value.hpp"
#include "workloads/line_reader.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr int kMostIncludes = 10;
constexpr std::size_t kLongestName = 64;  // bytes of a name that are compared for suggestions

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
  for (const FioOption& option : fio_options()) {
    std::vector<std::string> names = option.aliases;
    names.insert(names.begin(), option.name);
    for (const std::string& name : names)
      if (edit_distance(key.substr(0, kLongestName), name) <= 2) near += (near.empty() ? "" : ", ") + name;
  }
  return "unknown option \"" + std::string(key) + "\"" +
         (near.empty() ? "; `flashloom list fio_option` has the options" : "; did you mean: " + near + "?");
}

/// Substitutes variables and keywords; throws FioValueError for a variable that is not set.
std::string substituted(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kKeywords[] = {
      {"$pagesize", "4096"}, {"$mb_memory", "16384"}, {"$ncpus", "8"}};
  std::string result;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    result += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    const std::size_t close = text.starts_with("${") ? text.find('}') : std::string_view::npos;
    if (close != std::string_view::npos) {
      const std::string name(text.substr(2, close - 2));
      const char* const value = std::getenv(name.c_str());
      if (value == nullptr) throw FioValueError("the environment has no variable " + name);
      result += value;
      text.remove_prefix(close + 1);
      continue;
    }
    const auto* const keyword = std::find_if(std::begin(kKeywords), std::end(kKeywords),
                                             [&](const auto& each) { return text.starts_with(each.first); });
    result += keyword != std::end(kKeywords) ? keyword->second : text.substr(0, 1);
    text.remove_prefix(keyword != std::end(kKeywords) ? keyword->first.size() : 1);
  }
  return result;
}

class JobFileParser {
 public:
  explicit JobFileParser(const std::vector<std::string>& sections) : sections_(sections) {}

  std::vector<FioJob> parse(const std::string& path) {
    read(path, 0);
    for (const std::string& name : sections_)
      if (std::ranges::none_of(jobs_, [&name](const Section& job) { return job.values.job.name == name; }))
        throw WorkloadError(path, std::max<std::uint64_t>(last_line_, 1), "no section [" + name + "]");
    if (jobs_.empty()) throw WorkloadError(path, std::max<std::uint64_t>(last_line_, 1), "no job section");
    std::vector<FioJob> jobs;
    for (Section& section : jobs_) {
      finish(section, jobs);
      FioJob& job = section.values.job;
      job.norandommap = (job.norandommap && !job.visits_once) || job.sprandom.on;
      jobs.push_back(std::move(section.values.job));
    }
    return jobs;
  }

 private:
  struct Section {
    FioSection values;
    std::optional<WorkloadError> error;  // the section's first error; finish() reports a refused engine before it
  };

  void read(const std::string& path, int depth) {
    LineReader lines(path);
    LineReader* const outer = lines_;
    lines_ = &lines;
    std::string_view line;
    while (lines.next(line)) {
      line = without_blanks(line.substr(0, line.find_first_of("#;")));
      if (line.empty()) continue;
      if (line.front() == '[') {
        section(line);
      } else if (line.starts_with("include") && line.find_first_of(kFioBlanks) == std::string_view("include").size()) {
        include(std::string(without_blanks(line.substr(std::string_view("include").size()))), depth);
      } else {
        option(line);
      }
    }
    last_line_ = lines.line();
    lines_ = outer;
  }

  // As fio: looks for the file in the working directory, else in the folder of the including file.
  void include(const std::string& name, int depth) {
    namespace fs = std::filesystem;
    if (depth == kMostIncludes) fail("include: more than " + std::to_string(kMostIncludes) + " files in each other");
    const fs::path beside = fs::path(lines_->file()).parent_path() / name;
    std::error_code ignored;
    const fs::path& found = fs::exists(name, ignored) ? fs::path(name) : beside;
    if (!fs::is_regular_file(found, ignored)) fail("include: there is no file \"" + name + "\"");
    read(found.string(), depth + 1);
  }

  void section(std::string_view line) {
    const std::size_t close = line.find(']');
    const std::string_view name = without_blanks(line.substr(1, close == std::string_view::npos ? 0 : close - 1));
    if (name.empty() || line.back() != ']') fail("expected [NAME], found \"" + std::string(line.substr(0, 80)) + "\"");
    if (name == "global") {
      left_out_ = false;
      current_ = &global_;
      return;
    }
    left_out_ = !sections_.empty() && std::ranges::find(sections_, name) == sections_.end();
    if (left_out_) return;
    jobs_.push_back(global_);
    current_ = &jobs_.back();
    FioJob& job = current_->values.job;
    job.file = lines_->file();
    job.name = std::string(name);
    job.section_line = lines_->line();
  }

  void option(std::string_view line) {
    if (left_out_) return;
    if (current_ == nullptr) fail("option before the first section: \"" + std::string(line.substr(0, 80)) + "\"");
    const std::size_t equals = line.find('=');
    const std::string key(without_blanks(line.substr(0, equals)));
    const bool has_value = equals != std::string_view::npos;
    const FioOption* const option = find_fio_option(key);
    if (option == nullptr) {
      note_error(unknown_option(key));
      return;
    }
    FioJob& job = current_->values.job;
    try {
      if (option->effect == FioOption::Effect::Refused) throw FioValueError("refused: " + option->help);
      const std::string value = has_value ? substituted(without_blanks(line.substr(equals + 1))) : std::string();
      if (has_value && value.empty() && option->effect == FioOption::Effect::Modelled)
        throw FioValueError("value is missing after =");
      if (option->apply != nullptr) {
        option->apply(current_->values, value);
      } else {
        std::erase_if(job.inert, [&](const auto& earlier) { return earlier.first == option->name; });
        job.inert.emplace_back(option->name, value);
      }
    } catch (const FioValueError& error) {
      note_error(key + ": " + error.what());
    }
    job.lines[option->name] = lines_->line();
  }

  // Checks a section as a whole. `before`: the jobs before it.
  static void finish(const Section& section, const std::vector<FioJob>& before) {
    const FioJob& job = section.values.job;
    const auto refuse = [&job](const char* key, const std::string& message) {
      throw WorkloadError(job.file, job.line_of(key), std::string(key) + ": " + message + " (job " + job.name + ")");
    };
    if (const std::string_view reason = find_fio_engine(job.ioengine)->refusal; !reason.empty())
      refuse("ioengine", job.ioengine + " is refused: it " + std::string(reason));
    if (section.error) throw WorkloadError(*section.error);
    if (job.time_based && job.runtime_ps == 0) refuse("time_based", "needs a runtime");
    if (job.write_as == RequestKind::ZoneAppend && !job.zbd.on) refuse("write_mode", "zone_append needs zonemode=zbd");
    if (job.ramp_bytes != 0 && job.ramp_ps != 0) refuse("ramp_size", "beside ramp_time: one of them");
    if (job.sprandom.on) check_sprandom(job, refuse);
    if (job.num_range > 1 && job.zbd.on) refuse("num_range", "a trim is a reset of one zone with zonemode=zbd");
    if (job.num_range > 1 && (job.rw.reads || job.rw.writes)) refuse("num_range", "is of jobs that trim only");
    if (!job.wait_for.empty() && std::none_of(before.begin(), before.end(),
                                              [&job](const FioJob& earlier) { return earlier.name == job.wait_for; }))
      refuse("wait_for", "there is no job \"" + job.wait_for + "\" before this one");
    if (job.stride.size == 0 && job.given("zonemode") && !job.zbd.on && (job.stride.range != 0 || job.stride.skip != 0))
      refuse("zonemode", "strided needs a zonesize");
  }

  // fio looks at all but how places are chosen, zones, loops and time_based.
  template <class Refuse>
  static void check_sprandom(const FioJob& job, const Refuse& refuse) {
    if (!job.rw.random || !job.rw.writes || job.rw.reads || job.rw.trims) refuse("sprandom", "is of rw=randwrite");
    if (job.given("random_generator") && !job.visits_once) refuse("sprandom", "needs random_generator=lfsr");
    if (job.given("norandommap") && !job.norandommap) refuse("sprandom", "needs norandommap=1");
    if (job.nrfiles != 1 || job.filenames.size() > 1) refuse("sprandom", "is of one file");
    if (!job.bs[1].fixed() || job.blockalign[1] != 0) refuse("sprandom", "needs one block size");
    if (job.distribution.kind != FioDistribution::Kind::Uniform || job.percentage_random[1] != 100 || job.rw.run != 1)
      refuse("sprandom", "every write goes to a place of its own choice");
    if (job.zbd.on || job.stride.size != 0) refuse("sprandom", "has no zones");
    if (job.loops != 1 || job.time_based) refuse("sprandom", "is one pass: without loops and time_based");
  }

  void note_error(const std::string& message) {
    if (!current_->error) current_->error.emplace(lines_->file(), lines_->line(), message);
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw WorkloadError(lines_->file(), lines_->line(), message);
  }

  const std::vector<std::string>& sections_;
  bool left_out_ = false;        // the section being read is none of them
  LineReader* lines_ = nullptr;  // of the file being read
  std::uint64_t last_line_ = 0;
  Section global_;
  std::vector<Section> jobs_;
  Section* current_ = nullptr;
};

}  // namespace

std::vector<FioJob> read_fio_jobs(const std::string& path, const std::vector<std::string>& sections) {
  return JobFileParser(sections).parse(path);
}

}  // namespace flashloom
