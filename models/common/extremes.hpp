// Maximum and minimum of recorded values, as fields of statistics.
#pragma once

#include <algorithm>
#include <limits>

namespace flashloom {

template <class T>
struct Highest {
  T value{};
  void note(T other) { value = std::max(value, other); }
};

/// The largest number of its type if nothing was recorded.
template <class T>
struct Lowest {
  T value = std::numeric_limits<T>::max();
  void note(T other) { value = std::min(value, other); }
  bool any() const { return value != std::numeric_limits<T>::max(); }
};

}  // namespace flashloom
