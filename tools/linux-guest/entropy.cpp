// A library that User-Mode Linux loads before its own (LD_PRELOAD). It replaces the host's entropy by numbers from a
// seed ($FLASHLOOM_SEED), so that a guest which draws random numbers behaves the same in each run.
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

std::uint64_t next_number() {
  static std::uint64_t state = [] {
    const char* const seed = std::getenv("FLASHLOOM_SEED");
    return seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10);
  }();
  // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  std::uint64_t x = state += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

extern "C" ssize_t getrandom(void* into, std::size_t bytes, unsigned) {
  auto* const to = static_cast<unsigned char*>(into);
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(next_number() >> 56);
  return static_cast<ssize_t>(bytes);
}
