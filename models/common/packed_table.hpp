// Numbers of a fixed bit width, packed without gaps.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace flashloom {

/// A view of memory that holds numbers of `width` bits (1 to 57) without gaps: on a 1 TB drive a physical address takes
/// 28 bits instead of 32. Numbers are accessed through the eight bytes from the byte with their first bit on.
class PackedTable {
 public:
  PackedTable() = default;
  /// `memory`: bytes() of it.
  PackedTable(std::byte* memory, unsigned width)
      : memory_(memory), width_(width), mask_((std::uint64_t{1} << width) - 1) {}

  /// Bytes that `n` numbers take.
  static std::uint64_t bytes(std::uint64_t n, unsigned width) {
    return (n * width + 7) / 8 + sizeof(std::uint64_t) - 1;
  }
  /// Width for numbers up to `most`.
  static unsigned width_for(std::uint64_t most) { return most == 0 ? 1 : static_cast<unsigned>(std::bit_width(most)); }

  unsigned width() const { return width_; }
  std::uint64_t most() const { return mask_; }

  [[gnu::always_inline]] std::uint64_t get(std::uint64_t i) const {
    const std::uint64_t bit = i * width_;
    return (eight(bit / 8) >> (bit % 8)) & mask_;
  }
  [[gnu::always_inline]] void set(std::uint64_t i, std::uint64_t value) {
    const std::uint64_t bit = i * width_;
    const std::uint64_t there = eight(bit / 8) & ~(mask_ << (bit % 8));
    const std::uint64_t eight = there | (value << (bit % 8));
    std::memcpy(memory_ + bit / 8, &eight, sizeof eight);
  }
  /// Forced inline, since GCC removes calls of functions that only prefetch as having no effect.
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const { __builtin_prefetch(memory_ + i * width_ / 8); }

 private:
  static_assert(std::endian::native == std::endian::little, "a number's low bits come first");

  [[gnu::always_inline]] std::uint64_t eight(std::uint64_t byte) const {
    std::uint64_t value;
    std::memcpy(&value, memory_ + byte, sizeof value);
    return value;
  }

  std::byte* memory_ = nullptr;
  unsigned width_ = 0;
  std::uint64_t mask_ = 0;
};

}  // namespace flashloom
