// Host data that follow copies in a block (ftl.streams = "single") whose last program units lack their second pass.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "controllers/ftl/kinds/page_map.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/support/ftl_writes.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::write_frontier_test {
namespace {

/// Throws when one unit of host data costs so many collections that the device must be going round in circles.
class Bounded final : public PageMapFtl, private MoveListener {
 public:
  explicit Bounded(const FtlContext& context) : PageMapFtl(context) { collector_.relocator().attach(*this); }
  std::uint32_t victims = 0;

 private:
  static constexpr std::uint32_t kMostVictims = 100;
  void moved(std::uint32_t, std::uint32_t) override {}
  void collected(std::uint32_t) override {
    if (++victims > kMostVictims) throw std::runtime_error("no program unit is to be had, however much is collected");
  }
};

// Six blocks of four program units of two units.
NandConfig one_die() {
  NandConfig config = small_dies(1, 6, 8);
  config.pages_per_program = 2;
  config.program_passes = 2;
  return config;
}

FtlConfig shared_blocks() {
  FtlConfig config;
  config.streams.name = "single";
  config.gc_mode = "blocking";
  config.gc_low = 1;
  return config;
}

constexpr std::uint32_t kUnits = 32;  // fill four blocks

struct Media : MediaBench {
  Media() : MediaBench(one_die(), shared_blocks(), true) { context.logical_units = context.host_units = kUnits; }
};

class Bench final : public Media, public FtlWrites {
 public:
  ~Bench() { runtime.destroy_frames(); }

  void write(std::uint32_t unit) {
    ftl.victims = 0;
    FtlWrites::write(ftl, unit);
  }

  Bounded ftl{context};
};

// Blocks 0 to 3 have six valid units of eight each, block 4 has eight, and block 5 is free. The six copies of a victim
// are three program units, and padding behind them is the fourth: the first collection frees nothing and fills block 5.
// Later copies follow each other without padding: the 18 of three victims and the six in block 5 fill three blocks.
TEST(HostDataBehindCopies, DoNotWaitForPaddingThatTakesAllThatAVictimGives) {
  Bench bench;
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) bench.write(unit);
  for (std::uint32_t unit = 0; unit < kUnits; unit += 8)
    for (std::uint32_t of_two = 0; of_two < 2; ++of_two) bench.write(unit + of_two);
  EXPECT_EQ(bench.durable, kUnits + 8);
  EXPECT_EQ(bench.ftl.statistics().gc_runs, 0U);

  ASSERT_NO_THROW(bench.write(2));
  EXPECT_EQ(bench.ftl.statistics().gc_runs, 5U);
  EXPECT_EQ(bench.ftl.statistics().units_moved, 6U + 18U + 6U);
  EXPECT_EQ(bench.ftl.statistics().units_padded, 2U);
  EXPECT_EQ(bench.ftl.least_free_blocks(), 1U);
  bench.ftl.check();
}

TEST(HostDataBehindCopies, FindRoomForEver) {
  Bench bench;
  std::uint32_t random = 1;
  for (std::uint32_t write = 0; write < 50 * kUnits; ++write) {
    random = random * 1664525 + 1013904223;
    ASSERT_NO_THROW(bench.write(write < kUnits ? write : (random >> 16) % kUnits)) << write;
  }
  bench.ftl.check();
}

}  // namespace
}  // namespace flashloom::write_frontier_test
