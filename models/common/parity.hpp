// P and Q of RAID-6, in arrays of drives and over the dies of a drive, on the tokens that stand for sectors: four bytes
// of GF(256), generator 2, polynomial 0x11d. H. P. Anvin, The Mathematics of RAID-6 (2004), as in Linux's lib/raid6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/common/sector_token.hpp"

namespace flashloom {

/// Each byte of `token` times 2 in GF(256).
constexpr SectorToken gf_double(SectorToken token) {
  const SectorToken high = token & 0x80808080U;
  return ((token << 1) & 0xfefefefeU) ^ ((high >> 7) * 0x1dU);
}
/// Each byte times `factor`.
constexpr SectorToken gf_times(SectorToken token, std::uint8_t factor) {
  SectorToken product = 0;
  for (; factor != 0; factor >>= 1, token = gf_double(token))
    if ((factor & 1) != 0) product ^= token;
  return product;
}
constexpr std::uint8_t gf_times(std::uint8_t a, std::uint8_t b) {
  return static_cast<std::uint8_t>(gf_times(SectorToken{a}, b));
}
/// 2 to the power of a column.
constexpr std::uint8_t gf_power(std::uint32_t column) {
  std::uint8_t power = 1;
  for (column %= 255; column != 0; --column) power = gf_times(power, 2);
  return power;
}
/// 1 / a, of a that is not 0: a^254.
constexpr std::uint8_t gf_inverse(std::uint8_t a) {
  std::uint8_t result = 1;
  for (int i = 0; i < 254; ++i) result = gf_times(result, a);
  return result;
}

/// Columns of a stripe in memory, one after the other: `data` data columns, then `parities` (0, 1: P, 2: P and Q).
/// Rows are sectors.
class ParityRows {
 public:
  ParityRows(SectorToken* tokens, std::size_t rows, std::uint32_t data, std::uint32_t parities)
      : tokens_(tokens), rows_(rows), data_(data), parities_(parities) {}

  SectorToken* column(std::uint32_t number) const { return tokens_ + number * rows_; }

  /// Computes the parities of rows [first, first + count) from the data.
  void encode(std::size_t first, std::size_t count) const;
  /// Changes the parities as if the rows of a data column were written with `contents`, and writes them.
  void update(std::uint32_t column, std::size_t first, std::span<const SectorToken> contents) const;
  /// Computes the columns of `missing` (a mask of data and parity columns, at most as many as there are parities) from
  /// all others.
  void solve(std::uint64_t missing, std::size_t first, std::size_t count) const;

 private:
  SectorToken* tokens_;
  std::size_t rows_;
  std::uint32_t data_;
  std::uint32_t parities_;
};

}  // namespace flashloom
