#include "sc_main/program/options/cache_options.hpp"

#include <CLI/CLI.hpp>

#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kCacheDescription = R"(
Runs a trace through caches, without time: what each policy makes of it at each size. One pass over the trace serves
all of them, on all cores. The table goes to the output as CSV (columns: docs/reference/cache.md).

TRACE may carry keys: format, and the format's own, as in trace.csv,format=disksim,time_unit=ms. Or --generate makes the
requests, as for `flashloom run`.
Policies: `flashloom list replacement` and `flashloom list replacement_offline`, which know the future; "all" is every
one. Parameters follow a colon: cflru:window=50%,dld_arc:mode=literal,pages_per_block=128,lru.
Sizes: "64 MiB", or a share of the pages that the trace touches: "10 %".)";

constexpr const char* kCacheExamples = R"(
  flashloom cache t.csv.gz --policy lru,arc,belady --size 1%,5%,10%,20%
  flashloom cache t.csv.gz --policy cflru:window=10%,cflru:window=50%,dld_arc --size 16MiB,64MiB --memory both
  flashloom cache OLTP.lis --page 512B --policy lru,arc --size 500KiB > oltp.csv
  flashloom cache --generate iozone:close=true --policy dld_arc,cflru,belady --size 4MiB)";

std::vector<std::string> policy_names() {
  std::vector<std::string> names = part_names(ReplacementPolicy::kFamily);
  for (const std::string& name : part_names(kOfflineReplacementFamily)) names.push_back(name);
  return names;
}

CachePoint parse_policy(const std::string& text) {
  const std::string name = split_list(text.substr(0, text.find(':'))).front();
  const bool offline = PartCatalog::instance().find(kOfflineReplacementFamily, name) != nullptr;
  std::vector<std::string> valid = policy_names();
  valid.insert(valid.begin(), "all");
  CachePoint point;
  point.policy = parse_part("--policy", text, offline ? kOfflineReplacementFamily : ReplacementPolicy::kFamily, valid);
  point.label = part_label(point.policy, text);
  return point;
}

CacheSize parse_size(const std::string& text, std::uint32_t page) {
  CacheSize size{.text = text};
  try {
    if (text.ends_with('%'))
      size.share = parse_real(Quantity::Ratio, text);
    else
      size.bytes = parse_exact(Quantity::Bytes, text);
  } catch (const QuantityError& error) {
    throw UsageError("--size: " + std::string(error.what()) + "; or a share of the trace's pages, as 10%");
  }
  if (size.bytes == 0 && !(size.share > 0)) throw UsageError("--size: \"" + text + "\": must be greater than 0");
  if (size.bytes != 0 && size.bytes < page) throw UsageError("--size: \"" + text + "\" is less than a page");
  return size;
}

std::vector<CacheMemory> parse_memory(const std::string& text) {
  if (text == "real") return {CacheMemory::Real};
  if (text == "equal") return {CacheMemory::Equal};
  if (text == "both") return {CacheMemory::Real, CacheMemory::Equal};
  throw UsageError("--memory: \"" + text + "\" is none of real, equal, both");
}

/// The same options as CLI11 collects them, unchecked.
struct RawCacheOptions {
  RawAnalysisOptions analysis;
  std::string policy, size, memory = "real";
};

void add_cache(CLI::App& command, RawCacheOptions& raw) {
  add_analysis(command, raw.analysis);
  command.add_option("--policy", raw.policy, "replacement policies, each with its parameters")
      ->type_name("POLICY[:PARAMETER=VALUE,...],...");
  command.add_option("--size", raw.size, "sizes of the cache: bytes, or shares of the trace's pages")
      ->type_name("SIZE,...");
  command
      .add_option("--memory", raw.memory,
                  "what a size counts: real (default), the pages of the real cache; equal, all memory, ghosts and "
                  "metadata too; both")
      ->type_name("real|equal|both");
}

CacheOptions checked_cache(const RawCacheOptions& raw) {
  CacheOptions cache{.analysis = checked_analysis("cache", raw.analysis)};
  if (raw.policy.empty()) throw UsageError("cache: no policy given; say --policy, as lru,arc (or all)");
  if (raw.size.empty()) throw UsageError("cache: no size given; say --size, as 64MiB,10%");
  for (const std::string& text : split_parts(raw.policy)) {
    if (text != "all") {
      cache.policies.push_back(parse_policy(text));
      continue;
    }
    for (const std::string& name : policy_names()) cache.policies.push_back(parse_policy(name));
  }
  for (const std::string& text : split_list(raw.size)) cache.sizes.push_back(parse_size(text, cache.analysis.page));
  cache.memory = parse_memory(raw.memory);
  return cache;
}

}  // namespace

constinit const CommandEntry kCacheCommand{.name = "cache",
                                           .place = 90,
                                           .summary = "What cache replacement policies make of a trace, without time",
                                           .description = kCacheDescription,
                                           .examples = kCacheExamples,
                                           .add = &add_command<RawCacheOptions, add_cache, checked_cache>};

}  // namespace flashloom
