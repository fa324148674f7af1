// Process variation against the moments of the log-normal distribution, closed forms of its maxima, and by hand.
#include "models/nand/nand_variation.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "models/nand/bit_errors.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_energy.hpp"
#include "models/nand/nand_timing.hpp"

namespace flashloom::nand_variation_test {
namespace {

NandConfig device(std::uint32_t dies = 2, std::uint32_t blocks = 8) {
  NandConfig config;
  config.channels = dies;
  config.ways = 1;
  config.blocks = blocks;
  config.pages = 12;
  return config;
}

OnfiCommand command_of(FlashOperation operation, std::uint32_t die, std::uint32_t block, std::uint32_t page) {
  OnfiCommand command;
  command.operation = operation;
  command.address = {Die{die}, Block{block}, Page{page}};
  return command;
}

Picoseconds scaled(Picoseconds time, double factor) {
  return static_cast<Picoseconds>(std::llround(static_cast<double>(time) * factor));
}

TEST(NandVariation, IsOneEverywhereWhileNothingVaries) {
  const NandConfig config = device();
  const NandGeometry geometry(config, 4096);
  const VariationFactor none = error_variation(config, geometry);
  EXPECT_FALSE(none.on());
  EXPECT_EQ(none.at({Die{1}, Block{7}, Page{11}}, false), 1);
  EXPECT_EQ(none.slowest_block(Die{1}, Block{7}), 1);
  EXPECT_TRUE(tested_block_times(config, geometry).empty());
}

// 40,000 draws of blocks with deviation s have mean 1 and variance exp(s^2) - 1; a half lies below exp(-s^2 / 2),
// 0.1587 below one deviation less. Each within five standard errors.
TEST(NandVariation, HasTheMomentsOfTheLogNormalDistributionOfMeanOne) {
  for (const double s : {0.05, 0.1, 0.3}) {
    NandConfig config = device(4, 10'000);
    config.variation.program.block = s;
    const NandGeometry geometry(config, 4096);
    const TimeVariation variation(config, geometry);
    double sum = 0, squares = 0;
    std::uint32_t below_median = 0, below_deviation = 0;
    constexpr double kDraws = 40'000;
    for (std::uint32_t die = 0; die < 4; ++die)
      for (std::uint32_t block = 0; block < 10'000; ++block) {
        const double factor = variation.program.slowest_block(Die{die}, Block{block});
        sum += factor;
        squares += (factor - 1) * (factor - 1);
        below_median += factor < std::exp(-s * s / 2) ? 1 : 0;
        below_deviation += factor < std::exp(-s - s * s / 2) ? 1 : 0;
      }
    const double variance = std::exp(s * s) - 1;
    EXPECT_NEAR(sum / kDraws, 1, 5 * std::sqrt(variance / kDraws)) << s;
    EXPECT_NEAR(squares / kDraws, variance, 5 * variance * std::sqrt(2.0 / kDraws) * (1 + 5 * s)) << s;
    EXPECT_NEAR(below_median, kDraws / 2, 5 * std::sqrt(kDraws / 4)) << s;
    EXPECT_NEAR(below_deviation, kDraws * 0.158655, 5 * std::sqrt(kDraws * 0.158655 * 0.841345)) << s;
  }
}

// The slowest of n planes: the largest of n draws has the mean n E[Phi(Z + s)^(n - 1)], for two planes 2 Phi(s / sqrt
// 2).
TEST(NandVariation, AProgramOfSeveralPlanesTakesTheSlowest) {
  const boost::math::normal phi;
  for (const std::uint32_t planes : {2U, 4U}) {
    NandConfig config = device(2, 10'000);
    config.planes = planes;
    config.multi_plane_program = true;
    config.variation.program.block = 0.2;
    const NandGeometry geometry(config, 4096);
    const TimeVariation variation(config, geometry);
    double sum = 0;
    for (std::uint32_t die = 0; die < 2; ++die)
      for (std::uint32_t block = 0; block < 10'000; ++block) {
        const double slowest = variation.program.slowest({Die{die}, Block{block}, Page{0}}, false);
        sum += slowest;
        double most = 0;
        for (std::uint32_t page = 0; page < planes; ++page)
          most = std::max(most, variation.program.at({Die{die}, Block{block}, Page{page}}, false));
        ASSERT_EQ(slowest, most);
      }
    double expected = 2 * boost::math::cdf(phi, 0.2 / std::sqrt(2.0));
    if (planes == 4) {
      expected = 0;
      constexpr double kStep = 1e-3;
      for (double z = -8; z < 8; z += kStep)
        expected += kStep * boost::math::pdf(phi, z) * 4 * std::pow(boost::math::cdf(phi, z + 0.2), 3);
    }
    EXPECT_NEAR(sum / 20'000, expected, 5 * 0.2 / std::sqrt(20'000.0)) << planes;
  }
}

TEST(NandVariation, IsTheProductOfDieBlockAndLayer) {
  NandConfig config = device(3, 5);
  config.variation.read = {.die = 0.1, .block = 0.2, .layer = 0.3};
  const NandGeometry geometry(config, 4096);
  const TimeVariation variation(config, geometry);
  const auto at = [&](std::uint32_t die, std::uint32_t block, std::uint32_t page) {
    return variation.read.at({Die{die}, Block{block}, Page{page}}, false);
  };
  std::set<double> all;
  for (std::uint32_t die = 0; die < 3; ++die)
    for (std::uint32_t block = 0; block < 5; ++block)
      for (std::uint32_t page = 0; page < 12; ++page) {
        all.insert(at(die, block, page));
        // Layers are the same in all blocks of all dies.
        EXPECT_NEAR(at(die, block, page) / at(die, block, 0), at(0, 0, page) / at(0, 0, 0), 1e-12);
      }
  EXPECT_EQ(all.size(), 3U * 5 * 12);
  EXPECT_EQ(at(3, 0, 0), variation.read.layer(Page{0}, false)) << "no such die";
}

// 12 pages of three bits are four word lines; each of two layers has two of them, in pseudo-SLC mode, too.
TEST(NandVariation, WordLinesOfALayerAreAlike) {
  NandConfig config = device();
  config.read_time = {50, 60, 70};
  config.slc_blocks = 1;
  config.variation.errors.layer = 0.3;
  config.variation.layers = 2;
  const NandGeometry geometry(config, 4096);
  const VariationFactor errors = error_variation(config, geometry);
  const double low = errors.layer(Page{0}, false);
  const double high = errors.layer(Page{6}, false);
  EXPECT_NE(low, high);
  for (std::uint32_t page = 0; page < 12; ++page) EXPECT_EQ(errors.layer(Page{page}, false), page < 6 ? low : high);
  ASSERT_EQ(geometry.slc_pages, 4U);
  for (std::uint32_t page = 0; page < 4; ++page) EXPECT_EQ(errors.layer(Page{page}, true), page < 2 ? low : high);
  // Shadow programming: lower 0, lower 1, upper 0, lower 2, upper 1, ... of six word lines, each with a layer of its
  // own.
  config.read_time = {50, 60};
  config.slc_blocks = 0;
  config.variation.layers = 0;
  config.page_order = "shadow";
  const VariationFactor shadow = error_variation(config, NandGeometry(config, 4096));
  EXPECT_EQ(shadow.layer(Page{0}, false), shadow.layer(Page{2}, false));
  EXPECT_EQ(shadow.layer(Page{1}, false), shadow.layer(Page{4}, false));
  EXPECT_NE(shadow.layer(Page{0}, false), shadow.layer(Page{1}, false));
}

TEST(NandVariation, IsDrawnFromItsOwnSeedAndStaysWithinItsBounds) {
  NandConfig config = device(4, 5000);
  config.variation.program = {.die = 0.1, .block = 0.2, .layer = 0.1};
  const NandGeometry geometry(config, 4096);
  const TimeVariation one(config, geometry);
  // exp(+-4 x 0.4 - (0.01 + 0.04 + 0.01) / 2)
  EXPECT_NEAR(VariationFactor::most(config.variation.program), std::exp(1.57), 1e-12);
  EXPECT_NEAR(VariationFactor::least(config.variation.program), std::exp(-1.63), 1e-12);
  for (std::uint32_t block = 0; block < 5000; ++block) {
    const double factor = one.program.slowest({Die{3}, Block{block}, Page{5}}, false);
    EXPECT_LE(factor, VariationFactor::most(config.variation.program));
    EXPECT_GE(factor, VariationFactor::least(config.variation.program));
  }
  const FlashAddress place = {Die{1}, Block{2}, Page{3}};
  EXPECT_EQ(TimeVariation(config, geometry).program.at(place, false), one.program.at(place, false));
  config.variation.seed = 2;
  EXPECT_NE(TimeVariation(config, geometry).program.at(place, false), one.program.at(place, false));
  EXPECT_EQ(NandTiming(config, geometry, 1).array_time(command_of(FlashOperation::Program, 1, 2, 3)),
            NandTiming(config, geometry, 9).array_time(command_of(FlashOperation::Program, 1, 2, 3)))
      << "one drive under workloads of several seeds";
}

TEST(NandVariation, ArrayTimesAreTheMeanTimesTheFactor) {
  NandConfig config = device();
  config.read_time = {40 * kMicrosecond, 60 * kMicrosecond, 80 * kMicrosecond};
  config.program_time = {600 * kMicrosecond};
  config.slc_blocks = 1;
  config.errors.retry_time = 2 * kMicrosecond;
  config.variation.program = {.die = 0.05, .block = 0.1, .layer = 0.05};
  config.variation.erase = {.die = 0.05, .block = 0.1};
  config.variation.read = {.die = 0.02, .block = 0.03, .layer = 0.05};
  const NandGeometry geometry(config, 4096);
  const NandTiming timing(config, geometry);
  const TimeVariation varied(config, geometry);
  for (const std::uint32_t block : {0U, 3U}) {  // the first is in pseudo-SLC mode
    const bool slc = block == 0;
    const FlashAddress place = {Die{1}, Block{block}, Page{2}};
    OnfiCommand read = command_of(FlashOperation::Read, 1, block, 2);
    const Picoseconds tr = scaled(slc ? 25 * kMicrosecond : 80 * kMicrosecond, varied.read.at(place, slc));
    EXPECT_EQ(timing.array_time(read), tr);
    read.retry = 1;
    EXPECT_EQ(timing.array_time(read), tr + 2 * kMicrosecond);
    EXPECT_EQ(timing.array_time(command_of(FlashOperation::Program, 1, block, 2)),
              scaled(slc ? 200 * kMicrosecond : 600 * kMicrosecond, varied.program.at(place, slc)));
    EXPECT_EQ(timing.array_time(command_of(FlashOperation::Erase, 1, block, 0)),
              scaled(3 * kMillisecond, varied.erase.slowest_block(Die{1}, Block{block})));
  }
  // Single programs spread around the block's own time.
  config.program_time_spread = 0.1;
  const NandTiming spread(config, geometry);
  const auto mean = static_cast<double>(timing.array_time(command_of(FlashOperation::Program, 1, 3, 2)));
  OnfiCommand program = command_of(FlashOperation::Program, 1, 3, 2);
  double sum = 0;
  for (program.sequence = 0; program.sequence < 4000; ++program.sequence)
    sum += static_cast<double>(spread.array_time(program));
  EXPECT_NEAR(sum / 4000, mean, 5 * mean * 0.1 / std::sqrt(3 * 4000.0));
}

// Pages of several planes that are read together are ready when the slowest page is.
TEST(NandVariation, PagesReadTogetherTakeTheSlowest) {
  NandConfig config = device();
  config.planes = 2;
  config.multi_plane_read = true;
  config.variation.read.block = 0.2;
  const NandGeometry geometry(config, 4096);
  const NandTiming timing(config, geometry);
  OnfiCommand one = command_of(FlashOperation::Read, 0, 4, 1);
  OnfiCommand other = command_of(FlashOperation::Read, 0, 5, 1);
  const Picoseconds alone = timing.array_time(one);
  const Picoseconds other_alone = timing.array_time(other);
  ASSERT_NE(alone, other_alone);
  one.together = &other;
  EXPECT_EQ(timing.array_time(one), std::max(alone, other_alone));
}

TEST(NandVariation, TheLongestTimesBoundPowerAndEnergy) {
  NandConfig config = device();
  config.variation.program.block = 0.1;
  config.variation.erase.die = 0.05;
  const auto expect_times = [&config](double read, double program, double erase) {
    for (const NandEnergy::Most& most : NandEnergy::most(config)) {
      const double expected = most.operation == FlashOperation::Read      ? read
                              : most.operation == FlashOperation::Program ? program
                                                                          : erase;
      EXPECT_NEAR(static_cast<double>(most.time), expected, 1);
    }
  };
  expect_times(50e6, 600e6 * std::exp(0.4 - 0.005), 3e9 * std::exp(0.2 - 0.00125));
  config.energy_model = "bits";  // the same energy in the shortest time
  expect_times(50e6, 600e6 * std::exp(-0.4 - 0.005), 3e9 * std::exp(-0.2 - 0.00125));
}

// Two pages a program, four programs a block; tPROG 600 us and tBERS 3 ms, each times its factor.
TEST(NandVariation, TheTestFindsHowLongABlockTakesToEraseAndFill) {
  NandConfig config = device(2, 4);
  config.pages = 8;
  config.pages_per_program = 2;
  config.variation.program = {.die = 0.1, .block = 0.1, .layer = 0.1};
  config.variation.erase.block = 0.2;
  const NandGeometry geometry(config, 4096);
  const NandTiming timing(config, geometry);
  const std::vector<Picoseconds> times = tested_block_times(config, geometry);
  ASSERT_EQ(times.size(), 8U);
  for (std::uint32_t die = 0; die < 2; ++die)
    for (std::uint32_t block = 0; block < 4; ++block) {
      Picoseconds sum = timing.array_time(command_of(FlashOperation::Erase, die, block, 0));
      for (std::uint32_t page = 0; page < 8; page += 2)
        sum += timing.array_time(command_of(FlashOperation::Program, die, block, page));
      EXPECT_NEAR(static_cast<double>(times[die * 4 + block]), static_cast<double>(sum), 5);
    }
}

// A place has the errors of a rate that is the mean rate times the place's factor.
TEST(NandVariation, BitErrorsFollowTheirFactor) {
  NandConfig config = device(1, 8);
  config.page_size = 16384;
  config.errors.model = "power_law";
  config.errors.base = 1e-3;
  config.errors.wear_factor = config.errors.retention_factor = config.errors.disturb_factor = 0;
  config.variation.errors = {.block = 0.5, .layer = 0.3};
  const NandGeometry geometry(config, 4096);
  const VariationFactor factor = error_variation(config, geometry);
  NandConfig plain = config;
  plain.variation = {};
  std::vector<OobWord> oob(geometry.units_per_page);
  for (const std::uint32_t block : {0U, 3U, 7U})
    for (const std::uint32_t page : {0U, 11U}) {
      plain.errors.base = config.errors.base * factor.at({Die{0}, Block{block}, Page{page}}, false);
      BitErrors varied(config, geometry, 1), alike(plain, geometry, 1);
      for (std::uint32_t erases = 0; erases < 50; ++erases) {
        OnfiCommand command = command_of(FlashOperation::Read, 0, block, page);
        command.units = static_cast<std::uint16_t>(geometry.units_per_page);
        command.bytes = geometry.page_bytes;
        command.oob = oob.data();
        varied.read(command, block, erases, erases, false);
        const std::uint32_t errors = command.bit_errors;
        alike.read(command, block, erases, erases, false);
        EXPECT_EQ(errors, command.bit_errors);
      }
    }
}

}  // namespace
}  // namespace flashloom::nand_variation_test
