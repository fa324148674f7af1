#include "sc_main/cli/cache_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "policies/nearest.hpp"
#include "policies/replacement/replacement.hpp"
#include "sc_main/cli/options.hpp"
#include "sc_main/config/part_choice.hpp"
#include "sc_main/config/quantity.hpp"

namespace flashloom {
namespace {

constexpr const char* kFooter = R"(
Runs a trace through caches, without time: what each policy makes of it at each size. One pass over the trace serves
all of them, on all cores. The table goes to the output as CSV (columns: docs/cache.md).

TRACE may carry keys: format, and the format's own, as in trace.csv,format=disksim,time_unit=ms. Or --generate makes the
requests, as for `flashloom run`.
Policies: `flashloom list replacement` and `flashloom list replacement_offline`, which know the future; "all" is every
one. Parameters follow a colon: cflru:window=50%,dld_arc:mode=literal,pages_per_block=128,lru.
Sizes: "64 MiB", or a share of the pages that the trace touches: "10 %".

Examples:
  flashloom cache t.csv.gz --policy lru,arc,belady --size 1%,5%,10%,20%
  flashloom cache t.csv.gz --policy cflru:window=10%,cflru:window=50%,dld_arc --size 16MiB,64MiB --memory both
  flashloom cache OLTP.lis --page 512B --policy lru,arc --size 500KiB > oltp.csv
  flashloom cache --generate iozone:close=true --policy dld_arc,cflru,belady --size 4MiB)";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

/// "a,b:k=v,l=w,c" are three: an assignment without a name before it belongs to the one before.
std::vector<std::string> split_policies(const std::string& text) {
  std::vector<std::string> policies;
  for (const std::string& part : split(text)) {
    const std::size_t equals = part.find('=');
    const bool continues = !policies.empty() && equals != std::string::npos && part.find(':') > equals &&
                           policies.back().find(':') != std::string::npos;
    if (continues)
      policies.back() += "," + part;
    else
      policies.push_back(part);
  }
  return policies;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const char* family : {ReplacementPolicy::kFamily, kOfflineReplacementFamily})
    for (const PartInfo* part : PartCatalog::instance().parts(family)) names.push_back(part->name);
  return names;
}

CachePoint parse_policy(const std::string& text) {
  const std::string where = "--policy " + text;
  const std::size_t colon = text.find(':');
  const std::string name = trimmed(text.substr(0, colon));
  const bool offline = PartCatalog::instance().find(kOfflineReplacementFamily, name) != nullptr;
  if (!offline && PartCatalog::instance().find(ReplacementPolicy::kFamily, name) == nullptr) {
    const auto near = nearest_names(name, policy_names(), 1);
    throw UsageError("--policy: unknown policy \"" + name + "\"" +
                     (near.empty() ? "" : " (did you mean \"" + near.front() + "\"?)") + "; valid: all, " +
                     join_names(policy_names()));
  }
  ConfigNode part{ConfigNode::Table{}, where};
  part.table().emplace_back("name", ConfigNode{name, where});
  if (colon != std::string::npos) {
    for (const std::string& assignment : split(text.substr(colon + 1))) {
      const std::size_t equals = assignment.find('=');
      if (equals == std::string::npos || equals == 0)
        throw UsageError("--policy: \"" + assignment + "\" of \"" + text +
                         "\" is not parameter=value, as in cflru:window=50%");
      part.table().emplace_back(trimmed(assignment.substr(0, equals)),
                                parse_value(trimmed(assignment.substr(equals + 1)), where));
    }
  }
  CachePoint point;
  point.policy = read_part(part, name, offline ? kOfflineReplacementFamily : ReplacementPolicy::kFamily, name);
  point.label = point.policy.name + (colon == std::string::npos ? "" : text.substr(colon));
  std::replace(point.label.begin(), point.label.end(), ',', ';');  // it stands in a CSV field
  std::erase(point.label, ' ');
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

std::uint32_t parse_page(const std::string& option, const std::string& text, std::uint64_t least) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  std::uint64_t bytes = 0;
  try {
    bytes = parse_exact(Quantity::Bytes, text);
  } catch (const QuantityError& error) {
    throw UsageError(option + ": " + error.what());
  }
  if (bytes < least || bytes > kMost)
    throw UsageError(option + ": \"" + text + "\" is out of range; valid: " + format_exact(Quantity::Bytes, least) +
                     " .. " + format_exact(Quantity::Bytes, kMost));
  return static_cast<std::uint32_t>(bytes);
}

