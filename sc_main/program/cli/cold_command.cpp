#include <nlohmann/json.hpp>

#include "analysis/cold_study.hpp"
#include "sc_main/assembly/config/part_choice.hpp"
#include "sc_main/program/cli/analysis_command.hpp"
#include "sc_main/program/options/cold_options.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/run/progress.hpp"

namespace flashloom {
namespace {

constexpr std::int64_t kNoLimit = 1 << 24;  // pages of a set: as many as in the largest buffer

struct Point {
  std::string detector;
  std::uint32_t delta;
  std::uint32_t buffer;
};

std::vector<Point> points_asked(const ColdOptions& options) {
  std::vector<Point> points;
  for (const std::string& detector : options.detectors)
    for (const std::uint32_t buffer : options.buffers)
      for (const std::uint32_t delta : options.deltas) points.push_back({detector, delta, buffer});
  return points;
}

ColdPoint cold_point(const ColdOptions& options, const Point& point) {
  PolicyChoice detector = complete_part({point.detector, {}}, "correlation");
  auto values = detector.parameters.all();
  values["threshold"] = std::int64_t{point.delta};
  if (values.contains("limit")) values["limit"] = kNoLimit;
  detector.parameters = ParameterValues(std::move(values));
  return {.detector = detector, .policy = options.policy, .blocks = options.blocks, .buffer_pages = point.buffer};
}

int cold_command(const ColdOptions& options, std::ostream& out) {
  const AnalysisOptions& analysis = options.analysis;
  Progress progress(analysis.quiet);
  const auto source = open_source(analysis);
  progress.begin_run(source->expected_requests());
  const RangeTrace trace =
      read_range_trace(*source, analysis.page, analysis.max_requests, [&](std::uint64_t done) { progress.run(done); });
  const std::vector<Point> points = points_asked(options);
  std::vector<ColdPoint> cold_points;
  cold_points.reserve(points.size());
  for (const Point& point : points) cold_points.push_back(cold_point(options, point));
  progress.begin_run(points.size() * trace.pages);
  const std::vector<ColdCounts> results =
      run_cold_study(trace, cold_points, analysis.pages_per_block(), analysis.thread_count(),
                     [&](std::uint64_t done) { progress.run(done); });
  progress.end();
  constexpr double kGigabyte = 1e9;
  std::vector<nlohmann::ordered_json> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ColdCounts& counts = results[i];
    rows.push_back({{"trace", analysis.source_name()},
                    {"detector", points[i].detector},
                    {"delta", points[i].delta},
                    {"policy", options.policy_label},
                    {"buffer_pages", points[i].buffer},
                    {"requests", trace.requests},
                    {"total_gb", static_cast<double>(trace.read_bytes + trace.write_bytes) / kGigabyte},
                    {"read_gb", static_cast<double>(trace.read_bytes) / kGigabyte},
                    {"write_gb", static_cast<double>(trace.write_bytes) / kGigabyte},
                    {"pages_written", counts.pages_written},
                    {"pages_left", counts.left},
                    {"pages_left_in_sets", counts.left_in_sets},
                    {"sets", counts.sets},
                    {"mean_set_pages", ratio(counts.left_in_sets, counts.sets)},
                    {"largest_set_pages", counts.largest_set},
                    {"pages_updated", counts.updated},
                    {"pages_updated_in_sets", counts.updated_in_sets},
                    {"pages_updated_together", counts.updated_together},
                    {"left_in_sets_share", ratio(counts.left_in_sets, counts.left)},
                    {"updated_in_sets_share", ratio(counts.updated_in_sets, counts.updated)},
                    {"updated_together_share", ratio(counts.updated_together, counts.updated)}});
  }
  write_table(analysis,
              {{"schema", "flashloom.cold/1"},
               {"trace", analysis.source_name()},
               {"page_bytes", analysis.page},
               {"block_bytes", analysis.block}},
              "buffers", rows, out);
  return 0;
}

const RegisterCommand registered_cold(kColdCommand, cold_command);

}  // namespace
}  // namespace flashloom
