// The highest mean power over any window of a given width, while the run goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Slides a window over the power of a device in steps of a 250th of its width, whatever the length of the run. A
/// window between two steps can have a higher mean than both by at most a 500th of the range of the power within it.
///
/// Contributions come in any order. Steps go into a ring that spans at least kSpan. When one begins beyond it, the ring
/// moves on, but to half its length before now at most; the steps that leave it are final, and what still lies beyond
/// it is put off. So what is reported up to half of kSpan late counts exactly. Of what is reported later, power counts
/// from the first step of the ring on (a component that tells of an idle state when it is over was in state 0 until
/// then), and energy not at all.
class PeakWindow {
 public:
  static constexpr unsigned kSteps = 250;
  static constexpr Picoseconds kSpan = 64 * kMillisecond;
  static constexpr Picoseconds kShortest = 10 * kMicrosecond;  // of a window: 32 MiB of steps
  static constexpr Picoseconds kLongest = kSecond;

  using Clock = Picoseconds (*)();

  /// `width` between kShortest and kLongest (std::invalid_argument), rounded down to a multiple of kSteps ps. `clock`:
  /// the present instant. Without use (`used` false) it takes no memory, and nothing may be added.
  PeakWindow(Picoseconds width, Clock clock, bool used = true);

  Picoseconds width() const { return kSteps * step_; }

  /// `watts` (negative to take away), as PowerTimeline::quantised(), in [from, to).
  void add(Picoseconds from, Picoseconds to, double watts) {
    const Picoseconds into = from - here_;  // wraps before it
    if (into < step_ && to - here_ < step_) [[likely]] {
      here_step_->correction += watts * static_cast<double>(static_cast<std::int64_t>(to - from));
      return;
    }
    change(from, watts);
    change(to, -watts);
  }

  /// `joules` spent at the instant `at`.
  void add_energy(Picoseconds at, double joules) {
    if (at - here_ < step_) [[likely]] {
      here_step_->correction += joules * 1e12;
      return;
    }
    if (at < ring_begin_ || (at >= ring_end_ && !reach(at, 0, joules))) [[unlikely]]
      return;
    const std::uint64_t number = place_of(at).first;
    ring_[number & mask_].correction += joules * 1e12;
    last_used_ = number > last_used_ ? number : last_used_;
  }

  /// `watts` at all times.
  void add_background(double watts) { background_ += watts; }

  /// Only windows that begin at `at` or later count from now on.
  void begin(Picoseconds at);

  /// The highest mean of a window that ends by `end`, in W; negative when there is none, since the run is too short. At
  /// the end of the run: nothing may be added afterwards.
  double finish(Picoseconds end);

 private:
  // Energy of step i = step x (changes so far, its own included) + its correction, as in PowerTimeline.
  struct Step {
    double change = 0;      // W
    double correction = 0;  // W ps
  };
  struct Later {
    Picoseconds at;
    double watts;
    double joules;
    bool operator<(const Later& other) const { return at > other.at; }  // a heap's first is the earliest
  };

  // The step of an instant before the ring's end, and how far into it the instant lies.
  std::pair<std::uint64_t, double> place_of(Picoseconds at) const {
    if (at < ring_begin_) [[unlikely]]
      return {first_, 0.0};
    const Picoseconds ahead = at - ring_begin_;
    auto steps = static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ahead)) * per_step_);
    auto rest = static_cast<std::int64_t>(ahead) - steps * static_cast<std::int64_t>(step_);
    if (rest < 0) [[unlikely]]
      --steps, rest += static_cast<std::int64_t>(step_);
    else if (rest >= static_cast<std::int64_t>(step_)) [[unlikely]]
      ++steps, rest -= static_cast<std::int64_t>(step_);
    return {first_ + static_cast<std::uint64_t>(steps), static_cast<double>(rest)};
  }
  void change(Picoseconds at, double watts) {
    if (at >= ring_end_ && !reach(at, watts, 0)) [[unlikely]]
      return;
    const auto [number, into] = place_of(at);
    Step& step = ring_[number & mask_];
    step.change += watts;
    step.correction -= watts * into;
    here_step_ = &step;
    here_ = ring_begin_ + (number - first_) * step_;
    last_used_ = number > last_used_ ? number : last_used_;
  }
  bool reach(Picoseconds at, double watts, double joules);
  void slide_to(std::uint64_t first);
  void move(std::uint64_t first);
  void retire();

  Picoseconds step_;
  Clock clock_;
  double per_step_;
  std::vector<Step> ring_;
  std::uint64_t mask_;
  std::uint64_t first_ = 0;  // number of the first step of the ring
  Picoseconds ring_begin_ = 0;
  Picoseconds ring_end_;
  std::uint64_t last_used_ = 0;
  // The step of the last change, where the next one often lies, too; kNowhere when the ring has moved on.
  static constexpr Picoseconds kNowhere = Picoseconds{1} << 63;
  Picoseconds here_ = kNowhere;
  Step* here_step_ = nullptr;
  std::vector<Later> later_;    // a heap: what lies beyond the ring
  double level_ = 0;            // W at the begin of the ring
  std::vector<double> window_;  // W ps of the last kSteps steps before the ring, round and round
  std::size_t oldest_ = 0;
  double energy_ = 0;               // their sum
  std::uint64_t counts_after_ = 0;  // windows begin at this step or later
  double peak_ = -1;                // W ps, without background; negative: no window yet
  bool any_ = false;
  double background_ = 0;
};

}  // namespace flashloom
