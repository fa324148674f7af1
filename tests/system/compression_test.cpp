// Compressed mapping units on whole devices: packing, reads, gain in garbage collection, and agreement of both clocks,
// saved states and power cuts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/nand/nand_media.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::compression_test {
namespace {

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Pages of 16 KiB: four whole units or 32 granules.
const std::vector<std::string> kPages = {"nand.page_size=16 KiB", "nand.spare_size=2208 B", "compression.granule=512 B",
                                         "nand.blocks=48", "ftl.over_provisioning=0.5"};

void flush(InstantDevice& drive) {
  EXPECT_EQ(drive.run({.offset = 0, .length = 0, .kind = RequestKind::Flush}), IoStatus::Ok);
}

DeviceConfig one_die(const std::vector<std::string>& more) {
  return small_preset("tiny", with(with(kPages, {"nand.channels=1", "nand.ways=1", "compression.spread=0"}), more));
}

// The logical unit at each place of a page, or -1.
std::vector<int> places(InstantDevice& drive, std::uint32_t block, std::uint32_t page) {
  const OobLayout layout(drive.firmware->capacity_bytes() / 4096, 8);
  std::vector<int> units;
  for (std::uint32_t place = 0; place < drive.geometry.units_per_page; ++place) {
    const OobWord word = drive.media.oob({Die{0}, Block{block}, Page{page}}, place);
    units.push_back(layout.is_data(word) ? static_cast<int>(layout.unit(word)) : -1);
  }
  while (!units.empty() && units.back() == -1) units.pop_back();
  return units;
}

std::uint32_t first_block(const InstantDevice& drive) {
  std::uint32_t block = 0;
  while (drive.media.write_pointer(Die{0}, Block{block}) == 0) ++block;
  return block;
}

// Units of 5 granules: six fill 30 of 32 granules, so the seventh begins a new page. A flush pads.
TEST(Compression, PacksPagesNextFit) {
  InstantDevice drive(one_die({"compression.saved=0.375"}));
  for (std::uint64_t unit = 0; unit < 8; ++unit) drive.write(unit * 4096, 4096);
  flush(drive);
  const std::uint32_t block = first_block(drive);
  EXPECT_EQ(places(drive, block, 0), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(places(drive, block, 1), (std::vector<int>{6, 7}));
  const FlashCounters& flash = drive.flash.counters();
  EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Host).pages, 2U);
  EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Host).units, 8U);
  EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Padding).units, 2U) << "whole units that 22 granules take";
  const CompressionStatistics& statistics = drive.compressor->statistics();
  EXPECT_EQ(statistics.compressed_units, 8U);
  EXPECT_EQ(statistics.compressed_granules, 40U);
}

// Incompressible units: four per page, as without compression. Units that compress to nothing: as many as the page has
// places.
TEST(Compression, PacksWhatDoesNotCompressAndWhatIsNothing) {
  InstantDevice whole(one_die({"compression.saved=0"}));
  InstantDevice zeroes(one_die({"compression.saved=1", "compression.density=3"}));
  for (std::uint64_t unit = 0; unit < 24; ++unit) {
    whole.write(unit * 4096, 4096);
    zeroes.write(unit * 4096, 4096);
  }
  flush(whole);
  flush(zeroes);
  EXPECT_EQ(whole.flash.counters().at(FlashOperation::Program, Origin::Host).pages, 6U);
  EXPECT_EQ(zeroes.flash.counters().at(FlashOperation::Program, Origin::Host).pages, 2U);
  EXPECT_EQ(places(zeroes, first_block(zeroes), 0).size(), 12U);
}

