#include "sc_main/program/options/picture_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

std::uint64_t exact(const std::string& option, Quantity quantity, const std::string& text) {
  try {
    return parse_exact(quantity, text);
  } catch (const QuantityError& error) {
    throw UsageError(option + ": " + error.what());
  }
}

TimeWindow window(const std::string& option, const std::string& text) {
  if (text.empty()) return {};
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) throw UsageError(option + ": \"" + text + "\" is not FROM,TO, as \"1 ms,2 ms\"");
  const TimeWindow window{exact(option, Quantity::Time, text.substr(0, comma)),
                          exact(option, Quantity::Time, text.substr(comma + 1))};
  if (window.from >= window.to) throw UsageError(option + ": \"" + text + "\" ends before it begins");
  return window;
}

TraceWindow power_trace(const RawPictureOptions& raw) {
  constexpr std::uint64_t kMostSteps = 10'000'000;
  TraceWindow trace;
  if (!raw.power_step.empty()) trace.step = exact("--power-step", Quantity::Time, raw.power_step);
  if (trace.step < kNanosecond || trace.step > kSecond)
    throw UsageError("--power-step: \"" + raw.power_step + "\"; valid: 1 ns .. 1 s");
  if (!raw.power_limit.empty()) trace.limit = parse_count("--power-limit", raw.power_limit, 1);
  if (trace.limit > kMostSteps)
    throw UsageError("--power-limit: " + raw.power_limit + "; valid: 1 .. " + std::to_string(kMostSteps));
  const TimeWindow part = window("--power-window", raw.power_window);
  trace.from = part.from;
  trace.to = part.to;
  const std::uint64_t steps = (trace.to - trace.from - 1) / trace.step + 1;
  if (part.to != kNever && steps > trace.limit)
    throw UsageError("--power-window: \"" + raw.power_window + "\" has " + std::to_string(steps) +
                     " steps of --power-step; valid: up to --power-limit, which is " + std::to_string(trace.limit));
  return trace;
}

// The file of an option; none if that is not given. Throws UsageError if only its detail options are given, or if it
// has no name and there is no folder for results.
std::optional<std::string> file(const CLI::App& run, const std::string& option, const std::string& value,
                                const std::string& out) {
  if (run.count(option) == 0) {
    for (const char* const detail : {"-limit", "-window", "-step"})
      if (const CLI::Option* known = run.get_option_no_throw(option + detail); known != nullptr && known->count() != 0)
        throw UsageError(option + detail + ": there is no " + option);
    return std::nullopt;
  }
  if (value.empty() && out.empty()) throw UsageError(option + ": say which file, or --out DIR");
  return value;
}

}  // namespace

void add_picture_options(CLI::App& run, RawPictureOptions& raw) {
  run.add_flag("--plots", raw.plots, "draw figures of the run into DIR/plots, with gnuplot (docs/how-to/pictures.md)");
  run.add_option("--vcd", raw.vcd, "waveform of buses and dies, for GTKWave; default: DIR/waveform.vcd")
      ->type_name("[F]")
      ->expected(0, 1);
  run.add_option("--vcd-limit", raw.vcd_limit,
                 "largest size of that file, whose header is written in any case; default: 64 MiB")
      ->type_name("SIZE");
  run.add_option("--vcd-window", raw.vcd_window, "what part of the run, as \"1 ms,2 ms\"; default: from its begin")
      ->type_name("FROM,TO");
  run.add_option("--timeline", raw.timeline,
                 "requests, firmware steps, bus and arrays, for ui.perfetto.dev; default: DIR/timeline.json")
      ->type_name("[F]")
      ->expected(0, 1);
  run.add_option("--timeline-limit", raw.timeline_limit, "about so many events in that file; default: 200000")
      ->type_name("N");
  run.add_option("--timeline-window", raw.timeline_window, "what part of the run, as \"1 ms,2 ms\"")
      ->type_name("FROM,TO");
  run.add_option("--power", raw.power,
                 "power and current at the supply in short steps, by kind of component; default: DIR/power_trace.csv")
      ->type_name("[F]")
      ->expected(0, 1);
  run.add_option("--power-step", raw.power_step, "how long a step of that file is; default: 1 us")->type_name("TIME");
  run.add_option("--power-limit", raw.power_limit, "so many steps at most; default: 200000")->type_name("N");
  run.add_option("--power-window", raw.power_window, "what part of the run, as \"1 ms,2 ms\"; default: from its begin")
      ->type_name("FROM,TO");
}

PictureOptions checked_pictures(const CLI::App& run, const RawPictureOptions& raw, const std::string& out) {
  PictureOptions options;
  options.plots = raw.plots;
  if (options.plots && out.empty()) throw UsageError("--plots: say --out DIR, where the figures go");
  options.vcd = file(run, "--vcd", raw.vcd, out);
  if (!raw.vcd_limit.empty()) options.vcd_limit = exact("--vcd-limit", Quantity::Bytes, raw.vcd_limit);
  options.vcd_window = window("--vcd-window", raw.vcd_window);
  options.timeline = file(run, "--timeline", raw.timeline, out);
  if (!raw.timeline_limit.empty()) options.timeline_limit = parse_count("--timeline-limit", raw.timeline_limit, 1);
  options.timeline_window = window("--timeline-window", raw.timeline_window);
  options.power = file(run, "--power", raw.power, out);
  options.power_trace = power_trace(raw);
  return options;
}

}  // namespace flashloom
