#include "workloads/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/workloads/generators/generator_support.hpp"
#include "workloads/portable_math.hpp"

namespace flashloom::distributions_test {
namespace {

void expect_relative(double value, double expected) {
  EXPECT_LE(std::abs(value - expected), 1e-15 * std::abs(expected)) << value << " for " << expected;
}

TEST(PortableMath, AgreesWithTheLibrary) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.unit();
    const double wide = std::exp((u - 0.5) * 1000);
    expect_relative(portable_log(wide), std::log(wide));
    expect_relative(portable_exp((u - 0.5) * 600), std::exp((u - 0.5) * 600));
    const double small = (u - 0.5) * std::ldexp(1.0, -static_cast<int>(random.below(50)));
    expect_relative(portable_log1p(small), std::log1p(small));
    expect_relative(portable_expm1(small), std::expm1(small));
  }
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1e9), 0);
  EXPECT_TRUE(std::isinf(portable_exp(1e9)));
}

TEST(Zipf, RanksFollowTheClosedForm) {
  constexpr std::uint64_t kRanks = 200;
  for (const double theta : {0.0, 0.5, 0.99, 1.0, 1.2, 2.0}) {
    std::vector<double> probabilities;
    double sum = 0;
    for (std::uint64_t k = 1; k <= kRanks; ++k) {
      probabilities.push_back(std::pow(static_cast<double>(k), -theta));
      sum += probabilities.back();
    }
    for (double& p : probabilities) p /= sum;
    const ZipfRank rank(kRanks, theta);
    Random random(7);
    std::vector<double> counts(kRanks);
    for (int i = 0; i < 1'000'000; ++i) ++counts[rank(random) - 1];
    EXPECT_LT(std::abs(chi_square_z(counts, probabilities)), 4) << "theta " << theta;
  }
}

// Digests of the ranks when every inversion was worked out (commit 068ef004): cubic approximations must change no rank.
TEST(Zipf, RanksAreThoseOfTheInversion) {
  struct Drawn {
    std::uint64_t ranks;
    double theta;
    std::uint64_t digest;  // of 100,000 ranks
  };
  constexpr Drawn kDrawn[] = {
      {3, 0.0, 0xb7513f2fba32c1cb},  {400'000, 0.0, 0x98b0a0d657e4ca19},  {4'000'000'000, 0.0, 0xd9384fd4a6cb082a},
      {3, 0.5, 0xa0c31854527306f5},  {400'000, 0.5, 0xa6c6566fc000f96c},  {4'000'000'000, 0.5, 0xba70d15ec9622adc},
      {3, 0.9, 0xa9e9932bf75b1db1},  {400'000, 0.9, 0x5ee9e84f323b4468},  {4'000'000'000, 0.9, 0x5f41af7c841c1170},
      {3, 0.99, 0xfb6d636b9ba5767e}, {400'000, 0.99, 0x1cc598f2f3e82f41}, {4'000'000'000, 0.99, 0xdd3fd9619cc4fa8f},
      {3, 1.0, 0x4367fd802ff073c5},  {400'000, 1.0, 0x1e652e85c51f639d},  {4'000'000'000, 1.0, 0x60c5edfe783147b2},
      {3, 1.1, 0x800fdfa4ddf8ae65},  {400'000, 1.1, 0xfd1d39a3c4a5f043},  {4'000'000'000, 1.1, 0xda65bdda6f874548},
      {3, 2.0, 0x5d95dda74f0db762},  {400'000, 2.0, 0xc6487794a4b90f33},  {4'000'000'000, 2.0, 0x6bdb1e81397809e6},
      {3, 20.0, 0x1ab1819f9fb4a65d}, {400'000, 20.0, 0x1ab1819f9fb4a65d}, {4'000'000'000, 20.0, 0x1ab1819f9fb4a65d},
  };
  for (const Drawn& drawn : kDrawn) {
    const ZipfRank rank(drawn.ranks, drawn.theta);
    Random random(11);
    std::uint64_t digest = 0;
    for (int i = 0; i < 100'000; ++i) {
      digest ^= rank(random);
      digest = splitmix64(digest);
    }
    EXPECT_EQ(digest, drawn.digest) << drawn.ranks << " ranks, theta " << drawn.theta;
  }
}

TEST(Zipf, OneRankAndVeryManyRanks) {
  Random random(1);
  const ZipfRank one(1, 0.99);
  const ZipfRank many(std::uint64_t{1} << 50U, 0.8);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(one(random), 1);
    const std::uint64_t rank = many(random);
    EXPECT_TRUE(rank >= 1 && rank <= std::uint64_t{1} << 50U);
  }
}

TEST(Distributions, ExponentialAndPareto) {
  constexpr double kMean = 5;
  constexpr double kShape = 1.5;
  Random random(3);
  std::vector<double> exponential;
  std::vector<double> pareto;
  for (int i = 0; i < 100'000; ++i) {
    exponential.push_back(draw_exponential(random, kMean));
    pareto.push_back(draw_pareto(random, kMean, kShape));
  }
  EXPECT_LT(kolmogorov(exponential, [](double x) { return 1 - std::exp(-x / kMean); }), kKolmogorovLimit);
  const double scale = kMean * (kShape - 1) / kShape;
  EXPECT_LT(kolmogorov(pareto, [&](double x) { return 1 - std::pow(scale / x, kShape); }), kKolmogorovLimit);
  for (const double x : pareto) EXPECT_LE(x, 1e4 * kMean);
}

TEST(Distributions, WeightedIndex) {
  const std::vector<double> weights = {3, 0, 1, 4};
  const WeightedIndex index(weights);
  Random random(5);
  std::vector<double> counts(4);
  for (int i = 0; i < 100'000; ++i) ++counts[index(random)];
  EXPECT_EQ(counts[1], 0);
  EXPECT_LT(std::abs(chi_square_z({counts[0], counts[2], counts[3]}, {3.0 / 8, 1.0 / 8, 4.0 / 8})), 4);
  EXPECT_THROW(WeightedIndex({0, 0}), std::invalid_argument);
  EXPECT_THROW(WeightedIndex({1, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace flashloom::distributions_test
