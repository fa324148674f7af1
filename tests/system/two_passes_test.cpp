// Programs in two passes (nand.program_passes): their cost, where data are read between the passes, and both clocks.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/alike.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::two_passes_test {
namespace {

std::vector<std::string> with(std::vector<std::string> base, const std::vector<std::string>& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

/// One die; program units of 4 pages of 4 KiB, 12 per block.
DeviceConfig one_die(const std::vector<std::string>& more = {}) {
  return preset("calibration",
                with({"nand.channels=1", "nand.ways=1", "nand.blocks=24", "nand.pages=48", "nand.pages_per_program=4",
                      "nand.program_time=1 ms", "nand.program_passes=2", "nand.first_pass_time=400 us",
                      "ftl.over_provisioning=1.0", "buffer.mode=write_back", "buffer.size=256 KiB",
                      "buffer.high_watermark=0.01", "buffer.low_watermark=0", "verify=true"},
                     more));
}

std::vector<Request> requests(RequestKind kind, std::uint64_t n, std::uint64_t length) {
  std::vector<Request> all(n);
  for (std::uint64_t i = 0; i < n; ++i) all[i] = {.offset = i * length, .length = length, .kind = kind};
  return all;
}

std::uint64_t bytes_on_bus(const Json& result) { return result["counters"]["program"]["host"][3]; }

// Twelve units fill a block: twelve first and twelve second passes, and each page crosses the bus twice.
TEST(TwoPasses, ABlockTakesBothOfEachUnit) {
  std::vector<Request> all = requests(RequestKind::Write, 12, 16384);
  all.push_back({.kind = RequestKind::Flush});
  const Json result = simulate(one_die(), {{all, 1, 0}});
  EXPECT_EQ(result["counters"]["program"]["host"][0], 12);
  EXPECT_EQ(bytes_on_bus(result), 2 * 12 * 16384U);
  const double array = result["utilization"]["dies"][0]["program"].get<double>() * result["end_ps"].get<double>();
  EXPECT_NEAR(array, 12 * 1400e6, 1e6);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
}

TEST(TwoPasses, TheSecondOneTakesTheRest) {
  const Json result = simulate(one_die({"nand.first_pass_pages=3"}), {{requests(RequestKind::Write, 12, 16384), 1, 0}});
  EXPECT_EQ(bytes_on_bus(result), 12 * 16384U);
}

// A unit that waits for its second pass is read from memory; a flush pads until the unit has had it.
TEST(TwoPasses, WhatWaitsIsInMemory) {
  std::vector<Request> all = requests(RequestKind::Write, 1, 16384);
  const std::vector<Request> reads = requests(RequestKind::Read, 4, 4096);
  all.insert(all.end(), reads.begin(), reads.end());
  const Json waiting = simulate(one_die(), {{all, 1, 0}});
  EXPECT_EQ(waiting["counters"]["read"]["host"][0], 0);
  EXPECT_EQ(waiting["counters"]["program"]["host"][0], 1);
  all.insert(all.begin() + 1, Request{.kind = RequestKind::Flush});
  const Json flushed = simulate(one_die(), {{all, 1, 0}});
  EXPECT_EQ(flushed["counters"]["program"]["host"][0], 2);  // one of them is padding
  EXPECT_EQ(flushed["verify"]["mismatches"], 0);
}

// Partial writes to units whose older data wait for their second pass.
TEST(TwoPasses, PartialWritesCompleteFromWhatWaits) {
  const DeviceConfig config = one_die({"ftl.mapping_unit=4 KiB"});
  std::vector<Request> all = requests(RequestKind::Write, 4, 4096);
  for (std::uint64_t i = 0; i < 4; ++i)
    all.push_back({.offset = i * 4096 + 512, .length = 512, .kind = RequestKind::Write});
  const std::vector<Request> reads = requests(RequestKind::Read, 4, 4096);
  all.insert(all.end(), reads.begin(), reads.end());
  for (const std::uint32_t depth : {1U, 4U}) EXPECT_EQ(simulate(config, {{all, depth, 0}})["verify"]["mismatches"], 0);
}

// Blocking garbage collection: the erase of a victim may wait for a second pass that only the program unit being filled
// by the host brings.
TEST(TwoPasses, BlockingCollectionDoesNotWaitForWhatTheHostFills) {
  const DeviceConfig config =
      preset("tiny", {"nand.channels=1", "nand.ways=2", "nand.blocks=22", "nand.pages=12", "nand.page_size=16 KiB",
                      "nand.pages_per_program=3", "nand.program_passes=2", "ftl.streams=single", "ftl.gc_low=1",
                      "ftl.gc_mode=blocking", "buffer.size=1 MiB", "ftl.over_provisioning=0.5", "precondition.fill=1",
                      "verify=true"});
  for (std::uint64_t seed = 1; seed <= effort(4, 12); ++seed) {
    MixOptions mix = mix_for(config, seed, 1500);
    mix.whole_units = true;
    mix.max_units = 16;
    mix.reads = 5;
    mix.trims = mix.fua = 10;
    mix.flushes = mix.hot = 0;
    mix.gap_ps = 5 * kMillisecond;
    EXPECT_EQ(simulate(config, {{random_mix(mix), 0, 0}})["verify"]["mismatches"], 0) << seed;
  }
}

class Pairs : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Pairs, VerifyAndDecideAlikeOnBothClocks) {
  const DeviceConfig config = small_preset(
      "tiny",
      with({"nand.pages=32", "nand.blocks=28", "nand.pages_per_program=4", "nand.program_passes=2",
            "nand.first_pass_time=300 us", "ftl.over_provisioning=1.5", "buffer.size=1 MiB", "precondition.fill=0.9"},
           GetParam()));
  MixOptions mix = mix_for(config, 5, 6000);
  // Requests that pad, and collection that waits for a word line: what is padded does not depend on what is in flight.
  // (What DFTL's maps and the SLC write cache pad does.)
  MixOptions steady = mix;
  steady.requests = 1500;
  steady.whole_units = true;
  steady.reads = 0;  // whether they hit data in flight in the buffer depends on time
  const bool alike = config.ftl.kind.name != "dftl" && config.nand.slc_blocks == 0;
  for (steady.seed = 1; alike && steady.seed <= effort(3, 12); ++steady.seed) {
    const std::vector<Request> all = random_mix(steady);
    expect_wrote_alike(simulate(config, {{all, 1, 0}}), run_instantly(config, all));
  }
  const Json deep = simulate(config, {{random_mix(mix), 16, 0}});
  EXPECT_EQ(deep["verify"]["mismatches"], 0);
  EXPECT_EQ(deep["host"]["media_errors"], 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, Pairs,
    testing::Values(std::vector<std::string>{}, std::vector<std::string>{"ftl.kind={name=\"dftl\",cmt_size=\"400 B\"}"},
                    std::vector<std::string>{"ftl.gc_unit=superblock"},
                    std::vector<std::string>{"nand.slc_blocks=4", "nand.program_time=1.5 ms"},
                    std::vector<std::string>{"nand.planes=2", "nand.multi_plane_program=true",
                                             "nand.multi_plane_read=true"},
                    std::vector<std::string>{"nand.page_size=16 KiB", "ftl.mapping_unit=16 KiB", "buffer.size=4 MiB"},
                    std::vector<std::string>{"power.plp=true"}, std::vector<std::string>{"buffer.mode=write_through"}));

}  // namespace
}  // namespace flashloom::two_passes_test
