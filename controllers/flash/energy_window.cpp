#include "controllers/flash/energy_window.hpp"

#include <algorithm>
#include <stdexcept>

namespace flashloom {

EnergyWindow::EnergyWindow(std::uint64_t microwatts, Picoseconds window)
    : window_(window), budget_(Energy{microwatts} * window) {
  if (window == 0) throw std::invalid_argument("power: a window lasts longer than 0 s");
}

bool EnergyWindow::allows(const Operation& operation) const {
  return Energy{operation.microwatts} * std::min(operation.time, window_) <= budget_;
}

// An operation that begins at b adds power x min(t - b, time) to E(t), t > b. The limit is the budget less all of its
// energy: where E is below the limit, the operation fits whenever it begins. At a point (t, e) above the
// limit, b must be at least t - (budget - e) / power. E is linear between its changes, so only the changes and the
// points at which E falls below the limit need to be looked at.
Picoseconds EnergyWindow::earliest(Picoseconds from, const Operation& operation) const {
  const Picoseconds time = std::min(operation.time, window_);
  const Energy power = operation.microwatts;
  const Energy limit = budget_ - power * time;
  if (limit < 0) return kNever;
  Picoseconds result = from;
  const auto point = [&](Picoseconds at, Energy energy) {
    if (energy <= limit) return;
    const auto before = static_cast<Picoseconds>((budget_ - energy) / power);  // < time
    if (before < at) result = std::max(result, at - before);
  };
  Picoseconds at = base_;
  Energy energy = energy_;
  std::int64_t slope = slope_;
  point(at, energy);
  for (std::size_t i = first_; i != changes_.size(); ++i) {
    const Energy next = energy + Energy{slope} * (changes_[i].at - at);
    if (energy > limit && next <= limit) {
      const auto falls = static_cast<Picoseconds>((energy - limit - slope - 1) / -Energy{slope});
      result = std::max(result, at + falls - std::min(time, at + falls));
    }
    at = changes_[i].at;
    energy = next;
    point(at, energy);
    slope += changes_[i].slope;
  }
  return energy > limit ? kNever : result;  // the slope ends at 0
}

void EnergyWindow::admit(Picoseconds begin, const Operation& operation) { book_open(begin, operation, false); }

void EnergyWindow::begun(Picoseconds admitted, Picoseconds begin, const Operation& operation) {
  book_open(admitted, operation, true);
  book(begin, operation);
}

void EnergyWindow::book(Picoseconds begin, const Operation& operation, std::int64_t sign) {
  const auto power = sign * static_cast<std::int64_t>(operation.microwatts);
  change(begin, power);
  change(begin + operation.time, -power);
  change(begin + window_, -power);
  change(begin + operation.time + window_, power);
}

void EnergyWindow::book_open(Picoseconds begin, const Operation& operation, bool back) {
  const auto power = static_cast<std::int64_t>(operation.microwatts);
  const Picoseconds end = begin + std::min(operation.time, window_);
  back ? remove_change(begin, power) : change(begin, power);
  back ? remove_change(end, -power) : change(end, -power);
}

void EnergyWindow::advance(Picoseconds now) {
  for (; first_ != changes_.size() && changes_[first_].at <= now; ++first_) {
    energy_ += Energy{slope_} * (changes_[first_].at - base_);
    base_ = changes_[first_].at;
    most_ = std::max(most_, energy_);  // E is linear in between
    slope_ += changes_[first_].slope;
  }
  if (base_ < now) {
    energy_ += Energy{slope_} * (now - base_);
    base_ = now;
    most_ = std::max(most_, energy_);
  }
  if (first_ > changes_.size() / 2) {
    changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

EnergyWindow::Energy EnergyWindow::drawn(Picoseconds at) const {
  Energy energy = energy_;
  Picoseconds until = base_;
  std::int64_t slope = slope_;
  for (std::size_t i = first_; i != changes_.size() && changes_[i].at <= at; ++i) {
    energy += Energy{slope} * (changes_[i].at - until);
    until = changes_[i].at;
    slope += changes_[i].slope;
  }
  return energy + Energy{slope} * (at - until);
}

void EnergyWindow::change(Picoseconds at, std::int64_t slope) {
  if (at <= base_) {
    energy_ += Energy{slope} * (base_ - at);
    slope_ += slope;
    return;
  }
  const auto place = std::upper_bound(changes_.begin() + static_cast<std::ptrdiff_t>(first_), changes_.end(), at,
                                      [](Picoseconds time, const Change& other) { return time < other.at; });
  changes_.insert(place, {at, slope});
}

void EnergyWindow::remove_change(Picoseconds at, std::int64_t slope) {
  if (at <= base_) {
    energy_ -= Energy{slope} * (base_ - at);
    slope_ -= slope;
    return;
  }
  auto place = std::lower_bound(changes_.begin() + static_cast<std::ptrdiff_t>(first_), changes_.end(), at,
                                [](const Change& other, Picoseconds time) { return other.at < time; });
  while (place != changes_.end() && place->at == at && place->slope != slope) ++place;
  if (place == changes_.end() || place->at != at)
    throw std::logic_error("power: an operation begins that was not admitted");
  changes_.erase(place);
}

}  // namespace flashloom
