#include "controllers/ftl/blocks/fill_places.hpp"

#include <algorithm>

namespace flashloom {

void FillPlaces::add(std::uint32_t number, std::uint32_t place) {
  const auto at_end = static_cast<std::uint32_t>(starts_.size());
  if (!stretches_.empty()) {
    const Stretch& last = stretches_.back();
    const std::uint32_t behind = number - last.first;
    if (turn_ == 0 && place == starts_[last.start] + 1) turn_ = behind;
    if (turn_ != 0 && place == starts_[last.start + behind % turn_] + behind / turn_) return;
  }
  if (stretches_.empty() || turn_ != 0) stretches_.push_back({number, at_end});
  turn_ = 0;
  starts_.push_back(place);
}

void FillPlaces::next_turn(std::uint32_t number, std::vector<std::uint32_t>& places) const {
  places.clear();
  const Stretch& last = stretches_.back();
  const std::uint32_t behind = number - last.first;
  if (turn_ == 0 || behind < 2 * turn_ || behind % turn_ != 0) return;
  for (std::uint32_t i = 0; i < turn_; ++i) places.push_back(starts_[last.start + i] + behind / turn_);
}

std::uint32_t FillPlaces::stretch_of(std::uint32_t number) const {
  const auto next = std::ranges::upper_bound(stretches_, number, {}, &Stretch::first);
  return static_cast<std::uint32_t>(next - stretches_.begin()) - 1;
}

}  // namespace flashloom
