// A device with two sources of victims of its own: when they are asked, where data go, and what counts the moves.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/ftl/kinds/page_map.hpp"
#include "tests/support/ftl_writes.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::victim_sources_test {
namespace {

/// Wants one block collected when it is told so.
class OneBlock final : public VictimSource {
 public:
  OneBlock(Collector& collector, std::vector<BlockNumber>& begun, std::uint64_t& moved, bool apart)
      : VictimSource(collector, {.apart = apart, .units_moved = &moved}, Begins::Always), begun_(begun) {}
  BlockNumber wanted = kNoBlockNumber;

  bool wants(std::uint32_t group) const override {
    return wanted != kNoBlockNumber && blocks_.group_of(wanted) == group;
  }
  Task<bool> begin(std::uint32_t group) override {
    const BlockNumber victim = std::exchange(wanted, kNoBlockNumber);
    if (!collector_.victims().all_closed(victim)) co_return false;
    if (apart()) co_await collector_.open_apart(group, victim);
    collector_.begin(*this, group, victim, blocks_.units_per_block());
    begun_.push_back(victim);
    co_return true;
  }

 private:
  std::vector<BlockNumber>& begun_;
};

class Device final : public PageMapFtl {
 public:
  explicit Device(const FtlContext& context) : PageMapFtl(context) {
    first = add(moved_by_first, true);
    second = add(moved_by_second, false);
  }
  const BlockTable& blocks() const { return blocks_; }

  std::vector<BlockNumber> begun;
  std::uint64_t moved_by_first = 0;
  std::uint64_t moved_by_second = 0;
  OneBlock* first;
  OneBlock* second;

 private:
  OneBlock* add(std::uint64_t& moved, bool apart) {
    auto source = std::make_unique<OneBlock>(collector_, begun, moved, apart);
    OneBlock* const added = source.get();
    collector_.sources().add(std::move(source));
    return added;
  }
};

constexpr std::uint32_t kUnits = 64;  // fill eight blocks

struct Media : MediaBench {
  Media() : MediaBench(small_dies(1, 16, 8), {}, true) { context.logical_units = context.host_units = kUnits; }
};

class Bench final : public Media, public FtlWrites {
 public:
  Bench() {
    for (std::uint32_t unit = 0; unit < kUnits; ++unit) FtlWrites::write(device, unit);
  }
  ~Bench() { runtime.destroy_frames(); }

  /// Writes a block's worth of the last units, which no test has collected.
  void write_block() {
    for (std::uint32_t unit = kUnits - 8; unit < kUnits; ++unit) FtlWrites::write(device, unit);
  }

  Device device{context};
};

TEST(VictimSources, AreAskedInTheirOrderThoughEnoughSpaceIsFree) {
  Bench bench;
  bench.device.first->wanted = 1;
  bench.device.second->wanted = 0;
  bench.write_block();
  bench.write_block();
  EXPECT_EQ(bench.device.begun, (std::vector<BlockNumber>{1, 0}));
  EXPECT_EQ(bench.device.statistics().gc_runs, 0U);
  bench.device.check();
}

TEST(VictimSources, CountTheMovesOfTheirVictims) {
  Bench bench;
  FtlWrites& writes = bench;
  writes.write(bench.device, 0);  // leaves seven units in block 0
  bench.device.first->wanted = 0;
  bench.device.second->wanted = 1;
  bench.write_block();
  bench.write_block();
  EXPECT_EQ(bench.device.moved_by_first, 7U);
  EXPECT_EQ(bench.device.moved_by_second, 8U);
  EXPECT_EQ(bench.device.statistics().units_moved, 0U);
  EXPECT_EQ(bench.device.blocks()[0].state, BlockState::Free);
  EXPECT_EQ(bench.device.blocks()[1].state, BlockState::Free);
}

TEST(VictimSources, AreForgottenWhereTheirVictimIsInUse) {
  Bench bench;
  bench.write_block();             // opens the ninth block, and fills it
  bench.device.first->wanted = 9;  // free
  bench.write_block();
  EXPECT_TRUE(bench.device.begun.empty());
  EXPECT_EQ(bench.device.first->wanted, kNoBlockNumber);
}

}  // namespace
}  // namespace flashloom::victim_sources_test
