// Moves of cold data beside garbage collection for room.
#include <gtest/gtest.h>

#include <cstdint>

#include "controllers/ftl/kinds/page_map.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/support/ftl_writes.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::wear_leveler_test {
namespace {

class Observed final : public PageMapFtl {
 public:
  explicit Observed(const FtlContext& context) : PageMapFtl(context) {}
  /// Victims that are being emptied.
  std::uint32_t victims() const {
    std::uint32_t count = 0;
    for (BlockNumber block = 0; block < blocks_.size(); ++block)
      if (blocks_[block].state == BlockState::Collecting) ++count;
    return count;
  }
};

constexpr std::uint32_t kBlocks = 16;
constexpr std::uint32_t kUnits = 80;  // fill ten blocks

// Blocks of two program units of four units: a victim with one invalid unit frees less than padding may take.
NandConfig one_die() {
  NandConfig config = small_dies(1, kBlocks, 8);
  config.pages_per_program = 4;
  return config;
}

FtlConfig levels_wear_in_shared_blocks() {
  FtlConfig config;
  config.streams.name = "single";
  config.wear_leveling = {"group", ParameterValues({{"blocks", std::int64_t{2}}, {"threshold", std::int64_t{2}}})};
  config.gc_low = 1;
  return config;
}

struct Media : MediaBench {
  Media() : MediaBench(one_die(), levels_wear_in_shared_blocks(), true) {
    context.logical_units = context.host_units = kUnits;
  }
};

class Bench final : public Media, public FtlWrites {
 public:
  ~Bench() { runtime.destroy_frames(); }

  void write(std::uint32_t unit) { FtlWrites::write(ftl, unit); }

  Observed ftl{context};
};

// A victim begun so that its copies fill a waiting program unit is emptied before cold data move.
TEST(MovesOfColdData, LeaveNoVictimBehind) {
  Bench bench;
  std::uint32_t random = 1;
  for (std::uint32_t write = 0; write < 40 * kUnits; ++write) {
    random = random * 1664525 + 1013904223;
    bench.write(write < kUnits ? write : (random >> 16) % kUnits);
    ASSERT_LE(bench.ftl.victims(), 1U) << write;
  }
  EXPECT_NE(bench.ftl.statistics().wear_moves, 0U);
  bench.ftl.check();
}

}  // namespace
}  // namespace flashloom::wear_leveler_test
