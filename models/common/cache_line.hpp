// The CPU's cache, of the computers that simulate.
#pragma once

#include <cstddef>

namespace flashloom {

/// A cache line: what begins at one touches as few lines as it can.
inline constexpr std::size_t kCacheLine = 64;

/// Prefetches as many bytes from `first` on.
[[gnu::always_inline]] inline void prefetch_lines(const void* first, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(static_cast<const char*>(first) + at);
}

}  // namespace flashloom
