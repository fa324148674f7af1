#include "models/energy/power_record.hpp"

#include <bit>
#include <span>

namespace flashloom {
namespace {

// Initially as fine, and as many, as the timeline's bins, so that a short run is recorded at the resolution shown.
constexpr std::size_t kLeastSteps = std::bit_ceil(PowerTimeline::kBins);

}  // namespace

PowerRecord::PowerRecord(Picoseconds peak_window, Clock clock, bool used) : clock_(clock), peak_(peak_window) {
  shift_ = std::min(PowerTimeline::kFinest, peak_.widest_step());
  within_ = (Picoseconds{1} << shift_) - 1;
  if (!used) return;
  ring_.resize(std::bit_ceil(std::max<std::uint64_t>(kLeastSteps, kSpan >> peak_.widest_step())));
  mask_ = ring_.size() - 1;
  find_ring();
}

void PowerRecord::add_background(double watts) {
  timeline_.add_background(watts);
  peak_.add_background(PowerTimeline::quantised(watts));
}

// Call it after each change of first_ or shift_.
void PowerRecord::find_ring() {
  ring_begin_ = first_ << shift_;
  ring_end_ = (first_ + mask_ + 1) << shift_;
}

// Slow path: the instant is not in the present ring.
void PowerRecord::elsewhere(Picoseconds at, double watts, double energy) {
  while (lies_ahead(at) && shift_ < peak_.widest_step()) widen();
  if (lies_ahead(at)) {
    const std::uint64_t now = clock_() >> shift_, half = ring_.size() / 2;
    if (now > half) slide_to(now - half);
  }
  if (lies_ahead(at)) {
    later_.push_back({at, watts, energy});
    std::push_heap(later_.begin(), later_.end());
  } else {
    put(at, watts, energy);
  }
}

// Within the ring, or before it.
void PowerRecord::put(Picoseconds at, double watts, double energy) {
  const std::uint64_t number = at >> shift_;
  if (number < first_) {
    peak_.raise(watts);
    return timeline_.add_change(at, watts, energy);
  }
  PowerStep& step = ring_[number & mask_];
  step.change += watts;
  step.correction += energy - watts * signed_time(at & within_);
  use(number);
}

// Doubles the step width, while no step has left the ring.
void PowerRecord::widen() {
  const Picoseconds width = Picoseconds{1} << shift_;
  for (std::size_t i = 0; i < ring_.size() / 2; ++i) ring_[i] = merged(ring_[2 * i], ring_[2 * i + 1], width);
  std::fill(ring_.begin() + static_cast<std::ptrdiff_t>(ring_.size() / 2), ring_.end(), PowerStep{});
  last_used_ /= 2;
  ++shift_;
  within_ = (Picoseconds{1} << shift_) - 1;
  find_ring();
}

void PowerRecord::slide_to(std::uint64_t first) {
  if (first_ == 0) peak_.set_step(shift_);
  while (first_ < first) {
    const std::uint64_t quiet = last_used_ + 1;
    if (first_ < quiet) {
      retire(std::min(first, quiet));
    } else {
      std::uint64_t next = first;  // contributions in later_ must still fit
      if (!later_.empty()) next = std::min(next, (later_.front().at >> shift_) - mask_);
      peak_.pass(next);
      first_ = next;
    }
    while (!later_.empty() && !lies_ahead(later_.front().at)) {
      const Later next = later_.front();
      std::pop_heap(later_.begin(), later_.end());
      later_.pop_back();
      put(next.at, next.watts, next.energy);
    }
  }
  find_ring();
}

// Finalises the steps before `end`, all of which are in the ring.
void PowerRecord::retire(std::uint64_t end) {
  while (first_ != end) {
    const std::uint64_t place = first_ & mask_;
    const std::span<PowerStep> steps(&ring_[place], std::min(end - first_, ring_.size() - place));
    peak_.add(steps);
    timeline_.add(first_ << shift_, shift_, steps);
    std::fill(steps.begin(), steps.end(), PowerStep{});
    first_ += steps.size();
  }
}

void PowerRecord::finish(Picoseconds end) {
  slide_to(end >> shift_);
  peak_w_ = peak_.watts();
  // No window ends after last_used_, but the timeline also takes later energy.
  if (first_ <= last_used_) retire(last_used_ + 1);
  for (const Later& later : later_) timeline_.add_change(later.at, later.watts, later.energy);
}

}  // namespace flashloom
