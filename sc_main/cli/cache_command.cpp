#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/cache_study.hpp"
#include "sc_main/cli/commands.hpp"
#include "sc_main/run/progress.hpp"
#include "sc_main/run/workload_file.hpp"
#include "workloads/file_sink.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

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
          {"footprint_pages", trace.footprint()},
          {"hit_ratio", ratio(hits, references)},
          {"read_hit_ratio", ratio(counts.hits[0], counts.references[0])},
          {"write_hit_ratio", ratio(counts.hits[1], counts.references[1])},
          {"memory_hit_ratio", ratio(hits + dirty_ghosts, references)},
          {"byte_hit_ratio", ratio(both(counts.hit_bytes), both(counts.bytes))}};
}

std::string csv_field(const nlohmann::ordered_json& value) {
  if (value.is_number_float()) return fmt::format("{:.6f}", value.get<double>());
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

void write_csv(const std::vector<nlohmann::ordered_json>& rows, std::ostream& out) {
  const char* separator = "";
  for (const auto& [name, value] : rows.front().items()) {
    out << separator << name;
    separator = ",";
  }
  out << '\n';
  for (const nlohmann::ordered_json& each : rows) {
    separator = "";
    for (const auto& [name, value] : each.items()) {
      out << separator << csv_field(value);
      separator = ",";
    }
    out << '\n';
  }
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
                               ? size.bytes / options.page
                               : static_cast<std::uint64_t>(std::llround(std::min(size.share * footprint, kMost)));
        point.size_pages = std::max<std::uint64_t>(point.size_pages, 1);
        points.push_back(std::move(point));
      }
  return points;
}

std::unique_ptr<RequestSource> open_source(const CacheOptions& options) {
  if (options.generate.empty())
    return open_trace(options.trace.path, {.format = options.trace.format, .parameters = options.trace.parameters});
  return open_generator(read_generator_shorthand(options.generate),
                        {.space = {.capacity = options.space}, .seed = options.seed})
      .source;
}

}  // namespace

int cache_command(const CacheOptions& options, std::ostream& out) {
  Progress progress(options.quiet);
  const auto source = open_source(options);
  const std::uint32_t pages_per_block = options.block / options.page;
  progress.begin_run(source->expected_requests());
  const PageTrace trace = read_page_trace(*source, {.page_bytes = options.page,
                                                    .pages_per_block = pages_per_block,
                                                    .max_requests = options.max_requests,
                                                    .progress = [&](std::uint64_t done) { progress.run(done); }});
  const std::vector<CachePoint> points = points_of(options, trace.footprint());
  const unsigned threads = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  progress.begin_run(points.size() * trace.references.size());
  const std::vector<CacheResult> results =
      run_cache_study(trace, points, pages_per_block, threads, [&](std::uint64_t done) { progress.run(done); });
  progress.end();
  const std::string name =
      options.generate.empty() ? std::filesystem::path(options.trace.path).filename().string() : options.generate;
  std::vector<nlohmann::ordered_json> rows;
  for (std::size_t i = 0; i < points.size(); ++i) rows.push_back(row(name, trace, points[i], results[i]));
  const auto write = [&](std::ostream& to) {
    if (!options.json) {
      write_csv(rows, to);
      return;
    }
    const nlohmann::ordered_json json = {{"schema", "flashloom.cache/1"},
                                         {"trace", name},
                                         {"requests", trace.requests},
                                         {"page_bytes", options.page},
                                         {"block_bytes", options.block},
                                         {"footprint_pages", trace.footprint()},
                                         {"caches", rows}};
    to << json.dump(2) << '\n';
  };
  if (options.out.empty()) {
    write(out);
    return 0;
  }
  FileSink file(options.out);
  write(file.out());
  file.commit();
  return 0;
}

}  // namespace flashloom
