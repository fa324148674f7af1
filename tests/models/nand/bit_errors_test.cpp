// Bit errors against the formula worked by hand and against another library's binomial distribution.
#include "models/nand/bit_errors.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

#include "models/nand/nand_config.hpp"

namespace flashloom::bit_errors_test {
namespace {

using Binomial = boost::math::binomial_distribution<double>;

NandConfig cells() {
  NandConfig config;
  config.channels = 1;
  config.ways = 1;
  config.blocks = 8;
  config.pages = 64;
  config.page_size = 16384;
  config.errors.model = "power_law";
  config.ecc.codeword = 1024;
  config.ecc.parity = 126;
  config.ecc.strength = 20;
  return config;
}

struct Bench {
  explicit Bench(const NandConfig& config, std::uint64_t seed = 1)
      : geometry(config, 4096), errors(config, geometry, seed), oob(geometry.units_per_page) {}
  std::uint32_t read(std::uint32_t block, std::uint32_t page, std::uint32_t erases, std::uint8_t retry = 0,
                     Picoseconds at = 0, std::uint32_t programmed = 0) {
    OnfiCommand command;
    command.address = {Die{0}, Block{block}, Page{page}};
    command.units = static_cast<std::uint16_t>(geometry.units_per_page);
    command.bytes = geometry.page_bytes;
    command.oob = oob.data();
    command.retry = retry;
    command.at.complete = at;
    errors.read(command, block, erases, erases, geometry.in_slc_mode(command.address.block), programmed);
    return command.bit_errors;
  }
  NandGeometry geometry;
  BitErrors errors;
  std::vector<OobWord> oob;
};

TEST(BinomialQuantile, IsThatOfAnotherLibrary) {
  for (const std::uint32_t n : {100U, 9200U, 36800U})
    for (const double p : {1e-6, 1e-4, 1.48e-3, 8e-3, 0.05, 0.3, 0.5})
      for (const double u : {0.0, 1e-9, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-11}) {
        const std::uint32_t k = binomial_quantile(n, p, u);
        const Binomial exact(n, p);
        // k is the smallest number with P(at most k) >= u, within the rounding of some thousand terms.
        const double slack = 1e-9 * (1 - u) + 5e-13;
        EXPECT_GE(boost::math::cdf(exact, k) + slack, u) << n << ' ' << p << ' ' << u;
        if (k > 0 && u > 0) {
          EXPECT_LE(boost::math::cdf(exact, k - 1) - slack, u) << n << ' ' << p << ' ' << u;
        }
      }
  EXPECT_EQ(binomial_quantile(1000, 0, 0.999), 0U);
  EXPECT_EQ(binomial_quantile(1000, 1, 0.001), 1000U);
}

TEST(BitErrors, RateIsTheSumOfItsPowerLaws) {
  const Bench bench(cells());
  // 1.48e-3 + 3.90e-10 * 3000^2.05, worked with a pocket calculator: 3000^2.05 = 1.34307e7.
  EXPECT_NEAR(bench.errors.rate(3000, 0, 0, 0), 1.48e-3 + 3.90e-10 * 1.34307e7, 1e-8);
  // + 6.28e-5 * 3000^0.14 (3.06759) * 365^0.54 (24.1901)
  EXPECT_NEAR(bench.errors.rate(3000, 365, 0, 0), 1.48e-3 + 3.90e-10 * 1.34307e7 + 6.28e-5 * 3.06759 * 24.1901, 3e-8);
  // + 3.73e-9 * 3000^0.33 (14.0427) * 1000^1.71 (134896)
  EXPECT_NEAR(bench.errors.rate(3000, 0, 1000, 0), 1.48e-3 + 3.90e-10 * 1.34307e7 + 3.73e-9 * 14.0427 * 134896, 3e-8);
  EXPECT_EQ(bench.errors.rate(1e7, 0, 0, 0), 0.5);
}

TEST(BitErrors, PagesInSlcModeHaveTheLowerPagesRateTimesTheirFactor) {
  NandConfig config = cells();
  config.pages = 6;
  config.read_time = {50, 60, 70};
  config.slc_blocks = 1;
  config.errors.page_factors = {0.5, 1.0, 2.0};
  config.errors.slc_factor = 0.1;
  Bench bench(config);
  EXPECT_DOUBLE_EQ(bench.errors.rate(3000, 30, 0, 6), 0.1 * bench.errors.rate(3000, 30, 0, 0));
  // For any page: of many cells hardly one is wrong in SLC mode, dozens in TLC mode.
  std::uint32_t slc = 0, tlc = 0;
  for (std::uint32_t erases = 0; erases < 50; ++erases) {
    slc += bench.read(0, 1, 3000 + erases);
    tlc += bench.read(1, 1, 3000 + erases);
  }
  EXPECT_GT(slc, 0U);
  EXPECT_LT(slc * 5, tlc);
}

// Word lines have three pages: of ten programmed pages the last word line has one, the one before it three.
TEST(BitErrors, OpenBlocksHaveMore) {
  NandConfig config = cells();
  config.read_time = {50, 60, 70};
  config.pages = 12;
  config.slc_blocks = 1;
  const auto errors = [&](std::uint32_t block, std::uint32_t page, std::uint32_t programmed) {
    Bench bench(config);
    std::uint32_t sum = 0;
    for (std::uint32_t erases = 0; erases < 50; ++erases)
      sum += bench.read(block, page, 3000 + erases, 0, 0, programmed);
    return sum;
  };
  const std::uint32_t full = errors(1, 5, 0);
  EXPECT_EQ(errors(1, 5, 10), full);
  config.errors.open_block_factor = 4;
  EXPECT_EQ(errors(1, 5, 0), full);
  for (const std::uint32_t page : {0U, 5U, 9U}) EXPECT_GT(errors(1, page, 10), 3 * full);
  config.errors.open_word_lines = 2;
  EXPECT_EQ(errors(1, 5, 10), full);
  for (const std::uint32_t page : {6U, 8U, 9U}) EXPECT_GT(errors(1, page, 10), 3 * full);
  // In SLC mode a page is a word line.
  EXPECT_EQ(errors(0, 0, 3), errors(0, 0, 0));
  EXPECT_GT(errors(0, 1, 3), 3 * errors(0, 1, 0));
}

TEST(BitErrors, PageTypesHaveTheirFactors) {
  NandConfig config = cells();
  config.pages = 6;
  config.errors.page_factors = {0.5, 1.0, 2.0};
  const Bench bench(config);
  const double middle = bench.errors.rate(100, 10, 0, 1);
  EXPECT_DOUBLE_EQ(bench.errors.rate(100, 10, 0, 0), 0.5 * middle);
  EXPECT_DOUBLE_EQ(bench.errors.rate(100, 10, 0, 2), 2 * middle);
  EXPECT_DOUBLE_EQ(bench.errors.rate(100, 10, 0, 3), 0.5 * middle);
}

// The share of pages with a codeword of more errors than can be corrected is 1 - F(t)^codewords, within five standard
// deviations.
TEST(BitErrors, PagesFailAsOftenAsTheBinomialDistributionSays) {
  NandConfig config = cells();
  config.errors.base = 1.3e-3;
  config.errors.wear_factor = config.errors.disturb_factor = 0;
  const Binomial exact((1024 + 126) * 8, 1.3e-3);
  const double page_fails = 1 - std::pow(boost::math::cdf(exact, 20), 16);
  ASSERT_GT(page_fails, 0.02);
  ASSERT_LT(page_fails, 0.5);
  Bench bench(config, 3);
  std::uint32_t failed = 0;
  std::uint32_t pages = 0;
  for (std::uint32_t erases = 0; erases < 40; ++erases)
    for (std::uint32_t block = 0; block < 8; ++block)
      for (std::uint32_t page = 0; page < 64; ++page, ++pages)
        if (bench.read(block, page, erases) > 20) ++failed;
  const double deviation = std::sqrt(pages * page_fails * (1 - page_fails));
  EXPECT_NEAR(failed, pages * page_fails, 5 * deviation);
  // The histogram: the same for single codewords.
  const std::vector<std::uint64_t>& histogram = bench.errors.histogram();
  const double codewords = 16.0 * pages;
  for (std::uint32_t k = 0; k <= 20; ++k) {
    const double expected = codewords * boost::math::pdf(exact, k);
    EXPECT_NEAR(static_cast<double>(histogram[k]), expected, 5 * std::sqrt(expected) + 1) << k;
  }
  const double beyond = codewords * boost::math::cdf(boost::math::complement(exact, 20));
  EXPECT_NEAR(static_cast<double>(histogram[21]), beyond, 5 * std::sqrt(beyond));
}

TEST(BitErrors, AreTheSameForTheSameHistoryAndOthersForAnotherSeed) {
  NandConfig config = cells();
  config.errors.disturb_factor = 0;
  Bench one(config, 5);
  Bench same(config, 5);
  Bench other(config, 6);
  std::uint32_t differ = 0;
  for (std::uint32_t page = 0; page < 64; ++page) {
    const std::uint32_t errors = one.read(2, page, 7);
    EXPECT_EQ(one.read(2, page, 7), errors) << "a page read again has the same errors";
    differ += errors != other.read(2, page, 7) ? 1 : 0;
  }
  for (std::uint32_t page = 64; page-- > 0;) EXPECT_EQ(same.read(2, page, 7), one.read(2, page, 7)) << "in any order";
  EXPECT_GT(differ, 32U);
}

TEST(BitErrors, GrowWithWearAgeAndReadsAndShrinkWithReadRetry) {
  NandConfig config = cells();
  config.errors.pe_cycles = 1000;
  config.errors.retention_age = 90 * 86400;
  config.errors.retry_rates = {0.6, 0.3};
  Bench bench(config);
  const std::uint32_t young = bench.read(0, 5, 0);
  bench.errors.begin_aging();
  const std::uint32_t old = bench.read(0, 5, 0);
  EXPECT_GT(old, young);
  EXPECT_LT(bench.read(0, 5, 0, 1), old);
  EXPECT_LT(bench.read(0, 5, 0, 2), bench.read(0, 5, 0, 1));
  for (int i = 0; i < 64 * 5000; ++i) bench.errors.disturb(0);
  EXPECT_GT(bench.read(0, 5, 0), old);
  bench.errors.erased(0);
  EXPECT_EQ(bench.errors.reads(0), 0U);
  // Pages written in the timed run are new, and age as time goes on.
  bench.errors.programmed(0, 1000 * kMillisecond);
  EXPECT_LT(bench.read(0, 5, 0, 0, 1000 * kMillisecond), old);
  EXPECT_GE(bench.read(0, 5, 0, 0, 18'000'000 * std::uint64_t{1'000'000'000'000}),
            bench.read(0, 5, 0, 0, 1000 * kMillisecond));
}

TEST(BitErrors, SpareAreasAloneHaveNone) {
  NandConfig config = cells();
  config.errors.base = 0.4;
  Bench bench(config);
  OnfiCommand command;
  command.units = 4;
  command.bytes = 4 * sizeof(OobWord);
  command.bit_errors = 3;
  bench.errors.read(command, 0, 0, 0, false);
  EXPECT_EQ(command.bit_errors, 0U);
  EXPECT_EQ(bench.errors.reads(0), 1U) << "but they disturb";
}

}  // namespace
}  // namespace flashloom::bit_errors_test
