#include "analysis/day_info.hpp"

#include <cstdio>
#include <utility>

#include "analysis/ratio.hpp"

namespace flashloom {
namespace {

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

double DayInfo::write_share() const { return ratio(write_bytes, read_bytes + write_bytes); }

const DayInfo& DayAnalysis::add(const std::string& name, RequestSource& source, std::uint64_t offset) {
  DayInfo& day = days_.emplace_back();
  day.name = name;
  PageSet touched;
  PageSet written;
  Request request;
  while (source.next(request)) {
    ++day.requests;
    if ((request.kind != RequestKind::Read && request.kind != RequestKind::Write) || request.length == 0) continue;
    const bool write = request.kind == RequestKind::Write;
    ++(write ? day.writes : day.reads);
    (write ? day.write_bytes : day.read_bytes) += request.length;
    const std::uint64_t begin = offset + request.offset;
    const std::uint64_t first = begin / DayInfo::kPage;
    const std::uint64_t pages = (begin + request.length - 1) / DayInfo::kPage - first + 1;
    day.accesses += pages;
    day.repeated_accesses += pages - touched.add(first, pages);
    day.earlier_accesses += earlier_.count(first, pages);
    if (write) written.add(first, pages);
  }
  day.footprint_pages = touched.size();
  day.written_pages = written.size();
  day.previous_pages = touched.common(previous_);
  day.earlier_pages = touched.common(earlier_);
  earlier_.add(touched);
  previous_ = std::move(touched);
  return day;
}

nlohmann::ordered_json to_json(const DayAnalysis& analysis, const std::string& name) {
  using Json = nlohmann::ordered_json;
  Json jobs = Json::array();
  for (const DayInfo& day : analysis.days())
    jobs.push_back(Json{{"name", day.name},
                        {"requests", day.requests},
                        {"reads", day.reads},
                        {"writes", day.writes},
                        {"read_bytes", day.read_bytes},
                        {"write_bytes", day.write_bytes},
                        {"write_share", day.write_share()},
                        {"footprint_bytes", day.footprint_pages * DayInfo::kPage},
                        {"written_footprint_bytes", day.written_pages * DayInfo::kPage},
                        {"repeated_share", ratio(day.repeated_accesses, day.accesses)},
                        {"footprint_of_previous_share", ratio(day.previous_pages, day.footprint_pages)},
                        {"footprint_of_earlier_share", ratio(day.earlier_pages, day.footprint_pages)},
                        {"accesses_to_earlier_share", ratio(day.earlier_accesses, day.accesses)}});
  return {{"schema", "flashloom.workload_info/1"},
          {"workload", name},
          {"footprint_bytes", analysis.footprint_pages() * DayInfo::kPage},
          {"jobs", std::move(jobs)}};
}

std::string to_text(const DayAnalysis& analysis, const std::string& name) {
  std::string text = name + "\n";
  char line[256];
  const auto add = [&](const char* format, auto... values) {
    std::snprintf(line, sizeof line, format, values...);
    text += line;
  };
  add("  %-16s %10s %10s %10s %8s %10s %9s %9s %9s %9s\n", "job", "requests", "read MiB", "write MiB", "writes",
      "foot MiB", "repeated", "of prev.", "of all", "accesses");
  for (const DayInfo& day : analysis.days())
    add("  %-16s %10llu %10.1f %10.1f %6.1f %% %10.1f %7.1f %% %7.1f %% %7.1f %% %7.1f %%\n", day.name.c_str(),
        static_cast<unsigned long long>(day.requests), mebibytes(day.read_bytes), mebibytes(day.write_bytes),
        100 * day.write_share(), mebibytes(day.footprint_pages * DayInfo::kPage),
        100 * ratio(day.repeated_accesses, day.accesses), 100 * ratio(day.previous_pages, day.footprint_pages),
        100 * ratio(day.earlier_pages, day.footprint_pages), 100 * ratio(day.earlier_accesses, day.accesses));
  add("  footprint of all: %.1f MiB\n", mebibytes(analysis.footprint_pages() * DayInfo::kPage));
  text +=
      "  writes: share of the bytes; repeated: accesses to 4 KiB pages that the job has accessed before;\n"
      "  of prev., of all: the footprint that is in the previous job's, in all earlier ones'; accesses: to the "
      "latter\n";
  return text;
}

}  // namespace flashloom
