// Energy of a die's array, worked by hand. Command cycles of a read or a program take 175 ns, tR 50 us, tPROG 600 us,
// tBERS 3 ms; a page 4096 ns on the bus: a program sent at 0 has its array busy from 4.271 us on.
#include "models/nand/nand_energy.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::nand_energy_test {
namespace {

using enum FlashOperation;

NandConfig bits() {
  NandConfig config;
  config.channels = 1;
  config.ways = 1;
  config.blocks = 4;
  config.pages = 8;
  config.energy_model = "bits";
  config.idle_power = 0.01;
  config.read_energy = {1e-9};
  config.program_energy = {25e-9};
  config.erase_energy = 0.5e-9;
  config.bus_current = 0;
  return config;
}

/// Runs to the end and closes the ledger; counts the die's operations.
struct Books {
  explicit Books(ChannelBench& bench, Picoseconds end = 10 * kMillisecond) {
    run_until(end);
    bench.channel.settle(end);
    bench.ledger.finish(end);
    report = bench.ledger.report();
    for (const ComponentEnergy& component : report.components)
      for (const ComponentEnergy::Operation& operation : component.operations)
        if (component.kind == "nand") counts[operation.name] += operation.count;
    EXPECT_NEAR(report.power.joules(), report.total_j, 1e-9 * report.total_j);
  }
  double joules(const char* row) const { return report.operations.at(row).joules; }
  EnergyReport report;
  std::map<std::string, std::uint64_t> counts;
};

// The die programs a page, reads a part of it (which senses all of it) and erases a block of 8 pages: 102.4, 4.096,
// 16.384 uJ, and 10 mW for 10 ms.
TEST(NandEnergy, BytesOfOneDie) {
  ChannelBench bench("channel", bits(), 1024);
  OnfiCommand& read = bench.make(Read, 0, 0, 0);
  read.units = 1;
  read.bytes = 1024;
  bench.send_at(0, bench.make(Program, 0, 0, 0));
  bench.send_at(kMillisecond, read);
  bench.send_at(2 * kMillisecond, bench.make(Erase, 0, 0, 0));
  const Books books(bench);
  EXPECT_NEAR(books.joules("nand.program"), 102.4e-6, 1e-15);
  EXPECT_NEAR(books.joules("nand.read"), 4.096e-6, 1e-17);
  EXPECT_NEAR(books.joules("nand.erase"), 16.384e-6, 1e-16);
  EXPECT_NEAR(books.report.background_j, 100e-6, 1e-15);
  EXPECT_EQ(books.report.operations.at("nand.program").count, 4096U);
}

// Energies differ by page type; a one-shot program writes three pages on each of two planes.
TEST(NandEnergy, AOneShotProgramOfTwoPlanesHasPagesOfEachType) {
  NandConfig config = bits();
  config.planes = 2;
  config.multi_plane_program = config.multi_plane_read = true;
  config.pages = 6;
  config.pages_per_program = 3;
  config.read_time = {50 * kMicrosecond, 60 * kMicrosecond, 70 * kMicrosecond};
  config.program_time = {600 * kMicrosecond};
  config.program_energy = {10e-9, 20e-9, 30e-9};
  config.read_energy = {1e-9, 2e-9, 4e-9};
  ChannelBench bench("channel", config, 4096);
  bench.send_at(0, bench.make(Program, 0, 0, 0));
  // Pages 2 and 3 of the erase unit are the middle pages of both planes, read together; 5 is an upper one.
  OnfiCommand& first = bench.make(Read, 0, 0, 2);
  first.together = &bench.make(Read, 0, 0, 3);
  bench.send_at(2 * kMillisecond, first);
  bench.send_at(3 * kMillisecond, bench.make(Read, 0, 0, 5));
  bench.send_at(4 * kMillisecond, bench.make(Erase, 0, 0, 0));
  Books books(bench);
  EXPECT_EQ(books.counts["program0"], 8192U);
  EXPECT_EQ(books.counts["program1"], 8192U);
  EXPECT_EQ(books.counts["program2"], 8192U);
  EXPECT_NEAR(books.joules("nand.program"), 8192 * 60e-9, 1e-15);
  EXPECT_EQ(books.counts["read0"], 0U);
  EXPECT_EQ(books.counts["read1"], 8192U);
  EXPECT_EQ(books.counts["read2"], 4096U);
  EXPECT_EQ(books.counts["erase"], 2U * 6 * 4096);  // the blocks of both planes
}

TEST(NandEnergy, BlocksInSlcModeHaveTheirOwn) {
  NandConfig config = bits();
  config.pages = 8;
  config.read_time = {50 * kMicrosecond, 60 * kMicrosecond};
  config.slc_blocks = 1;
  config.slc_program_energy = 5e-9;
  ChannelBench bench("channel", config, 4096);
  bench.send_at(0, bench.make(Program, 0, 0, 0));
  bench.send_at(kMillisecond, bench.make(Read, 0, 0, 0));
  bench.send_at(2 * kMillisecond, bench.make(Erase, 0, 0, 0));
  bench.send_at(6 * kMillisecond, bench.make(Program, 0, 1, 0));
  Books books(bench);
  EXPECT_EQ(books.counts["slc_program"], 4096U);
  EXPECT_EQ(books.counts["program"], 4096U);
  EXPECT_EQ(books.counts["slc_read"], 4096U);
  EXPECT_NEAR(books.joules("nand.program"), 4096 * 30e-9, 1e-15);
  EXPECT_NEAR(books.joules("nand.read"), 4096e-9, 1e-17);  // a read of the lower page
  EXPECT_EQ(books.counts["erase"], 8U * 4096);
}

// Parts of a page are programmed one by one and sensed together.
TEST(NandEnergy, PartialPrograms) {
  NandConfig config = bits();
  config.partial_programs = 4;
  ChannelBench bench("channel", config, 1024);
  bench.send_at(0, bench.make(Program, 0, 0, 0));
  bench.send_at(kMillisecond, bench.make(Program, 0, 0, 1));
  OnfiCommand& read = bench.make(Read, 0, 0, 0);
  read.together = &bench.make(Read, 0, 0, 1);
  bench.send_at(2 * kMillisecond, read);
  Books books(bench);
  EXPECT_EQ(books.counts["program"], 2048U);
  EXPECT_EQ(books.counts["read"], 4096U);
}

// Power fails in the middle of a program: it has drawn half of its energy and draws no more.
TEST(NandEnergy, APowerCutTakesBackWhatWasNotDone) {
  ChannelBench bench("channel", bits(), 4096);
  bench.send_at(0, bench.make(Program, 0, 0, 0));
  const Picoseconds cut = 304'271'000;
  bench.call_at(cut, [&] {
    bench.channel.power_cut(cut);
    for (NandDie& die : bench.dies) die.power_cut(cut);
    bench.ledger.power_off(cut, kMillisecond);
    bench.checker.reset();
  });
  Books books(bench, 2 * kMillisecond);
  EXPECT_EQ(books.counts["program"], 2048U);
  EXPECT_NEAR(books.joules("nand.program"), 51.2e-6, 1e-16);
  EXPECT_NEAR(books.report.background_j, 0.01 * 1.304271e-3, 1e-15);
}

/// A read suspends a program, which resumes if `resumed`. Returns the bytes that the program has counted 5 ms later.
std::uint64_t programmed_with_a_suspension(bool resumed) {
  NandConfig config = bits();
  config.program_suspend = true;
  ChannelBench bench("channel", config, 4096);
  bench.media.apply(bench.make(Program, 0, 1, 0));
  OnfiCommand& program = bench.make(Program, 0, 0, 0);
  OnfiCommand& read = bench.make(Read, 0, 1, 0);
  bench.send_at(0, program);
  bench.send_at(200 * kMicrosecond, read);
  bench.on_complete = [&](OnfiCommand& done) {
    if (&done == &read && resumed) bench.send(program);
  };
  Books books(bench, 5 * kMillisecond);
  EXPECT_EQ(books.counts["read"], 4096U);
  return books.counts["program"];
}

// The suspend command ends at 200.025 us, the array stands at 220.025; the longer array time costs no energy.
TEST(NandEnergy, ASuspendedProgramDrawsItsEnergyOnce) { EXPECT_EQ(programmed_with_a_suspension(true), 4096U); }

// The program has worked for 215.754 of its 600 us.
TEST(NandEnergy, WhatStandsSuspendedHasDrawnItsPart) {
  EXPECT_EQ(programmed_with_a_suspension(false), 4096U * 215'754 / 600'000);
}

// By current: a read of one plane draws 82.5 mW, the second plane adds half of that.
TEST(NandEnergy, FurtherPlanesAddAShareOfTheCurrent) {
  NandConfig config = bits();
  config.energy_model = "current";
  config.planes = 2;
  config.multi_plane_program = config.multi_plane_read = true;
  config.plane_current_share = 0.5;
  ChannelBench bench("channel", config, 4096);
  bench.send_at(0, bench.make(Program, 0, 0, 0));
  OnfiCommand& both = bench.make(Read, 0, 0, 0);
  both.together = &bench.make(Read, 0, 0, 1);
  bench.send_at(kMillisecond, both);
  bench.send_at(2 * kMillisecond, bench.make(Read, 0, 0, 0));
  bench.send_at(3 * kMillisecond, bench.make(Erase, 0, 0, 0));
  Books books(bench);
  EXPECT_NEAR(books.joules("nand.program"), 600e-6 * 82.5e-3 * 1.5, 1e-15);
  EXPECT_NEAR(books.joules("nand.read"), 50e-6 * 82.5e-3 * (1.5 + 1), 1e-15);
  EXPECT_NEAR(books.joules("nand.erase"), 3e-3 * 82.5e-3 * 1.5, 1e-15);
}

// The anchor: a 16 KiB page of TLC at 0.15, 3.31 and 0.07 nJ a bit (AutoBlox) takes 19.7 uJ to read, 434 uJ to program.
TEST(NandEnergy, TheDefaultsAreTheAnchor) {
  NandConfig config;
  config.energy_model = "bits";
  const PowerFigures figures = NandEnergy::power_figures(config);
  EXPECT_NEAR(figures.operations.at(0).joules * 16384, 0.15e-9 * 8 * 16384, 1e-15);
  EXPECT_NEAR(figures.operations.at(1).joules * 16384, 3.31e-9 * 8 * 16384, 1e-15);
  EXPECT_NEAR(figures.operations.at(2).joules, 0.07e-9 * 8, 1e-18);
}

TEST(NandEnergy, MostOfAnOperation) {
  NandConfig config = bits();
  config.program_time_spread = 0.5;
  // 102.4 uJ in at least 300 us.
  EXPECT_NEAR(NandEnergy::most_watts(config), 102.4e-6 / 300e-6, 1e-9);
}

}  // namespace
}  // namespace flashloom::nand_energy_test
