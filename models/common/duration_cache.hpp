// Cache of durations by size.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

/// A device moves few sizes (commands, pages, completions); computing a duration divides, which costs as much as the
/// rest of an access. `Compute` maps a size to its duration, the same at every call.
class DurationCache {
 public:
  template <class Compute>
  Picoseconds get(std::uint64_t size, Compute compute) {
    Entry& entry = entries_[(size * std::uint64_t{0x9E3779B97F4A7C15}) >> 61];
    if (entry.size != size) [[unlikely]]
      remember(entry, size, compute);
    return entry.duration;
  }

 private:
  struct Entry {
    std::uint64_t size = ~std::uint64_t{0};  // no transfer has this size
    Picoseconds duration = 0;
  };
  // Separate, so that callers of get() stay small when it is inlined.
  template <class Compute>
  [[gnu::cold, gnu::noinline]] static void remember(Entry& entry, std::uint64_t size, Compute& compute) {
    entry = {size, compute(size)};
  }
  std::array<Entry, 8> entries_{};
};

}  // namespace flashloom
