#include "workloads/generators/drawn_steady.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace flashloom::drawn_steady_test {
namespace {

// By hand: of four units, half of them valid, victims have 1 valid unit in one case of six, else none; 12/23 of an erase
// unit's worth leave each level, so 3/23, 4/23, 6/23 and 10/23 of the erase units have 4, 3, 2 and 1 valid units.
TEST(GreedySteady, OfFourUnitsByHand) {
  const GreedySteady steady(4, 2);
  EXPECT_NEAR(steady.valid_below(10.0 / 23), 10.0 / 23, 1e-12);
  EXPECT_NEAR(steady.valid_below(16.0 / 23), 22.0 / 23, 1e-12);
  EXPECT_NEAR(steady.valid_below(20.0 / 23), 34.0 / 23, 1e-12);
  EXPECT_NEAR(steady.valid_below(1), 2, 1e-12);
}

TEST(GreedySteady, WithMuchRoomNothingIsCopied) {
  const GreedySteady steady(4, 0.4);
  EXPECT_DOUBLE_EQ(steady.valid_below(0.5), 0);
  EXPECT_NEAR(steady.valid_below(1), 0.4, 1e-12);
}

RC_GTEST_PROP(GreedySteady, HoldsWhatIsValid, ()) {
  const double units = *rc::gen::inRange(2, 6000) / 2.0;
  const double fill = *rc::gen::inRange(1, 1000) / 1000.0;
  const GreedySteady steady(units, units * fill);
  RC_ASSERT(std::abs(steady.valid_below(1) - units * fill) < 1e-6 * units);
  RC_ASSERT(steady.valid_below(0.5) <= units * fill / 2 + 1e-9);
}

struct Drawn {
  DrawnSteadySource::Options options;
  std::vector<std::uint32_t> valid;  // of each erase unit, those of a bank after one another
};

Drawn any_drawn() {
  Drawn drawn;
  DrawnSteadySource::Options& options = drawn.options;
  options.banks = *rc::gen::inRange(1, 9);
  options.blocks = *rc::gen::inRange(2, 40);
  options.units_per_program = *rc::gen::inRange(1, 5);
  options.units_per_block = options.units_per_program * *rc::gen::inRange(1, 40);
  const std::uint64_t all = std::uint64_t{options.banks} * options.blocks * options.units_per_block;
  options.units = *rc::gen::inRange<std::uint64_t>(1, all);
  RC_PRE(options.fit());
  options.unit_bytes = 512;
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  // Where each unit was written last.
  std::vector<std::int64_t> last(options.units, -1);
  DrawnSteadySource source(options);
  Request request;
  std::int64_t writes = 0;
  for (; source.next(request); ++writes) {
    RC_ASSERT(request.length == 512U && request.kind == RequestKind::Write && request.offset % 512 == 0);
    last.at(request.offset / 512) = writes;
  }
  RC_ASSERT(static_cast<std::uint64_t>(writes) <= all);
  drawn.valid.resize(std::size_t{options.banks} * options.blocks);
  for (const std::int64_t write : last) {
    RC_ASSERT(write >= 0);
    const std::int64_t program = write / options.units_per_program;
    const std::int64_t row = program / options.banks / (options.units_per_block / options.units_per_program);
    ++drawn.valid[static_cast<std::size_t>(program % options.banks * options.blocks + row)];
  }
  return drawn;
}

// Every unit is written, and what is valid of an erase unit is what theory has at its place of the order, to one unit.
RC_GTEST_PROP(DrawnSteadySource, LeavesWhatTheoryHas, ()) {
  const Drawn drawn = any_drawn();
  const DrawnSteadySource::Options& options = drawn.options;
  const auto blocks = static_cast<double>(drawn.valid.size());
  const GreedySteady steady(options.closed(), static_cast<double>(options.units) / blocks);
  for (std::uint32_t bank = 0; bank < options.banks; ++bank)
    for (std::uint32_t row = 0; row < options.blocks; ++row) {
      const double place = row * options.banks + bank;
      const double expected = (steady.valid_below((place + 1) / blocks) - steady.valid_below(place / blocks)) * blocks;
      RC_ASSERT(std::abs(drawn.valid[bank * options.blocks + row] - expected) <= 1.001);
    }
}

}  // namespace
}  // namespace flashloom::drawn_steady_test
