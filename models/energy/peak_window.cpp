#include "models/energy/peak_window.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace flashloom {

PeakWindow::PeakWindow(Picoseconds width) : width_(width) {
  if (width < kShortest || width > kLongest)
    throw std::invalid_argument("energy: the window of the peak power must last 10 us to 1 s");
}

unsigned PeakWindow::widest_step() const { return static_cast<unsigned>(std::bit_width(width_ / kLeastSteps)) - 1; }

void PeakWindow::set_step(unsigned shift) {
  const Picoseconds step = Picoseconds{1} << shift;
  shift_ = shift;
  step_time_ = static_cast<double>(step);
  whole_ = width_ >> shift;
  part_ = static_cast<double>(width_ & (step - 1)) / step_time_;
  until_.assign(whole_ + 2 + kChunk, 0);
  counts_from_ = (begin_ + width_ + step - 1) >> shift;
}

void PeakWindow::begin(Picoseconds at) {
  begin_ = at;
  counts_from_ = (at + width_ + (Picoseconds{1} << shift_) - 1) >> shift_;
  peak_ = kNone;
}

void PeakWindow::add(std::span<const PowerStep> steps) {
  for (; steps.size() > kChunk; steps = steps.subspan(kChunk)) add_chunk(steps.first(kChunk));
  add_chunk(steps);
}

// Loops keep everything in registers: a long run has a hundred thousand steps a second.
void PeakWindow::add_chunk(std::span<const PowerStep> steps) {
  const double* const before = &until_[2];  // where windows begin
  double* const until = &until_[whole_ + 2];
  double level = level_, total = 0, peak = peak_;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < steps.size(); ++i) {
    level += steps[i].change;
    total += level * step_time_ + steps[i].correction;
    until[i] = total;
  }
  const std::uint64_t first = steps_ + 1;
#pragma GCC unroll 4
  for (std::size_t i = counts_from_ > first ? counts_from_ - first : 0; i < steps.size(); ++i)
    peak = std::max(peak, until[i] - before[i] + part_ * (before[i] - before[i - 1]));
  for (std::size_t i = 0; i < whole_ + 2; ++i) until_[i] = until_[i + steps.size()] - total;
  steps_ += steps.size();
  level_ = level;
  peak_ = peak;
}

void PeakWindow::pass(std::uint64_t end) {
  const std::vector<PowerStep> still(std::min(end - steps_, whole_ + 2));
  add(still);
  if (steps_ == end) return;
  // All windows up to here, in steps without a change, have the same mean.
  for (std::uint64_t back = 0; back < whole_ + 2; ++back)
    until_[whole_ + 1 - back] = -level_ * step_time_ * static_cast<double>(back);
  steps_ = end;
  if (steps_ >= counts_from_) peak_ = std::max(peak_, level_ * static_cast<double>(width_));
}

}  // namespace flashloom
