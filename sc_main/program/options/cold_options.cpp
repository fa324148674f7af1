#include "sc_main/program/options/cold_options.hpp"

#include <CLI/CLI.hpp>

#include "policies/correlation/correlation.hpp"
#include "policies/nearest.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "policies/write_buffer/write_buffer.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kColdDescription = R"(
How much of what a trace updates is correlated: it belongs to a set of pages that, by COLD's detectors, will be updated
together. A write buffer of each size, without flash below it, has its sets counted as they leave. The table goes to the
output as CSV (columns: docs/reference/cold.md).

TRACE may carry keys: format, and the format's own, as in trace.csv,format=disksim,time_unit=ms. Or --generate makes the
requests, as for `flashloom run`.
Detectors: `flashloom list correlation`. Delta is the least size of a set, in pages; with "both" of a run, beside windows
of four. Runs are as long as they are: nothing cuts them here.)";

constexpr const char* kColdExamples = R"(
  flashloom cold proj_0.csv.gz --delta 4,16,64 --buffer 16MiB
  flashloom cold t.csv --delta 16 --buffer 1MiB,16MiB,64MiB --detector spatial,request --page 8KiB
  flashloom cold t.csv --delta 4 --buffer 16MiB --policy block_lru --block 2MiB)";

std::uint32_t parse_buffer(const std::string& text, std::uint32_t page) {
  constexpr std::uint64_t kMostPages = std::uint64_t{1} << 24;  // with kNoLimit: a set of pages is then never cut
  std::uint64_t bytes = 0;
  try {
    bytes = parse_exact(Quantity::Bytes, text);
  } catch (const QuantityError& error) {
    throw UsageError("--buffer: " + std::string(error.what()));
  }
  if (bytes < page) throw UsageError("--buffer: \"" + text + "\" is less than a page");
  if (bytes / page > kMostPages) throw UsageError("--buffer: \"" + text + "\" is more than 2^24 pages");
  return static_cast<std::uint32_t>(bytes / page);
}

/// The same options as CLI11 collects them, unchecked.
struct RawColdOptions {
  RawAnalysisOptions analysis;
  std::string detector = "spatial,temporal", delta, buffer, policy = "lru";
};

void add_cold(CLI::App& command, RawColdOptions& raw) {
  add_analysis(command, raw.analysis);
  command.add_option("--delta", raw.delta, "least pages of a set")->type_name("N,...");
  command.add_option("--buffer", raw.buffer, "sizes of the write buffer")->type_name("SIZE,...");
  command.add_option("--detector", raw.detector, "correlation detectors; default: spatial,temporal")
      ->type_name("DETECTOR,...");
  command
      .add_option("--policy", raw.policy,
                  "what leaves the buffer: a replacement or a write_buffer policy; default: lru")
      ->type_name("BUFFER_POLICY[:PARAMETER=VALUE,...]");
}

ColdOptions checked_cold(const RawColdOptions& raw) {
  ColdOptions cold{.analysis = checked_analysis("cold", raw.analysis)};
  if (raw.delta.empty()) throw UsageError("cold: no threshold given; say --delta, as 4,16,64");
  if (raw.buffer.empty()) throw UsageError("cold: no size of the buffer given; say --buffer, as 16MiB");
  for (const std::string& text : split_list(raw.delta)) {
    const std::uint64_t delta = parse_count("--delta", text, 2);
    if (delta > 65536) throw UsageError("--delta: \"" + text + "\" is out of range; valid: 2 .. 65536");
    cold.deltas.push_back(static_cast<std::uint32_t>(delta));
  }
  for (const std::string& text : split_list(raw.buffer)) cold.buffers.push_back(parse_buffer(text, cold.analysis.page));
  std::vector<std::string> detectors = part_names(CorrelationDetector::kFamily);
  std::erase(detectors, "none");
  for (const std::string& name : split_list(raw.detector)) {
    if (std::find(detectors.begin(), detectors.end(), name) == detectors.end()) {
      throw UsageError("--detector: unknown detector \"" + name + "\"" + did_you_mean(name, detectors) +
                       "; valid: " + join_names(detectors));
    }
    cold.detectors.push_back(name);
  }
  std::vector<std::string> policies = part_names(ReplacementPolicy::kFamily);
  for (const std::string& name : part_names(WriteBufferPolicy::kFamily)) policies.push_back(name);
  const std::string name = split_list(raw.policy.substr(0, raw.policy.find(':'))).front();
  cold.blocks = PartCatalog::instance().find(ReplacementPolicy::kFamily, name) == nullptr;
  cold.policy = parse_part("--policy", raw.policy,
                           cold.blocks ? WriteBufferPolicy::kFamily : ReplacementPolicy::kFamily, policies);
  cold.policy_label = part_label(cold.policy, raw.policy);
  return cold;
}

}  // namespace

constinit const CommandEntry kColdCommand{
    .name = "cold",
    .place = 100,
    .summary = "How much of what a trace updates is correlated (COLD), without time",
    .description = kColdDescription,
    .examples = kColdExamples,
    .add = &add_command<RawColdOptions, add_cold, checked_cold>};

}  // namespace flashloom
