#include "sc_main/program/options/sample_options.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

void take_segment_folder(const RawSampleOptions& raw, SampleOptions& sample) {
  sample.folder = raw.folder;
  if (raw.only.empty()) return;
  if (sample.folder.empty()) throw UsageError("--segments-only: is of --segments-folder, which is not given");
  if (raw.only == "pass") {
    sample.step = SegmentStep::Pass;
  } else if (raw.only == "merge") {
    sample.step = SegmentStep::Merge;
  } else if (raw.only.find_first_not_of("0123456789") != std::string::npos) {
    throw UsageError("--segments-only: \"" + raw.only + "\" is none of pass, merge, and no number of a segment");
  } else {
    sample.step = SegmentStep::One;
    sample.segment = parse_count("--segments-only", raw.only, 1) - 1;
    if (sample.segment >= sample.segments)
      throw UsageError("--segments-only: there is no segment " + raw.only + "; valid: 1 .. " + raw.segments);
  }
}

}  // namespace

void add_sample_options(CLI::App& command, RawSampleOptions& raw) {
  command
      .add_option("--segments", raw.segments,
                  "simulate all of the run in time, in N segments beside each other, each from where the instant clock "
                  "has come to")
      ->type_name("N");
  command
      .add_option("--segments-folder", raw.folder,
                  "hand the segments over in files of DIR: a run that was stopped goes on where it was")
      ->type_name("DIR")
      ->check(named_path);
  command
      .add_option(
          "--segments-only", raw.only,
          "of this: the pass on the instant clock, segment K (from 1), or put the pieces together; for jobs of a "
          "cluster")
      ->type_name("pass|K|merge");
  command.add_flag("--sample", raw.on,
                   "simulate windows of the run in time and the rest on the instant clock; results have intervals");
  command
      .add_option("--sample-windows", raw.windows,
                  "how many; default: 20 to 50, by the length of the run, more if it varies")
      ->type_name("N");
  command
      .add_option("--sample-requests", raw.requests, "of each window, its warm-up included; default: by device and run")
      ->type_name("N");
  command
      .add_option("--sample-warm-up", raw.warm_up,
                  "of them, requests that are not measured; default: found by the first windows")
      ->type_name("N");
  command
      .add_option("--sample-placement", raw.placement, "of the windows in their strata: random (default), systematic")
      ->type_name("random|systematic");
  command.add_option("--sample-seed", raw.seed, "seed of random places; default: the run's")->type_name("N");
  command
      .add_option("--sample-error", raw.error,
                  "more windows, until the 95 % intervals of throughput and mean latency are within +- so much")
      ->type_name("X%");
}

SampleOptions checked_sample(const RawSampleOptions& raw) {
  constexpr std::uint64_t kFewest = 5;
  constexpr std::uint64_t kMost = 100'000;
  const std::pair<const char*, const std::string*> values[] = {
      {"--sample-windows", &raw.windows},     {"--sample-requests", &raw.requests}, {"--sample-warm-up", &raw.warm_up},
      {"--sample-placement", &raw.placement}, {"--sample-seed", &raw.seed},         {"--sample-error", &raw.error}};
  SampleOptions sample;
  if (!raw.segments.empty()) {
    if (raw.on || !raw.error.empty()) throw UsageError("--segments: does not go together with --sample");
    sample.segments = parse_count("--segments", raw.segments, 2);
    if (sample.segments > kMost) throw UsageError("--segments: " + raw.segments + " is too many; valid: 2 .. 100000");
  }
  for (const auto& [option, value] : {std::pair{"--segments-folder", &raw.folder}, {"--segments-only", &raw.only}})
    if (sample.segments == 0 && !value->empty())
      throw UsageError(std::string(option) + ": is of --segments, which is not given");
  take_segment_folder(raw, sample);
  sample.on = raw.on || !raw.error.empty();
  for (const auto& [option, value] : values)
    if (!sample.on && !value->empty()) throw UsageError(std::string(option) + ": is of --sample, which is not given");
  if (!sample.on) return sample;
  if (!raw.windows.empty()) sample.windows = parse_count("--sample-windows", raw.windows, kFewest);
  if (sample.windows > kMost) throw UsageError("--sample-windows: " + raw.windows + " is too many; valid: 5 .. 100000");
  if (!raw.requests.empty()) sample.requests = parse_count("--sample-requests", raw.requests, 1);
  if (!raw.warm_up.empty()) sample.warm_up = parse_count("--sample-warm-up", raw.warm_up, 0);
  if (sample.warm_up && sample.requests != 0 && *sample.warm_up >= sample.requests)
    throw UsageError("--sample-warm-up: " + raw.warm_up + " of windows of " + raw.requests +
                     " requests (--sample-requests) leaves nothing to measure");
  if (!raw.placement.empty() && raw.placement != "random" && raw.placement != "systematic")
    throw UsageError("--sample-placement: \"" + raw.placement + "\" is none of random, systematic");
  sample.systematic = raw.placement == "systematic";
  if (!raw.seed.empty()) sample.seed = parse_count("--sample-seed", raw.seed, 0);
  if (!raw.error.empty()) sample.error = parse_relative_error("--sample-error", raw.error);
  return sample;
}

}  // namespace flashloom
