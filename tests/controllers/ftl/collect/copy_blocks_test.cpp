// Superblocks that host data and copies share (ftl.streams = "single"): where the copies go, worked by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "models/nand/nand_config.hpp"
#include "policies/registry.hpp"
#include "tests/support/ftl_writes.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::copy_blocks_test {
namespace {

constexpr std::uint32_t kUnits = 16;  // of a superblock

// Two dies of six blocks of four pages of two units; in idle time any superblock that frees a unit is collected.
NandConfig two_dies() {
  NandConfig config = small_dies(2, 6, 4);
  config.page_size = 8192;
  return config;
}

FtlConfig shared_superblocks() {
  FtlConfig config;
  config.gc_unit = "superblock";
  config.streams.name = "single";
  config.placement.name = "static_order";
  config.gc_low = 1;
  config.gc_background = 6;
  return config;
}

class Bench final : public MediaBench, public FtlWrites {
 public:
  Bench() : MediaBench(two_dies(), shared_superblocks(), true) {
    context.logical_units = context.host_units = kUnits;
    ftl = Family<Ftl>::make({"page_map", {}}, context);
  }
  ~Bench() { runtime.destroy_frames(); }

  /// Writes the logical units 0 to `count` - 1 in order.
  void write(std::uint32_t count) {
    for (std::uint32_t unit = 0; unit < count; ++unit) FtlWrites::write(*ftl, unit);
  }
  /// One step of background work: a program unit of copies for each member. False if it waits for something.
  bool idle() {
    bool done = false;
    runtime.spawn([&] { return step(done); });
    return done && runtime.quiescent();
  }
  /// Programmed pages of a block; a block and its superblock have the same number.
  std::uint32_t pages(std::uint32_t die, std::uint32_t block) const {
    return media.write_pointer(Die{die}, Block{block});
  }

  std::unique_ptr<Ftl> ftl;

 private:
  Task<void> step(bool& done) {
    co_await ftl->idle();
    done = true;
  }
};

// Units 0 to 3 are rewritten, one program unit a die. The other 12 units of superblock 0 make six program units of
// copies.
TEST(SharedSuperblocks, TakeCopiesOnTheirMembersInTurn) {
  Bench bench;
  bench.write(kUnits);
  bench.write(4);
  for (std::uint32_t pages = 1; pages <= 4; ++pages) {
    EXPECT_EQ(bench.pages(0, 1), pages);
    EXPECT_EQ(bench.pages(1, 1), pages);
    EXPECT_TRUE(bench.idle());
  }
  EXPECT_EQ(bench.ftl->statistics().units_moved, 12U);
  EXPECT_EQ(bench.ftl->statistics().units_padded, 0U);
  bench.ftl->check();
}

// The unit written last waits for another one to fill its program unit, which may be any of the superblock. Before
// copies follow it, the FTL programs it alone.
TEST(SharedSuperblocks, TakeNoCopiesBehindHostDataThatWait) {
  for (std::uint32_t again = 1; again < kUnits; again += 2) {
    Bench bench;
    bench.write(kUnits);
    bench.write(again);
    EXPECT_EQ(bench.durable, kUnits + again - 1);
    EXPECT_TRUE(bench.idle()) << again;
    EXPECT_TRUE(bench.idle()) << again;
    EXPECT_EQ(bench.durable, kUnits + again);
    bench.ftl->check();
  }
}

}  // namespace
}  // namespace flashloom::copy_blocks_test
