#include "models/energy/peak_window.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace flashloom {

PeakWindow::PeakWindow(Picoseconds width, Clock clock, bool used) : step_(width / kSteps), clock_(clock) {
  if (width < kShortest || width > kLongest)
    throw std::invalid_argument("energy: the window of the peak power must last 10 us to 1 s");
  if (!used) return;
  window_.resize(kSteps);
  per_step_ = 1.0 / static_cast<double>(step_);
  ring_.resize(std::bit_ceil(std::max<std::uint64_t>(2 * kSteps, kSpan / step_)));
  mask_ = ring_.size() - 1;
  ring_end_ = ring_.size() * step_;
}

void PeakWindow::begin(Picoseconds at) {
  counts_after_ = (at + step_ - 1) / step_;
  any_ = false;
}

double PeakWindow::finish(Picoseconds end) {
  slide_to(end / step_);
  return any_ ? peak_ / static_cast<double>(width()) + background_ : -1;
}

// Moves the ring on as far as may be; false: `at` still lies beyond it, and what happens there is put off.
bool PeakWindow::reach(Picoseconds at, double watts, double joules) {
  const std::uint64_t now = clock_() / step_;
  if (now > ring_.size() / 2) slide_to(now - ring_.size() / 2);
  if (at < ring_end_) return true;
  later_.push_back({at, watts, joules});
  std::push_heap(later_.begin(), later_.end());
  return false;
}

void PeakWindow::slide_to(std::uint64_t first) {
  if (first_ >= first) return;
  while (first_ < first) {
    if (first_ > last_used_ + kSteps) {
      // Power has not changed for a window, and will not until the ring reaches what was put off.
      std::uint64_t jump = first;
      if (!later_.empty()) jump = std::min(jump, later_.front().at / step_ - ring_.size() + 1);
      if (jump > first_) {
        move(jump);
        continue;
      }
    }
    retire();
  }
  here_ = kNowhere;
}

// The ring begins at step `first`; those before it have been worked out.
void PeakWindow::move(std::uint64_t first) {
  first_ = first;
  ring_begin_ = first * step_;
  ring_end_ = (first + ring_.size()) * step_;
  while (!later_.empty() && later_.front().at < ring_end_) {
    const Later& next = later_.front();
    change(next.at, next.watts);
    add_energy(next.at, next.joules);
    std::pop_heap(later_.begin(), later_.end());
    later_.pop_back();
  }
}

// The first step of the ring is final.
void PeakWindow::retire() {
  Step& step = ring_[first_ & mask_];
  level_ += step.change;
  const double energy = level_ * static_cast<double>(step_) + step.correction;
  step = {};
  energy_ += energy - window_[oldest_];
  window_[oldest_] = energy;
  if (++oldest_ == kSteps) {
    oldest_ = 0;
    energy_ = std::accumulate(window_.begin(), window_.end(), 0.0);  // so that rounding does not add up
  }
  move(first_ + 1);
  if (first_ < counts_after_ + kSteps) return;
  peak_ = any_ ? std::max(peak_, energy_) : energy_;
  any_ = true;
}

}  // namespace flashloom
