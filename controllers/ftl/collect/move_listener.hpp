// Listeners for units that garbage collection moves.
#pragma once

#include <cstdint>

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

/// A feature that hears of moves first, and passes them on.
class MoveFilter : public MoveListener {
 public:
  virtual ~MoveFilter() = default;
  void pass_on_to(MoveListener& next) { next_ = &next; }
  virtual void state(StateArchive& archive) = 0;

 protected:
  MoveListener* next_ = nullptr;
};

}  // namespace flashloom