// A unit of 5 granules has 2.5 KiB. With frames of 1 KiB a read of the first unit of a page takes three frames, of the
// second (bytes 2560 to 5119) three, of the third (5120 to 7679) three; of the first two together five. With frames of
// 4 KiB: one each, or two where the unit crosses a frame boundary.
TEST(Compression, ReadsTheFramesOfItsUnits) {
  for (const auto& [frame, bytes] : std::vector<std::pair<std::string, std::vector<std::uint64_t>>>{
           {"1 KiB", {3072, 3072, 3072, 5120}}, {"4 KiB", {4096, 8192, 4096, 8192}}}) {
    InstantDevice drive(one_die({"compression.saved=0.375", "buffer.read_cache=0", "nand.ecc.frame=" + frame}));
    for (std::uint64_t unit = 0; unit < 6; ++unit) drive.write(unit * 4096, 4096);
    flush(drive);
    const auto read = [&](std::uint64_t unit, std::uint64_t units) {
      const std::uint64_t before = drive.flash.counters().at(FlashOperation::Read, Origin::Host).bus_bytes;
      drive.run({.offset = unit * 4096, .length = units * 4096, .kind = RequestKind::Read});
      return drive.flash.counters().at(FlashOperation::Read, Origin::Host).bus_bytes - before;
    };
    EXPECT_EQ(read(0, 1), bytes[0]);
    EXPECT_EQ(read(1, 1), bytes[1]);
    EXPECT_EQ(read(2, 1), bytes[2]);
    EXPECT_EQ(read(0, 2), bytes[3]);
    EXPECT_EQ(drive.audit(), 0U);
  }
}

// A single read: passing its data through the engine, 4 KiB at 1 GB/s plus 3 us, adds exactly that much latency.
TEST(Compression, TakesTheEnginesTime) {
  const std::vector<Request> reads = {{.offset = 0, .length = 4096, .kind = RequestKind::Read}};
  const auto latency = [&](const std::vector<std::string>& more) {
    const Json result = simulate(one_die(with({"compression.saved=0", "precondition.fill=1"}, more)), {{reads, 1, 0}});
    return result["latency_ps"]["read"][0].get<std::uint64_t>();
  };
  const std::uint64_t none = latency({"compression.rate=0 B/s", "compression.latency=0 s"});
  EXPECT_EQ(latency({"compression.rate=1 GB/s", "compression.latency=3 us"}), none + 4'096'000 + 3'000'000);
}

// A drive whose data compress 2 to 1 collects garbage like one with the same flash and half the logical space: eight
// halved units fill a page exactly, so the spare space is the same.
TEST(Compression, SparesWhatItSaves) {
  const auto pages_a_write = [](const std::vector<std::string>& more) {
    InstantDevice drive(small_preset("tiny", with({"nand.page_size=16 KiB", "nand.spare_size=2208 B", "nand.blocks=64",
                                                   "nand.pages=64", "buffer.size=1 MiB", "verify=false"},
                                                  more)));
    const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
    std::uint64_t draw = 1;
    const auto overwrite = [&](std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) {
        draw = draw * 6364136223846793005 + 1442695040888963407;
        drive.write((draw >> 33) % units * 4096, 4096);
      }
    };
    for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * 4096, 4096);
    overwrite(4 * units);
    const std::uint64_t before = drive.flash.counters().total(FlashOperation::Program).pages;
    overwrite(4 * units);
    return static_cast<double>(drive.flash.counters().total(FlashOperation::Program).pages - before) /
           static_cast<double>(4 * units);
  };
  const double compressed = pages_a_write(
      {"compression.granule=512 B", "compression.saved=0.5", "compression.spread=0", "ftl.over_provisioning=0.25"});
  const double half = pages_a_write({"ftl.over_provisioning=1.5"});
  EXPECT_NEAR(compressed / (half / 2), 1, 0.04);
}

struct Case {
  const char* name;
  std::vector<std::string> overrides;
  bool by_time = false;  ///< padding, moves and map reads depend on time, too
};

