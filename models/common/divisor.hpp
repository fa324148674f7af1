// Division by a constant of the device: a shift or a multiplication instead of a divide instruction.
#pragma once

#include <bit>
#include <cstdint>

namespace flashloom {

/// Exact for every numerator. Powers of two are shifts; else numerators below 2^32 take one wide multiplication
/// (Lemire, Kaser, Kurz, "Faster remainder by direct computation", Software: Practice and Experience 49(6), 2019).
class Divisor {
 public:
  /// `divisor` must not be 0.
  explicit constexpr Divisor(std::uint32_t divisor)
      : divisor_(divisor),
        shift_(std::has_single_bit(divisor) ? static_cast<std::int8_t>(std::countr_zero(divisor)) : std::int8_t{-1}),
        inverse_(shift_ >= 0 ? 0 : ~std::uint64_t{0} / divisor + 1) {}

  constexpr std::uint32_t value() const { return divisor_; }
  constexpr std::uint64_t quotient(std::uint64_t n) const {
    if (shift_ >= 0) [[likely]]
      return n >> shift_;
    __extension__ using Wide = unsigned __int128;
    if (n >> 32 == 0) [[likely]]
      return static_cast<std::uint64_t>((static_cast<Wide>(inverse_) * n) >> 64);
    return n / divisor_;
  }
  constexpr std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>(quotient(std::uint64_t{n}));
  }
  constexpr std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * divisor_; }

 private:
  std::uint32_t divisor_;
  std::int8_t shift_;  // of a power of two; else -1
  std::uint64_t inverse_;
};

}  // namespace flashloom
