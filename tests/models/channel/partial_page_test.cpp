// Partial-page programs: parts of a page are programmed one by one and read together.
//
// Figures: command cycles 175 ns, tR 50 us, tPROG 600 us; a page of 2 KiB that takes four programs, so a part of 512
// bytes is 512 ns on the bus.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::partial_page_test {
namespace {

NandConfig four_parts() {
  NandConfig config;
  config.channels = 1;
  config.ways = 1;
  config.blocks = 4;
  config.pages = 4;
  config.page_size = 2048;
  config.partial_programs = 4;
  return config;
}

TEST(PartialPage, GeometryCountsParts) {
  const NandGeometry geometry(four_parts(), 512);
  EXPECT_EQ(geometry.pages, 16U);
  EXPECT_EQ(geometry.page_bytes, 512U);
  EXPECT_EQ(geometry.units_per_program(), 1U);
  EXPECT_EQ(geometry.raw_bytes(), 4U * 4 * 2048);
  EXPECT_EQ(geometry.page_in_block(Page{7}), 1U);
  EXPECT_TRUE(geometry.together(Block{0}, Page{4}, Block{0}, Page{7}));
  EXPECT_FALSE(geometry.together(Block{0}, Page{3}, Block{0}, Page{4}));
  EXPECT_FALSE(geometry.together(Block{0}, Page{4}, Block{1}, Page{5}));
}

TEST(PartialPage, EachPartTakesAProgramAndAllTakeOneRead) {
  ChannelBench bench("channel", four_parts(), 512);
  std::vector<OnfiCommand*> programs;
  for (std::uint32_t part = 0; part < 4; ++part) programs.push_back(&bench.make(FlashOperation::Program, 0, 0, part));
  OnfiCommand& read = bench.make(FlashOperation::Read, 0, 0, 0);
  OnfiCommand* last = &read;
  for (std::uint32_t part = 1; part < 4; ++part) last = last->together = &bench.make(FlashOperation::Read, 0, 0, part);
  std::size_t next = 1;
  bench.on_complete = [&](OnfiCommand& done) {
    if (done.operation == FlashOperation::Program) bench.send(next < 4 ? *programs[next++] : read);
  };
  bench.send_at(0, *programs[0]);
  run_until(10 * kMillisecond);
  const Picoseconds program = 175'000 + 512'000 + 600 * kMicrosecond;
  ASSERT_EQ(bench.completions.size(), 8U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bench.completions[i].first, (i + 1) * program);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(bench.completions[4 + i].first, 4 * program + 175'000 + 50 * kMicrosecond + (i + 1) * 512'000);
  EXPECT_EQ(bench.checker.errors(), std::vector<std::string>{});
}

TEST(PartialPage, PartsOfDifferentPagesAreNotReadTogether) {
  ChannelBench bench("channel", four_parts(), 512);
  for (std::uint32_t part = 0; part < 8; ++part) bench.media.apply(bench.make(FlashOperation::Program, 0, 0, part));
  OnfiCommand& read = bench.make(FlashOperation::Read, 0, 0, 3);
  read.together = &bench.make(FlashOperation::Read, 0, 0, 4);
  bench.send_at(0, read);
  EXPECT_THROW(run_until(kMillisecond), sc_core::sc_report);  // of the kernel, with the FirmwareViolation's text
}

}  // namespace
}  // namespace flashloom::partial_page_test
