// Whoever must know of units that garbage collection gives a new place.
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
  /// All of a victim have been moved.
  virtual void collected(std::uint32_t group) = 0;

 protected:
  ~MoveListener() = default;
};

/// How many units of host data have been moved out of the victim of each group, and the lowest of them.
class MovedUnits final : public MoveListener {
 public:
  struct Moved {
    std::uint64_t units = 0;
    std::uint32_t lowest = ~std::uint32_t{0};
    std::uint32_t unused = 0;  // no padding, for saved states
  };

  /// Units from `host_units` on are no host data. `next` is told of all of them, too; it may be null.
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
  /// Of a group's victim, which is emptied.
  Moved take(std::uint32_t group) { return std::exchange(victims_[group], {}); }

  void state(StateArchive& archive) { archive(victims_); }

 private:
  std::uint64_t host_units_;
  MoveListener* next_;
  std::vector<Moved> victims_;  // by group
};

}  // namespace flashloom
