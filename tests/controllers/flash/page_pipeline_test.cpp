#include "controllers/flash/page_pipeline.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/controllers/flash/flash_bench.hpp"

namespace flashloom::page_pipeline_test {
namespace {

using enum FlashOperation;

constexpr Picoseconds kLatency = 30 * kMicrosecond;

NandConfig device() {
  NandConfig config;
  config.channels = 2;
  config.ways = 1;
  config.blocks = 16;
  config.pages = 16;
  return config;
}

TEST(PagePipeline, HandsEachPageOnSoMuchLater) {
  FlashBench bench(device());
  bench.flash.delay_pages(kLatency);
  for (const std::uint32_t page : {0U, 1U})
    for (const std::uint32_t die : {0U, 1U}) bench.submit(Program, die, 0, page);
  run_until(20 * kMillisecond);
  ASSERT_EQ(bench.completed.size(), 4U) << "programs do not pass it";
  std::vector<Picoseconds> handed;
  bench.on_complete = [&](OnfiCommand& read) {
    handed.push_back(kernel_now());
    EXPECT_EQ(read.at.decoded, kernel_now());
    EXPECT_EQ(read.at.decoded, read.at.complete + kLatency);
  };
  // Two reads on each die: the die senses the second while the first page is in the pipeline.
  std::vector<OnfiCommand*> reads;
  for (const std::uint32_t page : {0U, 1U})
    for (const std::uint32_t die : {0U, 1U}) reads.push_back(&bench.submit(Read, die, 0, page));
  run_until(40 * kMillisecond);
  ASSERT_EQ(handed.size(), 4U);
  EXPECT_EQ(handed[0], handed[1]) << "two channels side by side";
  EXPECT_EQ(handed[2], handed[3]);
  EXPECT_EQ(handed[2] - handed[0], bench.timing.unloaded_read(bench.geometry.page_bytes))
      << "the die does not wait for it";
  EXPECT_EQ(bench.flash.pending(), 0U);
  EXPECT_TRUE(bench.protocol_errors().empty());
}

TEST(PagePipeline, ForgetsItsPagesWhenPowerIsCut) {
  FlashBench bench(device());
  bench.flash.delay_pages(kLatency);
  bench.submit(Program, 0, 0, 0);
  run_until(20 * kMillisecond);
  bench.completed.clear();
  const OnfiCommand& read = bench.submit(Read, 0, 0, 0);
  while (read.at.complete == 0 || bench.flash.queued(Die{0}) != 0) run_until(kernel_now() + kMicrosecond);
  EXPECT_EQ(bench.flash.pending(), 1U) << "in the pipeline";
  bench.flash.power_cut(kernel_now());
  EXPECT_EQ(bench.flash.pending(), 0U);
  run_until(kernel_now() + kMillisecond);
  EXPECT_TRUE(bench.completed.empty());
}

}  // namespace
}  // namespace flashloom::page_pipeline_test
