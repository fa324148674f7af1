#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/cache_study.hpp"
#include "sc_main/program/cli/analysis_command.hpp"
#include "sc_main/program/options/cache_options.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/run/progress.hpp"

namespace flashloom {
namespace {

/// One line of the table: names and values, in order.
nlohmann::ordered_json row(const std::string& name, const PageTrace& trace, const CachePoint& point,
                           const CacheResult& result) {
  const CacheCounts& counts = result.counts;
  const auto both = [](const std::uint64_t(&of)[2]) { return of[0] + of[1]; };
  const std::uint64_t references = both(counts.references);
  const std::uint64_t hits = both(counts.hits);
  const std::uint64_t clean_ghosts = both(counts.clean_ghost_hits);
  const std::uint64_t dirty_ghosts = both(counts.dirty_ghost_hits);
  const auto metadata =
      static_cast<std::uint64_t>(std::llround(result.metadata_bytes_per_page * static_cast<double>(result.capacity)));
  return {{"trace", name},
          {"policy", point.label},
          {"memory", point.memory == CacheMemory::Real ? "real" : "equal"},
          {"size_pages", point.size_pages},
          {"capacity_pages", result.capacity},
          {"references", references},
          {"reads", counts.references[0]},
          {"writes", counts.references[1]},
          {"hits", hits},
          {"read_hits", counts.hits[0]},
          {"write_hits", counts.hits[1]},
          {"ghost_hits", clean_ghosts + dirty_ghosts},
          {"clean_ghost_hits", clean_ghosts},
          {"dirty_ghost_hits", dirty_ghosts},
          {"clean_evictions", counts.clean_evictions},
          {"dirty_evictions", counts.dirty_evictions},
          {"pages_written", counts.pages_written},
          {"dirty_at_end", counts.dirty_at_end},
          {"dirty_discarded", counts.dirty_discarded},
          {"write_runs", counts.write_runs},
          {"block_changes", counts.block_changes},
          {"blocks_written", counts.blocks_written},
          {"resident_pages_max", counts.resident_pages_max},
          {"real_pages_max", counts.real_pages_max},
          {"entries_max", counts.entries_max},
          {"metadata_bytes", metadata},
          {"model_bytes", result.model_bytes},
          {"footprint_pages", trace.footprint},
          {"hit_ratio", ratio(hits, references)},
          {"read_hit_ratio", ratio(counts.hits[0], counts.references[0])},
          {"write_hit_ratio", ratio(counts.hits[1], counts.references[1])},
          {"memory_hit_ratio", ratio(hits + dirty_ghosts, references)},
          {"byte_hit_ratio", ratio(both(counts.hit_bytes), both(counts.bytes))}};
}

std::vector<CachePoint> points_of(const CacheOptions& options, std::uint32_t footprint) {
  constexpr double kMost = static_cast<double>(PageReference::kMostPages);
  std::vector<CachePoint> points;
  for (const CacheMemory memory : options.memory)
    for (const CachePoint& policy : options.policies)
      for (const CacheSize& size : options.sizes) {
        CachePoint point = policy;
        point.memory = memory;
        point.size_pages = size.bytes != 0
                               ? size.bytes / options.analysis.page
                               : static_cast<std::uint64_t>(std::llround(std::min(size.share * footprint, kMost)));
        point.size_pages = std::max<std::uint64_t>(point.size_pages, 1);
        points.push_back(std::move(point));
      }
  return points;
}

int cache_command(const CacheOptions& options, std::ostream& out) {
  const AnalysisOptions& analysis = options.analysis;
  Progress progress(analysis.quiet);
  const auto source = open_source(analysis);
  progress.begin_run(source->expected_requests());
  const PageTrace trace = read_page_trace(*source, {.page_bytes = analysis.page,
                                                    .pages_per_block = analysis.pages_per_block(),
                                                    .max_requests = analysis.max_requests,
                                                    .progress = [&](std::uint64_t done) { progress.run(done); }});
  const std::vector<CachePoint> points = points_of(options, trace.footprint);
  progress.begin_run(points.size() * trace.references.size());
  const std::vector<CacheResult> results =
      run_cache_study(trace, points, analysis.pages_per_block(), analysis.thread_count(),
                      [&](std::uint64_t done) { progress.run(done); });
  progress.end();
  const std::string name = analysis.source_name();
  std::vector<nlohmann::ordered_json> rows;
  for (std::size_t i = 0; i < points.size(); ++i) rows.push_back(row(name, trace, points[i], results[i]));
  write_table(analysis,
              {{"schema", "flashloom.cache/1"},
               {"trace", name},
               {"requests", trace.requests},
               {"page_bytes", analysis.page},
               {"block_bytes", analysis.block},
               {"footprint_pages", trace.footprint}},
              "caches", rows, out);
  return 0;
}

const RegisterCommand registered_cache(kCacheCommand, cache_command);

}  // namespace
}  // namespace flashloom
