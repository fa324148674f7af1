// The highest and the lowest of what was noted, as fields of statistics.
#pragma once

#include <algorithm>
#include <limits>

namespace flashloom {

template <class T>
struct Highest {
  T value{};
  void note(T other) { value = std::max(value, other); }
};

/// The largest number of its type if nothing was noted.
template <class T>
struct Lowest {
  T value = std::numeric_limits<T>::max();
  void note(T other) { value = std::min(value, other); }
  bool any() const { return value != std::numeric_limits<T>::max(); }
};

}  // namespace flashloom
