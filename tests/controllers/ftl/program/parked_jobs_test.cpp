// Copy jobs that are parked until their turn comes.
#include <gtest/gtest.h>

#include "controllers/ftl/program/programmer.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::parked_jobs_test {
namespace {

NandConfig device() {
  NandConfig config;
  config.channels = config.ways = 1;
  config.blocks = config.pages = 4;
  return config;
}

struct Bench : MediaBench {
  using MediaBench::MediaBench;

  BlockTable blocks{context};
  OobLayout layout{8};
  FtlStatistics statistics;
  Programmer programmer{context, blocks, layout, statistics};
};

// Every job in the pool is asked which blocks it needs: a parked job that stayed in the pool would hold back the erase
// of the block that it had copied from.
TEST(ParkedJob, IsAllThatIsLeftOfItsJob) {
  Bench bench(device());
  constexpr BlockNumber kSource = 0;
  bench.blocks.open_free(1);
  ProgramJob& job = bench.programmer.jobs().begin(1, Origin::Gc);
  bench.programmer.jobs().place_copy(job, bench.layout.encode(3, 1), kSource);
  EXPECT_TRUE(bench.programmer.exposed().needs(job, kSource));
  const ParkedJob parked = bench.programmer.jobs().park(job);
  EXPECT_FALSE(bench.programmer.exposed().needs(job, kSource));
  EXPECT_TRUE(bench.programmer.exposed().needs(bench.programmer.jobs().unpark(parked), kSource));
}

}  // namespace
}  // namespace flashloom::parked_jobs_test
