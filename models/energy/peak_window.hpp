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

/// Slides a window over the power of a device in steps whose widths are powers of two of picoseconds: the part of a
/// step with which the window begins counts with that share of the step's energy. At least kLeastSteps fit into the
/// window, so what is found lies above the highest mean by at most a 400th of the range of the power within a window,
/// and below it by at most three 400ths.
class PeakWindow {
 public:
  static constexpr unsigned kLeastSteps = 100;
  static constexpr Picoseconds kShortest = 10 * kMicrosecond;  // 16 MiB of steps in PowerRecord
  static constexpr Picoseconds kLongest = kSecond;

  /// `width` between kShortest and kLongest (std::invalid_argument).
  explicit PeakWindow(Picoseconds width);

  Picoseconds width() const { return width_; }

  /// log2 of the width of the widest steps that the window may be slid in.
  unsigned widest_step() const;

  /// Steps are 2^`shift` ps wide, at most 2^widest_step(). Before the first one.
  void set_step(unsigned shift);

  /// The next steps; the first one of all begins at time 0.
  void add(std::span<const PowerStep> steps);

  /// Nothing changes before step `end`.
  void pass(std::uint64_t end);

  /// `watts` more from the next step on.
  void raise(double watts) { level_ += watts; }

  /// `watts` at all times.
  void add_background(double watts) { background_ += watts; }

  /// Only windows that begin at `at` or later count from now on.
  void begin(Picoseconds at);

  /// The highest mean so far, in W; negative when there was no window.
  double watts() const { return peak_ == kNone ? -1 : peak_ / static_cast<double>(width_) + background_; }

 private:
  void add_chunk(std::span<const PowerStep> steps);

  static constexpr std::size_t kChunk = 512;
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  Picoseconds width_;
  Picoseconds begin_ = 0;
  unsigned shift_ = 0;
  double step_time_ = 0;     // ps
  std::uint64_t whole_ = 0;  // steps of a window, and the share of the one before them
  double part_ = 0;
  std::uint64_t steps_ = 0;        // so far
  std::uint64_t counts_from_ = 0;  // windows that end with this many or more
  double level_ = 0;               // W
  // W ps until the end of each of the last steps that a window may begin in, less what was until the last of them,
  // which keeps the figures small; behind them room for the next steps.
  std::vector<double> until_;
  double peak_ = kNone;  // W ps, without background
  double background_ = 0;
};

}  // namespace flashloom
