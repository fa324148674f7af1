#include "workloads/fio/fio_placement.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <utility>

#include "workloads/fio/fio_lists.hpp"
#include "workloads/fio/fio_options.hpp"
#include "workloads/fio/fio_value.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kMostIdentifiers = 128;  // fio's FIO_MAX_DP_IDS
constexpr std::size_t kMostRanges = 32;        // fio's DP_MAX_SCHEME_ENTRIES

template <class Value, std::size_t kCount>
Value one_of(std::string_view text, const std::array<std::pair<const char*, Value>, kCount>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw FioValueError("expected one of " + names + ", found " + quoted(text));
}

/// Reads a number of a line of a scheme file; false: the text is no number.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  text = without_blanks(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

FioPlacement::Directive parse_fio_placement(std::string_view text) {
  using Directive = FioPlacement::Directive;
  return one_of<Directive, 3>(text,
                              {{{"none", Directive::None}, {"fdp", Directive::Fdp}, {"streams", Directive::Streams}}});
}

FioPlacement::Select parse_fio_placement_select(std::string_view text) {
  using Select = FioPlacement::Select;
  return one_of<Select, 3>(
      text, {{{"roundrobin", Select::RoundRobin}, {"random", Select::Random}, {"scheme", Select::Scheme}}});
}

std::vector<std::uint16_t> parse_fio_placement_ids(std::string_view text) {
  std::vector<std::uint16_t> ids;
  for (const std::string_view part : split_fio_list(text, ','))
    ids.push_back(static_cast<std::uint16_t>(parse_fio_integer(without_blanks(part), 0, 0xffff, 1024)));
  if (ids.size() > kMostIdentifiers)
    throw FioValueError("expected at most " + std::to_string(kMostIdentifiers) + " identifiers, found " +
                        std::to_string(ids.size()));
  std::ranges::sort(ids);
  return ids;
}

std::uint16_t parse_fio_write_hint(std::string_view text) {
  return one_of<std::uint16_t, 5>(text, {{{"none", 0}, {"short", 1}, {"medium", 2}, {"long", 3}, {"extreme", 4}}});
}

std::vector<FioOption> fio_placement_options() {
  using S = FioSection;
  using V = std::string_view;
  return {
      {"dataplacement",
       {"data_placement"},
       "directive of writes: none, fdp (placement identifiers), streams (identifiers of the streams directive)",
       [](S& s, V v) { s.job.placement.directive = parse_fio_placement(v); }},
      {"dp_scheme",
       {},
       "file of lines BEGIN, END, IDENTIFIER: plid_select=scheme gives writes of these offsets that identifier",
       [](S& s, V v) { s.job.placement.scheme = std::string(v); }},
      {"fdp",
       {},
       "as dataplacement=fdp",
       [](S& s, V v) {
         if (parse_fio_bool(v)) s.job.placement.directive = FioPlacement::Directive::Fdp;
       }},
      {"plid_select",
       {"fdp_pli_select"},
       "which placement identifier is next: roundrobin, random, scheme",
       [](S& s, V v) { s.job.placement.select = parse_fio_placement_select(v); }},
      {"plids",
       {"fdp_pli"},
       "placement identifiers of the job: numbers in the device's list (fdp), or stream identifiers; default: all",
       [](S& s, V v) { s.job.placement.ids = parse_fio_placement_ids(v); }},
      {"write_hint",
       {},
       "lifetime of what is written: none, short, medium, long, extreme; a stream each, of ftl.streams = host",
       [](S& s, V v) { s.job.placement.hint = parse_fio_write_hint(v); }},
  };
}

