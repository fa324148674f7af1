// Parses the number that a text begins with, eight digits at a time.
#pragma once

#include <array>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>

namespace flashloom {

inline constexpr std::size_t kLeadingNumberReads = 24;  ///< bytes of `text` that must be readable

/// Counts the digits that `text` begins with, at most kLeadingNumberReads, and puts their value modulo 2^64 into
/// `number`.
inline std::size_t leading_number(const char* text, std::uint64_t& number) {
  constexpr std::size_t kWord = 8;
  constexpr unsigned kByte = 8;
  constexpr std::array<std::uint64_t, kWord + 1> kPowers{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  constexpr std::uint64_t kZeroes = 0x3030303030303030ULL;
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0ULL;
  number = 0;
  std::size_t digits = 0;
  while (digits < kLeadingNumberReads) {
    std::uint64_t word =
        boost::endian::load_little_u64(reinterpret_cast<const unsigned char*>(text) + digits) ^ kZeroes;
    // After the XOR a digit's upper four bits are 0, also with 6 added; a carry changes only bytes after the first
    // non-digit.
    const std::uint64_t others = (word | (word + 0x0606060606060606ULL)) & kHigh;
    const auto n = static_cast<std::size_t>(std::countr_zero(others)) / kByte;
    if (n == 0) break;
    word <<= (kWord - n) * kByte;  // pads with leading zeroes
    word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FFULL;
    word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFFULL;
    word = (word * 10000 + (word >> 32)) & 0x00000000FFFFFFFFULL;
    number = number * kPowers[n] + word;
    digits += n;
    if (n < kWord) break;
  }
  return digits;
}

}  // namespace flashloom
