// Host and flash commands call look() when they begin, so that the thermal model needs no event of its own.
#pragma once

#include "models/common/types.hpp"

namespace flashloom {

class HeatWatch {
 public:
  /// Does what has become due by `now`.
  void look(Picoseconds now) {
    if (now >= due_) [[unlikely]]
      act(now);
  }

 protected:
  virtual void act(Picoseconds now) = 0;
  ~HeatWatch() = default;
  Picoseconds due_ = 0;
};

}  // namespace flashloom