FioPlacer::FioPlacer(const FioJob& job, std::size_t files, const DeviceSpace& device, std::uint64_t seed)
    : select_(job.placement.select), next_(files), random_(derived_seed(seed, 0x706c616365)) {
  const FioPlacement& given = job.placement;
  if (given.directive == FioPlacement::Directive::None) {
    // Linux 4.13 to 5.16 passed each hint on as a stream (nvme_assign_write_stream).
    if (given.hint == 0) return;
    directive_ = RequestDirective::Streams;
    select_ = FioPlacement::Select::RoundRobin;
    identifiers_ = {given.hint};
    return;
  }
  directive_ =
      given.directive == FioPlacement::Directive::Fdp ? RequestDirective::DataPlacement : RequestDirective::Streams;
  if (select_ == FioPlacement::Select::Scheme) scheme_ = read_scheme(job);
  identifiers_ = given.ids;
  if (given.directive == FioPlacement::Directive::Streams) {
    if (identifiers_.empty() && select_ != FioPlacement::Select::Scheme)
      throw WorkloadError(job.file, job.line_of("dataplacement"),
                          "dataplacement=streams: plids is missing: it gives the identifiers of the streams");
    return;
  }
  if (!device.placement_identifiers) {  // the device is not known
    if (identifiers_.empty()) identifiers_ = {0};
    return;
  }
  const std::vector<std::uint16_t>& all = *device.placement_identifiers;
  if (all.empty())
    throw WorkloadError(job.file, job.line_of(job.given("dataplacement") ? "dataplacement" : "fdp"),
                        "flexible data placement: the device has none; set fdp.groups of the device file");
  if (identifiers_.empty()) identifiers_ = all;
  if (given.ids.empty()) return;
  for (std::uint16_t& id : identifiers_) {
    if (id >= all.size())
      throw WorkloadError(job.file, job.line_of("plids"),
                          "plids: " + std::to_string(id) + " is none of the device's " + std::to_string(all.size()) +
                              " placement identifiers; valid: 0 to " + std::to_string(all.size() - 1));
    id = all[id];
  }
}

// Reads lines "BEGIN, END, IDENTIFIER" of offsets in each file. As in fio the path is relative to the working
// directory.
std::vector<FioPlacer::Range> FioPlacer::read_scheme(const FioJob& job) {
  const std::string& path = job.placement.scheme;
  if (path.empty())
    throw WorkloadError(job.file, job.line_of("plid_select"),
                        "plid_select=scheme: dp_scheme is missing: it names the file of the scheme");
  std::ifstream file(path);
  if (!file) throw WorkloadError(job.file, job.line_of("dp_scheme"), "dp_scheme: cannot read \"" + path + "\"");
  std::vector<Range> ranges;
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    if (without_blanks(line).empty()) continue;
    const std::vector<std::string_view> parts = split_fio_list(line, ',');
    Range range{};
    if (parts.size() != 3 || !read_number(parts[0], range.begin) || !read_number(parts[1], range.end) ||
        !read_number(parts[2], range.identifier) || range.begin >= range.end)
      throw WorkloadError(path, number, "expected BEGIN, END, IDENTIFIER with BEGIN below END, found \"" + line + "\"");
    if (ranges.size() == kMostRanges)
      throw WorkloadError(path, number, "more than the " + std::to_string(kMostRanges) + " ranges that fio takes");
    ranges.push_back(range);
  }
  if (ranges.empty()) throw WorkloadError(path, 1, "no range: expected lines BEGIN, END, IDENTIFIER");
  return ranges;
}

std::uint16_t FioPlacer::by_scheme(std::uint64_t offset) const {
  for (const Range& range : scheme_)
    if (offset >= range.begin && offset < range.end) return range.identifier;
  return 0;
}

void FioPlacer::choose(Request& request, std::size_t file, std::uint64_t offset) {
  request.directive = directive_;
  switch (select_) {
    case FioPlacement::Select::RoundRobin: {
      std::size_t& next = next_[file];
      request.identifier = identifiers_[next];
      next = next + 1 == identifiers_.size() ? 0 : next + 1;
      return;
    }
    case FioPlacement::Select::Random:
      request.identifier = identifiers_[static_cast<std::size_t>(random_.below(identifiers_.size()))];
      return;
    case FioPlacement::Select::Scheme:
      request.identifier = by_scheme(offset);
      return;
  }
}

}  // namespace flashloom
