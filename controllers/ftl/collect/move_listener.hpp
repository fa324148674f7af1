// Listeners for units that garbage collection moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "policies/state_archive.hpp"

namespace flashloom {

class MoveListener {
 public:
  virtual void moved(std::uint32_t group, std::uint32_t unit) = 0;
  /// All valid units of the group's victim have been moved.
  virtual void collected(std::uint32_t group) = 0;

 protected:
  ~MoveListener() = default;
};

/// Counts, per group, the units of host data moved out of its victim, and keeps the lowest unit number.
class MovedUnits final : public MoveListener {
 public:
  struct Moved {
    std::uint64_t units = 0;
    std::uint32_t lowest = ~std::uint32_t{0};
    std::uint32_t unused = 0;  // fills the padding, for saved states
  };

  /// Units from `host_units` on are not host data. `next` also hears of all moves; it may be null.
  MovedUnits(std::size_t groups, std::uint64_t host_units, MoveListener* next)
      : host_units_(host_units), next_(next), victims_(groups) {}
  void pass_on_to(MoveListener& next) { next_ = &next; }

  void moved(std::uint32_t group, std::uint32_t unit) override {
    if (next_ != nullptr) next_->moved(group, unit);
    if (unit >= host_units_) return;
    Moved& victim = victims_[group];
    ++victim.units;
    victim.lowest = std::min(victim.lowest, unit);
  }
  void collected(std::uint32_t group) override {
    if (next_ != nullptr) next_->collected(group);
  }
  /// Takes the counts of a group's victim, which is emptied, and resets them.
  Moved take(std::uint32_t group) { return std::exchange(victims_[group], {}); }

  void state(StateArchive& archive) { archive(victims_); }

 private:
  std::uint64_t host_units_;
  MoveListener* next_;
  std::vector<Moved> victims_;  // by group
};

}  // namespace flashloom
