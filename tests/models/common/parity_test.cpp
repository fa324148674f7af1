#include "models/common/parity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "workloads/random.hpp"

namespace flashloom::parity_rows {
namespace {

constexpr std::uint32_t kData = 5;
constexpr std::size_t kRows = 7;

struct Filled {
  explicit Filled(std::uint32_t parities)
      : tokens((kData + parities) * kRows), rows(tokens.data(), kRows, kData, parities) {
    Random random(3);
    for (std::size_t i = 0; i < kData * kRows; ++i) tokens[i] = static_cast<SectorToken>(random.next());
    rows.encode(0, kRows);
  }
  std::vector<SectorToken> tokens;
  ParityRows rows;
};

// H. P. Anvin, The Mathematics of RAID-6: 2 times 0x80 is the polynomial's low byte; powers of 2 go round after 255.
TEST(Parity, GaloisFieldByHand) {
  EXPECT_EQ(gf_double(0x80402001U), 0x1d804002U);
  EXPECT_EQ(gf_times(std::uint8_t{0x53}, std::uint8_t{1}), 0x53);
  EXPECT_EQ(gf_times(std::uint8_t{3}, std::uint8_t{7}), 0x09);  // (x + 1)(x^2 + x + 1) = x^3 + 1
  EXPECT_EQ(gf_power(8), 0x1d);
  EXPECT_EQ(gf_power(255), 1);
  for (int a = 1; a < 256; ++a)
    EXPECT_EQ(gf_times(static_cast<std::uint8_t>(a), gf_inverse(static_cast<std::uint8_t>(a))), 1);
}

// P = 1 ^ 2 ^ 4; Q = 1 + 2 * 2 + 4 * 4 = 1 ^ 4 ^ 16.
TEST(Parity, OfThreeColumnsByHand) {
  std::vector<SectorToken> tokens = {1, 2, 4, 0, 0};
  const ParityRows rows(tokens.data(), 1, 3, 2);
  rows.encode(0, 1);
  EXPECT_EQ(tokens[3], 7U);
  EXPECT_EQ(tokens[4], 21U);
}

TEST(Parity, AnyColumnsThatAreMissingComeBack) {
  for (const std::uint32_t parities : {1U, 2U}) {
    const std::uint64_t all = std::uint64_t{1} << (kData + parities);
    for (std::uint64_t missing = 0; missing < all; ++missing) {
      if (static_cast<std::uint32_t>(std::popcount(missing)) > parities) continue;
      Filled stripe(parities);
      const std::vector<SectorToken> whole = stripe.tokens;
      for (std::uint32_t column = 0; column < kData + parities; ++column)
        if (((missing >> column) & 1) != 0) std::fill_n(stripe.rows.column(column), kRows, 0xdeadbeefU);
      stripe.rows.solve(missing, 0, kRows);
      EXPECT_EQ(stripe.tokens, whole) << parities << " parities, missing " << missing;
    }
  }
}

TEST(Parity, AnUpdateIsWhatEncodingAgainWouldBe) {
  for (const std::uint32_t parities : {1U, 2U}) {
    Filled stripe(parities);
    const std::vector<SectorToken> contents = {11, 12, 13};
    stripe.rows.update(3, 2, contents);
    const std::vector<SectorToken> updated = stripe.tokens;
    EXPECT_EQ(stripe.rows.column(3)[2], 11U);
    stripe.rows.encode(0, kRows);
    EXPECT_EQ(stripe.tokens, updated);
  }
}

}  // namespace
}  // namespace flashloom::parity_rows
