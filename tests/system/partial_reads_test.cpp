// Reads of less than a mapping unit (nand.ecc.frame): bytes moved and latency to the tick, errors of only the codewords
// that were read, and laws that hold for any read.
#include <gtest/gtest.h>

#include <cstdio>
#include <utility>

#include "tests/support/alike.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::partial_reads_test {
namespace {

// As in closed_forms_test.cpp.
constexpr Picoseconds kEntries = 22'344 + 10'157 + 2 * 200'000;
constexpr Picoseconds kCommand = 320'000;
constexpr Picoseconds kArray = 50 * kMicrosecond;
Picoseconds bus(std::uint64_t bytes) { return bytes * 1000; }  // 1000 MT/s x 8 bits
/// (bytes + packets x 24) x 10^12 / 3,938,461,538, rounded up to the tick.
Picoseconds link(std::uint64_t bytes) {
  const std::uint64_t wire = bytes + (bytes + 255) / 256 * 24;
  return (wire * 1'000'000'000'000 + 3'938'461'537) / 3'938'461'538;
}

DeviceConfig device(const char* frame, std::vector<std::string> more = {}) {
  std::vector<std::string> overrides = {"nand.blocks=16",
                                        "nand.pages=32",
                                        "nand.page_size=16 KiB",
                                        "nand.channels=2",
                                        "nand.ways=1",
                                        "ftl.mapping_unit=16 KiB",
                                        "precondition.fill=1.0",
                                        "ftl.over_provisioning=1.0",
                                        std::string("nand.ecc.frame=") + frame};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return preset("calibration", overrides);
}

/// `n` reads of `length`, each at `offset` within a unit of its own.
std::vector<Request> reads(std::uint64_t offset, std::uint64_t length, std::uint64_t n, std::uint64_t every = 16384) {
  std::vector<Request> requests(n);
  for (std::uint64_t i = 0; i < n; ++i)
    requests[i] = {.offset = i * every + offset, .length = length, .kind = RequestKind::Read};
  return requests;
}

void expect_moved(const char* frame, std::uint64_t offset, std::uint64_t length, std::uint64_t moved) {
  SCOPED_TRACE(std::string(frame) + ", " + std::to_string(length) + " B at " + std::to_string(offset));
  const Json result = simulate(device(frame), {{reads(offset, length, 10), 1, 0}});
  expect_latency(result, "read", kEntries + kCommand + kArray + bus(moved) + link(length));
  EXPECT_EQ(result["counters"]["read"]["host"], Json::array({10, 10, 10, 10 * moved}));
}

TEST(PartialReads, MoveTheFramesThatHoldTheirSectors) {
  expect_moved("512 B", 0, 512, 512);
  expect_moved("1 KiB", 512, 512, 1024);
  expect_moved("1 KiB", 0, 1024, 1024);
  expect_moved("1 KiB", 512, 1024, 2048);  // crosses a frame boundary
  expect_moved("1 KiB", 1536, 2048, 3072);
  expect_moved("4 KiB", 0, 512, 4096);
  expect_moved("4 KiB", 4096, 4096, 4096);
  expect_moved("4 KiB", 14 * 1024, 2048, 4096);
  expect_moved("16 KiB", 0, 512, 16384);
  expect_moved("64 KiB", 512, 4096, 16384);  // at most the whole unit
  expect_moved("1 KiB", 0, 16384, 16384);
}

// 12 KiB in frames of 8 KiB: the second frame of a unit is shorter.
TEST(PartialReads, TheLastFrameOfAUnitMayBeShorter) {
  const DeviceConfig config = device("8 KiB", {"nand.page_size=12 KiB", "ftl.mapping_unit=12 KiB"});
  const Json result = simulate(config, {{reads(8192, 512, 10, 12288), 1, 0}});
  expect_latency(result, "read", kEntries + kCommand + kArray + bus(4096) + link(512));
}

// A request across the boundary of two units of one page is one burst, from its first frame to its last.
TEST(PartialReads, UnitsOfOnePageAreOneBurst) {
  const DeviceConfig config = device("1 KiB", {"ftl.mapping_unit=8 KiB"});
  const Json result = simulate(config, {{reads(7 * 1024 + 512, 2048, 10), 1, 0}});
  expect_latency(result, "read", kEntries + kCommand + kArray + bus(3072) + link(2048));
  EXPECT_EQ(result["counters"]["read"]["host"], Json::array({10, 10, 20, 10 * 3072}));
}

// A partial write reads the rest of its unit: from the first frame with a missing sector to the last such frame.
TEST(PartialReads, AReadForAPartialWriteMovesWhatIsMissing) {
  const auto moved = [](std::uint64_t offset, std::uint64_t length) {
    std::vector<Request> writes = reads(offset, length, 10);
    for (Request& write : writes) write.kind = RequestKind::Write;
    const Json result = simulate(device("4 KiB"), {{writes, 1, 0}});
    EXPECT_EQ(result["counters"]["read"]["rmw"][0], 10);
    return result["counters"]["read"]["rmw"][3].get<std::uint64_t>() / 10;
  };
  EXPECT_EQ(moved(0, 512), 16384U);  // the first frame lacks seven sectors
  EXPECT_EQ(moved(0, 4096), 12288U);
  EXPECT_EQ(moved(0, 12288), 4096U);
  EXPECT_EQ(moved(4096, 8192), 16384U);  // frames on both sides
  EXPECT_EQ(moved(8192, 8192), 8192U);
}

std::vector<std::string> errors(double base) {
  return {"nand.errors.model=power_law",  "nand.errors.base=" + std::to_string(base),
          "nand.errors.wear_factor=0",    "nand.errors.retention_factor=0",
          "nand.errors.disturb_factor=0", "nand.spare_size=2048 B",
          "nand.ecc.codeword=1 KiB",      "nand.errors.retry_rates=[]",
          "nand.ecc.soft_reads=0"};
}

// Only the codewords that were read are decoded, have errors, and can lose data.
TEST(PartialReads, CountTheCodewordsThatWereRead) {
  for (const auto& [frame, codewords] : {std::pair{"1 KiB", 1}, std::pair{"4 KiB", 4}, std::pair{"16 KiB", 16}}) {
    std::vector<std::string> more = errors(1e-6);
    more.push_back("verify=true");
    const Json result = simulate(device(frame, more), {{reads(2048, 512, 40), 1, 0}});
    EXPECT_EQ(result["reliability"]["codewords"], 40 * codewords) << frame;
  }
}

// At an error rate of 0.0075 a codeword of 9,200 bits has 69 errors on average, and 72 can be corrected, so some
// codewords fail. A read fails if one of its codewords does; which codewords fail does not depend on other reads.
TEST(PartialReads, FailByTheirOwnCodewords) {
  const auto failed = [](const char* frame, std::uint64_t offset, std::uint64_t length) {
    std::vector<std::string> more = errors(0.0075);
    more.push_back("verify=true");
    const Json result = simulate(device(frame, more), {{reads(offset, length, 200), 1, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    return result["reliability"]["uncorrectable_reads"]["host"].get<std::uint64_t>();
  };
  std::uint64_t single = 0;
  for (std::uint64_t codeword = 0; codeword < 4; ++codeword) single += failed("1 KiB", codeword * 1024, 512);
  const std::uint64_t four = failed("4 KiB", 0, 512);
  EXPECT_GT(single, four);  // four codewords that fail together count once
  EXPECT_GT(four, failed("1 KiB", 0, 512));
  EXPECT_EQ(four, failed("1 KiB", 0, 4096));
}

// A read cache keeps only the requested sectors of a unit.
TEST(PartialReads, VerifyBehindAReadCache) {
  const DeviceConfig config = small_preset("mqsim-default", {"precondition.fill=0.9", "nand.ecc.frame=1 KiB",
                                                             "buffer.read_cache=0.5", "buffer.read_ahead=64 KiB"});
  MixOptions mix = mix_for(config, 3, 4000);
  mix.reads = 60;
  const Json result = simulate(config, {{random_mix(mix), 16, 0}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_GT(result["verify"]["reads_checked"], 0);
}

// Concurrent host reads that miss entries of one translation page share one map read; at depth one they cannot.
TEST(PartialReads, ConcurrentMissesOfDftlShareAMapRead) {
  const DeviceConfig config =
      small_preset("tiny", {"precondition.fill=1.0", "ftl.kind={name=\"dftl\",cmt_size=\"64 B\"}", "buffer.size=64 KiB",
                            "ftl.over_provisioning=2", "nand.blocks=32"});
  MixOptions mix = mix_for(config, 4, 2000);
  mix.reads = 100;
  mix.trims = mix.flushes = mix.fua = 0;
  const std::vector<Request> requests = random_mix(mix);
  const auto counts = [&](std::uint32_t depth) {
    const Json result = simulate(config, {{requests, depth, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    const Json& cache = result["ftl_statistics"]["map_cache"];
    EXPECT_EQ(result["counters"]["read"]["map"][0], cache[2]);
    return std::pair{cache[1].get<std::uint64_t>(), cache[2].get<std::uint64_t>()};
  };
  const auto [misses_alone, reads_alone] = counts(1);
  const auto [misses, reads] = counts(32);
  std::printf("map reads: %lu of %lu misses one by one, %lu of %lu at depth 32\n", reads_alone, misses_alone, reads,
              misses);
  EXPECT_GT(reads_alone, 1000U);
  EXPECT_LT(reads, reads_alone / 2);
  EXPECT_NEAR(static_cast<double>(misses), static_cast<double>(misses_alone), 0.05 * static_cast<double>(misses_alone));
}

class Devices : public testing::TestWithParam<std::vector<std::string>> {};

// Timed and instant runs end alike, and data verify, with requests of any alignment.
TEST_P(Devices, ReadWhatWasWritten) {
  std::vector<std::string> overrides = GetParam();
  overrides.insert(overrides.end(), {"precondition.fill=0.9", "nand.ecc.frame=1 KiB"});
  const DeviceConfig config = small_preset("mqsim-default", overrides);
  for (std::uint64_t seed = 1; seed <= effort(1, 2); ++seed) {
    MixOptions mix = mix_for(config, seed, 2500);
    mix.reads = 40;
    const std::vector<Request> requests = random_mix(mix);
    const Json timed = simulate(config, {{requests, 1, 0}});
    const Json instant = run_instantly(config, requests);
    expect_wrote_alike(timed, instant);
    EXPECT_EQ(timed["verify"]["mismatches"], 0);
    EXPECT_EQ(instant["verify"]["mismatches"], 0);
    EXPECT_EQ(simulate(config, {{requests, 32, 0}})["verify"]["mismatches"], 0);
    std::vector<std::string> whole = overrides;
    whole.back() = "nand.ecc.frame=8 KiB";
    const Json units = run_instantly(small_preset("mqsim-default", whole), requests);
    EXPECT_EQ(units["digest"], instant["digest"]);
    EXPECT_LT(instant["counters"]["read"]["host"][3], units["counters"]["read"]["host"][3]);
    EXPECT_EQ(instant["counters"]["read"]["host"][2], units["counters"]["read"]["host"][2]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Devices,
                         testing::Values(std::vector<std::string>{}, std::vector<std::string>{"ftl.kind=fast"},
                                         std::vector<std::string>{"ftl.kind=block_map"},
                                         std::vector<std::string>{"buffer.mode=write_through"},
                                         std::vector<std::string>{"nand.multi_plane_program=true",
                                                                  "nand.multi_plane_read=true", "nand.blocks=16"}));

}  // namespace
}  // namespace flashloom::partial_reads_test
