// The highest mean power over any window of a given width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/power_timeline.hpp"

namespace flashloom {

/// Slides a window over the power of a device in steps whose widths are powers of two of picoseconds. Where the window
/// begins inside a step, it counts that share of the step's energy. At least kLeastSteps fit into the window, so the
/// result exceeds the true maximum by at most 1/400 of the range of the power within a window, and falls short of it by
/// at most 3/400.
class PeakWindow {
 public:
  static constexpr unsigned kLeastSteps = 100;
  static constexpr Picoseconds kShortest = 10 * kMicrosecond;  // needs 16 MiB of steps in PowerRecord
  static constexpr Picoseconds kLongest = kSecond;

  /// `width` must lie between kShortest and kLongest (std::invalid_argument).
  explicit PeakWindow(Picoseconds width);

  Picoseconds width() const { return width_; }

  /// log2 of the maximum step width.
  unsigned widest_step() const;

  /// Sets the step width to 2^`shift` ps, at most 2^widest_step(). Call it before the first step.
  void set_step(unsigned shift);

  /// The next steps; the first one of all begins at time 0.
  void add(std::span<const PowerStep> steps);

  /// Nothing changes before step `end`.
  void pass(std::uint64_t end);

  /// Adds `watts` from the next step on.
  void raise(double watts) { level_ += watts; }

  /// `watts` at all times.
  void add_background(double watts) { background_ += watts; }

  /// From now on only windows that begin at `at` or later count.
  void begin(Picoseconds at);

  /// Maximum of the means so far, in W; negative if there was no window.
  double watts() const { return peak_ == kNone ? -1 : peak_ / static_cast<double>(width_) + background_; }

 private:
  void add_chunk(std::span<const PowerStep> steps);

  static constexpr std::size_t kChunk = 512;
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  Picoseconds width_;
  Picoseconds begin_ = 0;
  unsigned shift_ = 0;
  double step_time_ = 0;     // ps
  std::uint64_t whole_ = 0;  // steps of a window; next: the share of the step before them
  double part_ = 0;
  std::uint64_t steps_ = 0;        // so far
  std::uint64_t counts_from_ = 0;  // windows count if they end with this many steps or more
  double level_ = 0;               // W
  // W ps until the end of each recent step in which a window may begin, relative to the last of them, which keeps the
  // values small; followed by space for the next steps.
  std::vector<double> until_;
  double peak_ = kNone;  // W ps, without background
  double background_ = 0;
};

}  // namespace flashloom
