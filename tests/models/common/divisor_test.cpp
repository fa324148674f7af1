#include "models/common/divisor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace flashloom::divisor_test {
namespace {

RC_GTEST_PROP(Divisor, DividesAsTheLanguageDoes, (std::uint32_t number, std::uint64_t n)) {
  const std::uint32_t divisor = number == 0 ? 1 : number;
  const Divisor by(divisor);
  RC_ASSERT(by.quotient(n) == n / divisor);
  const auto small = static_cast<std::uint32_t>(n);
  RC_ASSERT(by.quotient(small) == small / divisor);
  RC_ASSERT(by.remainder(small) == small % divisor);
}

TEST(Divisor, EdgesOfEverySmallDivisor) {
  for (std::uint32_t divisor = 1; divisor <= 2000; ++divisor) {
    const Divisor by(divisor);
    for (const std::uint32_t base : {0U, divisor, 1000U * divisor, 0xffffffffU / divisor * divisor, 0xffffffffU})
      for (const std::uint32_t n : {base - 1, base, base + 1}) {
        ASSERT_EQ(by.quotient(n), n / divisor) << n << " / " << divisor;
        ASSERT_EQ(by.remainder(n), n % divisor) << n << " / " << divisor;
      }
  }
}

}  // namespace
}  // namespace flashloom::divisor_test