const std::vector<Case> kCases = {
    {"plain", {}},
    {"small_pages", {"nand.page_size=4 KiB"}},
    {"wide_spread", {"compression.spread=1", "compression.density=8"}},
    {"one_shot", {"nand.pages_per_program=3", "nand.pages=24", "ftl.over_provisioning=1"}},
    {"planes_together", {"nand.planes=2", "nand.multi_plane_program=true", "nand.multi_plane_read=true"}},
    {"dftl", {"ftl.kind=dftl", "ftl.kind.cmt_size=1200 B"}, true},
    {"journal", {"ftl.recovery=journal"}},
    {"superblocks", {"ftl.gc_unit=superblock", "ftl.over_provisioning=1"}},
    {"rain", {"ftl.gc_unit=superblock", "ftl.rain=1", "ftl.over_provisioning=3"}, true},
    {"one_block_for_all", {"ftl.streams=single"}},
    {"slc_cache",
     {"nand.pages_per_program=3", "nand.pages=24", "nand.slc_blocks=4", "ftl.slc_idle=false",
      "ftl.over_provisioning=1"}},
    {"wear_levelling", {"ftl.wear_leveling=static"}},
    {"bit_errors", {"nand.errors.model=power_law", "nand.errors.base=0.002", "ftl.scrub_reads=500"}, true},
    {"blocking", {"ftl.gc_mode=blocking"}}};

class CompressionWith : public testing::TestWithParam<std::size_t> {
 protected:
  static DeviceConfig device(const std::vector<std::string>& more = {}) {
    return small_preset(
        "tiny",
        with(with(kPages, {"nand.pages=8", "compression.saved=0.2", "precondition.fill=0.9", "buffer.size=1 MiB"}),
             with(kCases[GetParam()].overrides, more)));
  }
};

TEST_P(CompressionWith, BothClocksWriteAlike) {
  const DeviceConfig config = device();
  const std::vector<Request> requests = random_mix(mix_for(config, 4, 6000));
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  if (kCases[GetParam()].by_time) {
    EXPECT_EQ(timed["verify"]["mismatches"], 0);
    EXPECT_EQ(instant["verify"]["mismatches"], 0);
  } else {
    expect_wrote_alike(timed, instant);
  }
  EXPECT_GT(timed["ftl_statistics"]["units_moved"], 100);
}

TEST_P(CompressionWith, AlikeFromASavedState) {
  const DeviceConfig config = device({"precondition.steady=true", "precondition.max_passes=1"});
  const std::vector<TestJob> jobs = {{random_mix(mix_for(config, 11, 2000)), 8, 0}};
  const std::string path = testing::TempDir() + "flashloom_compression_" + kCases[GetParam()].name + ".state";
  save_state(config, path);
  EXPECT_EQ(simulate(config, jobs).dump(2), simulate(config, jobs, path).dump(2));
}

INSTANTIATE_TEST_SUITE_P(Devices, CompressionWith, testing::Range(std::size_t{0}, kCases.size()),
                         [](const auto& test) { return std::string(kCases[test.param].name); });

// A mount recovers the size of each unit, so that the recounted tables match.
TEST(Compression, SurvivesARestart) {
  InstantDevice drive(small_preset("tiny", with(kPages, {"compression.spread=1", "buffer.size=1 MiB"})));
  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  for (std::uint64_t i = 0; i < 3 * units; ++i) drive.write(i * 7919 % units * 4096, 4096);
  flush(drive);
  drive.restart();
  EXPECT_EQ(drive.audit(), 0U);
  for (std::uint64_t i = 0; i < 3 * units; ++i) drive.write(i * 104729 % units * 4096, 4096);
  EXPECT_EQ(drive.audit(), 0U);
}

std::string why_not(const std::vector<std::string>& overrides) {
  try {
    small_preset("tiny", with(kPages, overrides));
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(Compression, IsRefusedWhereNoPlaceCanVary) {
  EXPECT_NE(why_not({"ftl.kind=log_block"}).find("places a unit by its number in a block"), std::string::npos);
  EXPECT_NE(why_not({"nand.copyback=true"}).find("compressed units are packed anew"), std::string::npos);
  EXPECT_NE(why_not({"compression.granule=4 KiB"}).find("at most half of it"), std::string::npos);
  EXPECT_EQ(why_not({}), "");
}

}  // namespace
}  // namespace flashloom::compression_test
