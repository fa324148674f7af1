#include "models/nand/nand_timing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "models/nand/nand_config.hpp"

namespace flashloom::nand_timing_test {
namespace {

TEST(NandTiming, SlcByHand) {
  NandConfig config;  // 4 KiB pages, 50/600/3000 us, 1000 MT/s x 8 bits, 25 ns cycles
  const NandGeometry geometry(config, 4096);
  const NandTiming timing(config, geometry);
  EXPECT_EQ(timing.command_time(FlashOperation::Read), 175'000U);
  EXPECT_EQ(timing.command_time(FlashOperation::Program), 175'000U);
  EXPECT_EQ(timing.command_time(FlashOperation::Erase), 125'000U);
  EXPECT_EQ(timing.data_time(4096), 4'096'000U);
  EXPECT_EQ(timing.data_time(512), 512'000U);
  EXPECT_EQ(timing.data_time(0), 0U);
  EXPECT_EQ(timing.unloaded_read(4096), 54'271'000U);
  EXPECT_EQ(timing.unloaded_program(), 604'271'000U);
  EXPECT_EQ(timing.unloaded_erase(), 3'000'125'000U);
}

TEST(NandTiming, WidthRateAndRoundingUp) {
  NandConfig config;
  config.transfer_rate = 333'000'000;
  config.bus_width = 16;
  const NandTiming timing(config, NandGeometry(config, 4096));
  // 4096 bytes are 2048 transfers of 1/333 MHz: 6,150,150.15 ps.
  EXPECT_EQ(timing.data_time(4096), 6'150'151U);
  // 1 byte is half a transfer of 3,003.003 ps.
  EXPECT_EQ(timing.data_time(1), 1'502U);
}

TEST(NandTiming, SpareBytesByShare) {
  NandConfig config;
  config.page_size = 16384;
  config.spare_size = 1000;
  config.transfer_spare = true;
  const NandTiming timing(config, NandGeometry(config, 4096));
  EXPECT_EQ(timing.bus_bytes(16384), 17384U);
  EXPECT_EQ(timing.bus_bytes(4096), 4346U);
  EXPECT_EQ(timing.bus_bytes(512), 512U + 32U);  // 31.25 rounded up
  EXPECT_EQ(timing.data_time(16384), 17'384'000U);
  EXPECT_EQ(timing.data_time(4096), 4'346'000U);
}

// Two passes of 4 pages on 2 planes: the first program unit of a block brings its first pass only, each next unit also
// the second pass of the unit before, and the last one its own second pass, too.
TEST(NandTiming, TwoPassesByHand) {
  NandConfig config;
  config.planes = 2;
  config.multi_plane_program = true;
  config.pages_per_program = 4;
  config.pages = 16;
  config.program_passes = 2;
  config.first_pass_time = 300 * kMicrosecond;
  config.program_time = {1000 * kMicrosecond};
  const auto commands = [&] {
    const NandGeometry geometry(config, 4096);
    const NandTiming timing(config, geometry);
    std::vector<std::pair<Picoseconds, std::uint32_t>> all;  // us in the array, pages moved
    for (std::uint32_t page = 0; page < 32; page += 8)
      all.emplace_back(timing.program_time(Page{page}) / kMicrosecond,
                       geometry.program_bytes(Page{page}, false) / 4096);
    EXPECT_EQ(geometry.program_bytes(Page{24}, true), 8 * 4096U);  // in pseudo-SLC mode
    return all;
  };
  using Commands = std::vector<std::pair<Picoseconds, std::uint32_t>>;
  EXPECT_EQ(commands(), (Commands{{300, 8}, {1300, 16}, {1300, 16}, {2300, 24}}));
  EXPECT_EQ(longest_program_time(config), 2300 * kMicrosecond);
  config.first_pass_pages = 3;
  EXPECT_EQ(commands(), (Commands{{300, 6}, {1300, 8}, {1300, 8}, {2300, 10}}));
  // Command and data cycles are those of the pages that are moved.
  const NandTiming timing(config, NandGeometry(config, 4096));
  OnfiCommand program;
  program.operation = FlashOperation::Program;
  program.bytes = 8 * 4096;
  const Picoseconds once = timing.request_time(program);
  program.bytes = 10 * 4096;
  EXPECT_EQ(timing.request_time(program), once * 10 / 8);
}

TEST(NandTiming, PageTypesAlternate) {
  NandConfig config;
  config.read_time = {48, 64};
  config.program_time = {850, 2300};
  const NandTiming timing(config, NandGeometry(config, 4096));
  EXPECT_EQ(timing.read_time(Page{0}), 48U);
  EXPECT_EQ(timing.read_time(Page{5}), 64U);
  EXPECT_EQ(timing.program_time(Page{4}), 850U);
  EXPECT_EQ(timing.program_time(Page{255}), 2300U);
}

TEST(NandTiming, OneShotOverPlanes) {
  NandConfig config;
  config.planes = 2;
  config.multi_plane_program = true;
  config.pages_per_program = 3;
  config.pages = 6;
  config.page_size = 8192;
  config.read_time = {10, 20, 30};
  config.program_time = {100, 200, 700};
  config.unit_layout = "page_first";
  const NandGeometry geometry(config, 4096);
  const NandTiming timing(config, geometry);
  EXPECT_EQ(timing.program_time(Page{0}), 700U);
  EXPECT_EQ(timing.program_time(Page{6}), 700U);
  // Programming order: pages 0-2 of plane 0, 0-2 of plane 1, 3-5 of plane 0, ...
  EXPECT_EQ(timing.read_time(Page{0}), 10U);
  EXPECT_EQ(timing.read_time(Page{2}), 30U);
  EXPECT_EQ(timing.read_time(Page{3}), 10U);
  EXPECT_EQ(timing.read_time(Page{7}), 20U);
  // Or page 0 of both planes, then 1 of both, ...
  config.unit_layout = "plane_first";
  const NandTiming rows(config, NandGeometry(config, 4096));
  EXPECT_EQ(rows.read_time(Page{1}), 10U);
  EXPECT_EQ(rows.read_time(Page{2}), 20U);
  EXPECT_EQ(rows.read_time(Page{5}), 30U);
  EXPECT_EQ(rows.read_time(Page{7}), 10U);
  // Each of six pages has its command and address cycles; an erase has them for two planes.
  EXPECT_EQ(timing.command_time(FlashOperation::Program), 6U * 7 * 25'000);
  EXPECT_EQ(timing.command_time(FlashOperation::Erase), 2U * 5 * 25'000);
  EXPECT_EQ(timing.unloaded_program(), 1'050'000U + 6U * 8'192'000 + 700);
}

// Two planes, one-shot TLC of 18 pages: six of them in SLC mode, in two program units of three.
TEST(NandTiming, BlocksInSlcModeHaveTimesAndPagesOfTheirOwn) {
  NandConfig config;
  config.planes = 2;
  config.multi_plane_program = true;
  config.multi_plane_read = true;
  config.pages_per_program = 3;
  config.blocks = 8;
  config.pages = 18;
  config.read_time = {50, 60, 70};
  config.program_time = {1000};
  config.erase_time = 3000;
  config.slc_blocks = 2;
  config.slc_read_time = 20;
  config.slc_program_time = 200;
  const NandGeometry geometry(config, 4096);
  EXPECT_EQ(geometry.slc_blocks, 2U);
  EXPECT_EQ(geometry.slc_pages, 12U);
  EXPECT_TRUE(geometry.in_slc_mode(Block{1}));
  EXPECT_FALSE(geometry.in_slc_mode(Block{2}));
  EXPECT_EQ(geometry.total_units(), std::uint64_t{geometry.dies} * 6 * 36);
  // Pages 2 and 3 are of one row: read together unless their blocks are in different modes.
  EXPECT_TRUE(geometry.together(Block{0}, Page{2}, Block{1}, Page{3}));
  EXPECT_FALSE(geometry.together(Block{1}, Page{2}, Block{2}, Page{3}));
  const NandTiming timing(config, geometry);
  const auto time = [&](FlashOperation operation, std::uint32_t block, std::uint32_t page) {
    OnfiCommand command;
    command.operation = operation;
    command.address = {Die{0}, Block{block}, Page{page}};
    return timing.array_time(command);
  };
  EXPECT_EQ(time(FlashOperation::Read, 1, 2), 20U);
  EXPECT_EQ(time(FlashOperation::Read, 2, 2), 60U);
  EXPECT_EQ(time(FlashOperation::Program, 1, 6), 600U);  // three pages of a plane, one after the other
  EXPECT_EQ(time(FlashOperation::Program, 2, 6), 1000U);
  EXPECT_EQ(time(FlashOperation::Erase, 0, 0), 3000U);
  config.slc_erase_time = 2000;
  OnfiCommand erase;
  erase.operation = FlashOperation::Erase;
  EXPECT_EQ(NandTiming(config, geometry).array_time(erase), 2000U);
  // For a block whose mode firmware chooses, the command carries the mode.
  erase.address.block = Block{5};
  erase.slc = true;
  EXPECT_EQ(NandTiming(config, geometry).array_time(erase), 3000U) << "it has no choice here";
  config.slc_dynamic = 2;
  EXPECT_EQ(NandTiming(config, NandGeometry(config, 4096)).array_time(erase), 2000U);
  erase.slc = false;
  EXPECT_EQ(NandTiming(config, NandGeometry(config, 4096)).array_time(erase), 3000U);
}

// Planes programmed apart, and blocks whose pages no program unit of three fills evenly.
TEST(NandTiming, SlcModeHasWholeProgramUnits) {
  NandConfig config;
  config.planes = 2;
  config.pages_per_program = 3;
  config.pages = 12;
  config.slc_blocks = 1;
  const NandGeometry geometry(config, 4096);
  EXPECT_EQ(geometry.slc_blocks, 2U);  // one of each plane
  EXPECT_EQ(geometry.slc_pages, 3U);   // of the 12 / 3 = 4 pages
}

TEST(NandTiming, RefusesTimesOfNothing) {
  NandConfig config;
  const NandGeometry geometry(config, 4096);
  config.read_time = {50, 0};
  EXPECT_THROW(NandTiming(config, geometry), std::invalid_argument);
  config = {};
  config.program_time.clear();
  EXPECT_THROW(NandTiming(config, geometry), std::invalid_argument);
  config = {};
  config.erase_time = 0;
  EXPECT_THROW(NandTiming(config, geometry), std::invalid_argument);
}

TEST(NandTiming, ProgramsSpreadUniformlyAroundTheirMean) {
  NandConfig config;
  config.program_time_spread = 0.2;
  const NandGeometry geometry(config, 4096);
  const NandTiming timing(config, geometry, 4);
  OnfiCommand command;
  command.operation = FlashOperation::Program;
  double sum = 0;
  Picoseconds least = kNever;
  Picoseconds most = 0;
  constexpr int kPrograms = 10000;
  for (int i = 0; i < kPrograms; ++i) {
    command.sequence = static_cast<std::uint64_t>(i);
    const Picoseconds time = timing.array_time(command);
    EXPECT_EQ(timing.array_time(command), time) << "channel and die ask for it";
    sum += static_cast<double>(time);
    least = std::min(least, time);
    most = std::max(most, time);
  }
  EXPECT_GE(least, 480 * kMicrosecond);
  EXPECT_LE(most, 720 * kMicrosecond);
  EXPECT_LT(least, 481 * kMicrosecond);
  EXPECT_GT(most, 719 * kMicrosecond);
  // A uniform distribution of width 240 us: 240 / sqrt(12) deviation.
  EXPECT_NEAR(sum / kPrograms, 600e6, 5 * 69.3e6 / 100);
  EXPECT_NE(NandTiming(config, geometry, 5).array_time(command), timing.array_time(command));
  command.address.page = Page{7};
  EXPECT_NE(timing.array_time(command), NandTiming(config, geometry, 4).program_time(Page{7}));
  config.program_time_spread = 0;
  EXPECT_EQ(NandTiming(config, geometry, 4).array_time(command), 600 * kMicrosecond);
}

// Pages read together take the longest of their times, with the variation of their places; program times do not change.
TEST(NandTiming, ReadsOfOpenBlocksTakeLonger) {
  NandConfig config;
  config.senses = {1, 2, 4, 8};
  config.sense_time = 20;
  config.read_setup = 1000;
  EXPECT_EQ(config.times_by_senses(), (std::vector<Picoseconds>{1020, 1040, 1080, 1160}));
  config.read_time = config.times_by_senses();
  config.program_time = {5000};
  config.open_read_factor = 1.25;
  EXPECT_EQ(config.longest_read(), 1450U);
  const NandTiming timing(config, NandGeometry(config, 4096));
  OnfiCommand command, other;
  command.address.page = Page{7};
  EXPECT_EQ(timing.array_time(command), 1160U);
  command.open = true;
  EXPECT_EQ(timing.array_time(command), 1450U);
  other.address.page = Page{7};
  other.together = &command;
  EXPECT_EQ(timing.array_time(other), 1450U);
  command.retry = 1;
  config.errors.retry_time = 3;
  EXPECT_EQ(NandTiming(config, NandGeometry(config, 4096)).array_time(command), 1453U);
  command.operation = FlashOperation::Program;
  EXPECT_EQ(timing.array_time(command), 5000U);
  config.variation.read.block = 0.1;
  const NandGeometry geometry(config, 4096);
  command.operation = FlashOperation::Read;
  command.retry = 0;
  const NandTiming varied(config, geometry);
  const auto open = static_cast<double>(varied.array_time(command));
  command.open = false;
  EXPECT_NEAR(open, 1.25 * static_cast<double>(varied.array_time(command)), 1);
  EXPECT_NE(varied.array_time(command), 1160U);
}

TEST(NandTiming, RetriesTakeTheirTimeBeyondTR) {
  NandConfig config;
  config.errors.retry_time = 3 * kMicrosecond;
  const NandTiming timing(config, NandGeometry(config, 4096));
  OnfiCommand command;
  EXPECT_EQ(timing.array_time(command), 50 * kMicrosecond);
  command.retry = 2;
  EXPECT_EQ(timing.array_time(command), 53 * kMicrosecond);
}

}  // namespace
}  // namespace flashloom::nand_timing_test