/// The trace, or the generator with what goes with it.
void read_workload(const RawCacheOptions& raw, CacheOptions& cache) {
  if (raw.trace.empty() == raw.generate.empty())
    throw UsageError(raw.trace.empty() ? "cache: no trace given; name a TRACE, or say --generate NAME"
                                       : "cache: give a TRACE or --generate, not both of them");
  if (!raw.trace.empty()) {
    if (!raw.space.empty() || !raw.seed.empty())
      throw UsageError(std::string(raw.space.empty() ? "--seed" : "--space") + ": goes with --generate");
    cache.trace = parse_trace(raw.trace, {});
    if (cache.trace.offset || cache.trace.size)
      throw UsageError("cache: " + cache.trace.path +
                       ": offset and size place a trace on a device; there is none here");
    return;
  }
  cache.generate = raw.generate;
  if (!raw.seed.empty()) cache.seed = parse_count("--seed", raw.seed, 0);
  if (raw.space.empty()) return;
  try {
    cache.space = parse_exact(Quantity::Bytes, raw.space);
  } catch (const QuantityError& error) {
    throw UsageError("--space: " + std::string(error.what()));
  }
  if (cache.space == 0) throw UsageError("--space: must be greater than 0");
}

std::vector<CacheMemory> parse_memory(const std::string& text) {
  if (text == "real") return {CacheMemory::Real};
  if (text == "equal") return {CacheMemory::Equal};
  if (text == "both") return {CacheMemory::Real, CacheMemory::Equal};
  throw UsageError("--memory: \"" + text + "\" is none of real, equal, both");
}

}  // namespace

CLI::App* add_cache(CLI::App& app, RawCacheOptions& raw) {
  CLI::App* cache = app.add_subcommand("cache", "What cache replacement policies make of a trace, without time");
  cache->add_option("trace", raw.trace, "block trace, plain or compressed")->type_name("TRACE[,KEY=VALUE...]");
  cache->add_option("--generate", raw.generate, "workload generator (`flashloom list generator`), in place of a trace")
      ->type_name("NAME[:PARAMETER=VALUE,...]");
  cache->add_option("--space", raw.space, "with --generate: the device that it addresses; default: 1 GiB")
      ->type_name("SIZE");
  cache->add_option("--seed", raw.seed, "with --generate: of its random choices; default: 1")->type_name("N");
  cache->add_option("--policy", raw.policy, "replacement policies, each with its parameters")
      ->type_name("NAME[:PARAMETER=VALUE,...],...");
  cache->add_option("--size", raw.size, "sizes of the cache: bytes, or shares of the trace's pages")
      ->type_name("SIZE,...");
  cache->add_option("--page", raw.page, "page of the cache; default: 4 KiB")->type_name("SIZE");
  cache->add_option("--block", raw.block, "erase block of the flash below; default: 64 pages")->type_name("SIZE");
  cache
      ->add_option("--memory", raw.memory,
                   "what a size counts: real (default), the pages of the real cache; equal, all memory, ghosts and "
                   "metadata too; both")
      ->type_name("WHAT");
  cache->add_option("--format", raw.format, "csv (default) or json")->type_name("FORM");
  cache->add_option("--max-requests", raw.max_requests, "stop after so many requests of the trace")->type_name("N");
  cache->add_option("--threads", raw.threads, "caches at a time; default: one a core")->type_name("N");
  cache->add_option("--out", raw.out, "file, compressed if it ends in .gz, .zst or .xz; default: print the table")
      ->type_name("FILE");
  cache->add_flag("--quiet", raw.quiet, "no progress");
  cache->footer(kFooter);
  return cache;
}

CacheOptions checked_cache(const RawCacheOptions& raw) {
  CacheOptions cache;
  read_workload(raw, cache);
  if (raw.policy.empty()) throw UsageError("cache: no policy given; say --policy, as lru,arc (or all)");
  if (raw.size.empty()) throw UsageError("cache: no size given; say --size, as 64MiB,10%");
  cache.page = parse_page("--page", raw.page, 512);
  cache.block = 64 * std::uint64_t{cache.page} > UINT32_MAX ? cache.page : 64 * cache.page;
  if (!raw.block.empty()) cache.block = parse_page("--block", raw.block, cache.page);
  if (cache.block % cache.page != 0) throw UsageError("--block: \"" + raw.block + "\" is not a whole number of pages");
  for (const std::string& text : split_policies(raw.policy)) {
    if (text != "all") {
      cache.policies.push_back(parse_policy(text));
      continue;
    }
    for (const std::string& name : policy_names()) cache.policies.push_back(parse_policy(name));
  }
  for (const std::string& text : split(raw.size)) cache.sizes.push_back(parse_size(text, cache.page));
  cache.memory = parse_memory(raw.memory);
  if (raw.format != "csv" && raw.format != "json")
    throw UsageError("--format: \"" + raw.format +
                     "\" is neither csv nor json; the trace's format is a key of it, as trace.txt,format=blkparse");
  cache.json = raw.format == "json";
  if (!raw.max_requests.empty()) cache.max_requests = parse_count("--max-requests", raw.max_requests, 1);
  if (!raw.threads.empty())
    cache.threads = static_cast<unsigned>(std::min<std::uint64_t>(parse_count("--threads", raw.threads, 1), 1024));
  cache.out = raw.out;
  cache.quiet = raw.quiet;
  return cache;
}

}  // namespace flashloom
