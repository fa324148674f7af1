// Options of `flashloom run` that say which parts of the run are simulated in time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace flashloom {

/// What of a run in segments is to be done.
enum class SegmentStep : std::uint8_t { All, Pass, One, Merge };

/// Of a run of which windows are simulated in time, and the rest is carried out on the instant clock.
struct SampleOptions {
  bool on = false;
  std::uint64_t windows = 0;               ///< how many; 0: as many as make sense
  std::uint64_t requests = 0;              ///< of each, with its warm-up; 0: as device and run ask for
  std::optional<std::uint64_t> warm_up{};  ///< requests before them; none: found by the first windows
  bool systematic = false;                 ///< in the middle of their strata; else at random places of them
  std::optional<std::uint64_t> seed{};     ///< of those places; none: the run's
  double error = 0;            ///< half of an interval of throughput and mean latency over its middle; 0: no aim
  std::uint64_t segments = 0;  ///< in place of all this: the whole run in so many; 0: not
  std::string folder{};        ///< by which the segments' processes hand over; empty: they are forked
  SegmentStep step = SegmentStep::All;
  std::uint64_t segment = 0;   ///< of SegmentStep::One, from 0

  /// The run is split, in one way or the other.
  bool splits() const { return on || segments != 0; }
};

/// The same as CLI11 collects them.
struct RawSampleOptions {
  bool on = false;
  std::string segments, folder, only, windows, requests, warm_up, placement, seed, error;
};

void add_sample_options(CLI::App& command, RawSampleOptions& raw);
/// Throws UsageError.
SampleOptions checked_sample(const RawSampleOptions& raw);

}  // namespace flashloom
