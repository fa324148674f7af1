// Options of `flashloom run` about recordings over time and figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/energy/trace_window.hpp"
#include "sc_main/program/options/time_window.hpp"

namespace CLI {
class App;
}

namespace flashloom {

struct PictureOptions {
  bool plots = false;
  std::optional<std::string> vcd{};        ///< file; empty: waveform.vcd in the folder of results
  std::uint64_t vcd_limit = 64 << 20;      ///< bytes
  TimeWindow vcd_window{};                 ///< default: the whole run
  std::optional<std::string> timeline{};   ///< file; empty: timeline.json in the folder of results
  std::uint64_t timeline_limit = 200'000;  ///< events
  TimeWindow timeline_window{};
  std::optional<std::string> power{};  ///< file; empty: power_trace.csv in the folder of results
  TraceWindow power_trace{};

  bool any() const { return plots || vcd || timeline || power; }
};

/// The same options as CLI11 collects them, unchecked.
struct RawPictureOptions {
  bool plots = false;
  std::string vcd, vcd_limit, vcd_window, timeline, timeline_limit, timeline_window, power, power_step, power_limit,
      power_window;
};

/// Adds the options to a command.
void add_picture_options(CLI::App& run, RawPictureOptions& raw);

/// Checks the options; `out`: the folder for results, or empty. Throws UsageError.
PictureOptions checked_pictures(const CLI::App& run, const RawPictureOptions& raw, const std::string& out);

}  // namespace flashloom
