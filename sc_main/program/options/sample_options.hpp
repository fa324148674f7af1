// Options of `flashloom run` about sampled runs and runs in segments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace flashloom {

/// The steps of a run in segments: all, the pass on the instant clock, one segment, or merging the answers.
enum class SegmentStep : std::uint8_t { All, Pass, One, Merge };

/// A sampled run simulates windows on the timed clock, and carries out the rest on the instant clock.
struct SampleOptions {
  bool on = false;
  std::uint64_t windows = 0;               ///< number of windows; 0: chosen for device and run
  std::uint64_t requests = 0;              ///< of a window, its warm-up included; 0: chosen for device and run
  std::optional<std::uint64_t> warm_up{};  ///< requests of a warm-up; none: found by pilot windows
  bool systematic = false;                 ///< windows in the middle of their strata; else at random places
  std::optional<std::uint64_t> seed{};     ///< of the random places; none: the run's
  double error = 0;                        ///< target for the relative error of time and mean latencies; 0: none
  std::uint64_t segments = 0;              ///< number of segments of a run in segments; 0: not in segments
  std::string folder{};  ///< folder through which the segments' processes exchange files; empty: they are forked
  SegmentStep step = SegmentStep::All;
  std::uint64_t segment = 0;  ///< number of the segment for SegmentStep::One, from 0

  /// Whether the run is sampled or in segments.
  bool splits() const { return on || segments != 0; }
};

/// The same options as CLI11 collects them, unchecked.
struct RawSampleOptions {
  bool on = false;
  std::string segments, folder, only, windows, requests, warm_up, placement, seed, error;
};

void add_sample_options(CLI::App& command, RawSampleOptions& raw);
/// Throws UsageError.
SampleOptions checked_sample(const RawSampleOptions& raw);

}  // namespace flashloom
