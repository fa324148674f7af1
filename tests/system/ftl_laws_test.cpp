// Laws of every registered FTL on whole devices: nothing is lost or wrong, also after power cuts; both clocks decide
// alike; every programmed unit has an origin.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ostream>

#include "models/nand/nand_geometry.hpp"
#include "policies/registry.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/plain_ftls.hpp"
#include "workloads/random.hpp"

namespace flashloom::ftl_laws_test {
namespace {

struct Device {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
};

constexpr const char* kSuperblocks = "superblocks";
constexpr const char* kSlcCache = "slc_cache";
constexpr const char* kSlcDynamic = "slc_dynamic";
constexpr const char* kBlocking = "blocking_gc";
constexpr const char* kBlockingInOneBlock = "blocking_gc_in_one_block";
constexpr const char* kOneSpareBlock = "one_spare_block";
constexpr const char* kMapInNvram = "map_in_nvram";

const std::vector<Device>& devices() {
  static const std::vector<Device> all = {
      {"tiny", "tiny", {"nand.blocks=24"}},
      {"units_of_a_page", "tiny", {"nand.page_size=16 KiB", "nand.blocks=24", "nand.pages=8", "buffer.size=128 KiB"}},
      {"planes_apart", "mqsim-default", {"nand.blocks=20"}},
      // One-shot programs of 48 mapping units on four planes: they fill slowly.
      {"one_shot_on_four_planes",
       "nvme-tlc-1tb",
       {"nand.blocks=24", "ftl.logical_size=20 MiB", "buffer.size=3 MiB", "ftl.arbitration=out_of_order"}},
      {"any_order",
       "slc-small-block",
       {"nand.blocks=24", "nand.in_order_program=false", "ftl.arbitration=out_of_order"}},
      // For the FTL nvram_block.
      {kMapInNvram,
       "slc-small-block",
       {"nand.blocks=24", "nand.in_order_program=false", "ftl.recovery=nvram_map", "nvram.kind=pcm"}},
      {"checkpoints", "tiny", {"nand.blocks=24", "ftl.recovery={ name = \"checkpoint\", interval = \"512 KiB\" }"}},
      {"journal",
       "slc-small-block",
       {"nand.blocks=24", "nand.in_order_program=false", "ftl.recovery={ name = \"journal\", interval = \"1 MiB\" }"}},
      // For FTLs that map pages.
      {kSuperblocks, "mqsim-default", {"nand.blocks=24", "ftl.gc_unit=superblock", "ftl.superblock_dies=2"}},
      {kBlocking, "mqsim-default", {"nand.blocks=24", "ftl.gc_mode=blocking"}},
      {kBlockingInOneBlock,
       "tiny",
       {"nand.blocks=24", "ftl.gc_mode=blocking", "ftl.streams=single", "ftl.gc_low=1", "ftl.gc_high=2"}},
      // 4 dies of 24 blocks of 32 pages, minus 4 blocks of the log: exactly 4 (22 x 32 - 1) units.
      {kOneSpareBlock,
       "tiny",
       {"nand.blocks=24", "nand.pages=32", "ftl.gc_mode=blocking", "ftl.streams=single", "ftl.gc_low=1",
        "ftl.gc_high=2", "ftl.logical_size=11248 KiB", R"(ftl.placement={ name = "static_order", by = "address" })"}},
      {kSlcCache,
       "nvme-tlc-1tb",
       {"nand.blocks=30", "nand.slc_blocks=3", "ftl.logical_size=20 MiB", "buffer.size=3 MiB", "ftl.slc_idle=false"}},
      {kSlcDynamic,
       "mqsim-default",
       {"nand.blocks=28", "nand.slc_blocks=2", "nand.slc_dynamic=12",
        "nand.read_time=[\"50 us\", \"60 us\", \"80 us\"]", "ftl.slc_idle=false"}}};
  return all;
}

struct Case {
  std::string ftl;
  std::size_t device;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.ftl + "_" + devices()[info.param.device].name;
}

void PrintTo(const Case& which, std::ostream* out) { *out << which.ftl << " " << devices()[which.device].name; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const PartInfo* info : plain_ftls())
    for (std::size_t device = 0; device < devices().size(); ++device) {
      const std::string name = devices()[device].name;
      const bool pages = name == kSuperblocks || name == kSlcCache || name == kSlcDynamic || name == kBlocking ||
                         name == kBlockingInOneBlock;
      if (pages && info->name != "page_map" && info->name != "dftl") continue;
      if (name == kOneSpareBlock && info->name != "page_map") continue;
      if (devices()[device].name == kMapInNvram && info->name != "nvram_block") continue;
      all.push_back({info->name, device});
    }
  return all;
}

class EveryFtl : public testing::TestWithParam<Case> {
 protected:
  static DeviceConfig device(std::vector<std::string> overrides = {}) {
    const Device& shape = devices()[GetParam().device];
    overrides.insert(overrides.begin(), shape.overrides.begin(), shape.overrides.end());
    // A cached map does something only if the whole map does not fit.
    const std::string kind =
        GetParam().ftl == "dftl" ? R"({ name = "dftl", cmt_size = "512 B" })" : "\"" + GetParam().ftl + "\"";
    overrides.insert(overrides.end(), {"ftl.kind=" + kind, "precondition.fill=0.9", "power.off_time=1 ms"});
    return small_preset(shape.preset, overrides);
  }
  static std::uint64_t reclaims(const Json& result) {
    const Json& ftl = result["ftl_statistics"];
    std::uint64_t sum = ftl["gc_runs"].get<std::uint64_t>() + ftl["folds"].get<std::uint64_t>();
    for (const Json& merges : ftl["merges"]) sum += merges.get<std::uint64_t>();
    return sum;
  }
};

TEST_P(EveryFtl, VerifiesAtDepth16) {
  const DeviceConfig config = device();
  const Json result = simulate(config, {{random_mix(mix_for(config, 3, 3000)), 16, 0}});
  EXPECT_EQ(result["host"]["completions"], 3000);
  EXPECT_EQ(result["host"]["media_errors"], 0);
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  EXPECT_GT(result["verify"]["reads_checked"], result["verify"]["audited_sectors"]);
  EXPECT_GT(reclaims(result), 0U);
}

TEST_P(EveryFtl, DecidesAlikeOnBothClocks) {
  for (const char* const mode : {"write_back", "write_through"}) {
    const DeviceConfig config = device({std::string("buffer.mode=") + mode});
    MixOptions mix = mix_for(config, 8, 1500);
    mix.whole_units = true;
    // Whether reads find data in flight in the buffer depends on time: that matters only if reads change the FTL's
    // decisions.
    mix.reads = PartCatalog::instance().find("ftl", GetParam().ftl)->time_dependent ? 0 : 20;
    const std::vector<Request> requests = random_mix(mix);
    const Json timed = simulate(config, {{requests, 1, 0}});
    const Json instant = run_instantly(config, requests);
    expect_wrote_alike(timed, instant);
    EXPECT_GT(reclaims(instant), 0U);
  }
}

TEST_P(EveryFtl, ReadsAlikeWhenTheDeviceComesToRestBetweenRequests) {
  const DeviceConfig config = device();
  MixOptions mix = mix_for(config, 9, 1500);
  mix.gap_ps = 5 * kSecond;
  // Whole units: a partial unit is completed from its older version, from flash or from the buffer depending on time.
  mix.whole_units = true;
  mix.max_units = 2;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 0, 0}});
  EXPECT_EQ(timed["host"]["late_requests"], 0);
  const Json instant = run_instantly(config, requests);
  EXPECT_EQ(timed["counters"], instant["counters"]);
  EXPECT_EQ(timed["ftl_statistics"], instant["ftl_statistics"]);
  EXPECT_EQ(timed["digest"], instant["digest"]);
}

TEST_P(EveryFtl, LosesNothingAtAPowerCut) {
  DeviceConfig config = device();
  MixOptions mix = mix_for(config, 7, 1200);
  mix.fua = 10;
  mix.flushes = 2;
  mix.reads = 25;
  const std::vector<TestJob> jobs = {{random_mix(mix), 8, 0}};
  const auto length = simulate(config, jobs)["end_ps"].get<Picoseconds>();
  Random random(GetParam().ftl.size() + GetParam().device);
  for (std::uint64_t cut = 0; cut < effort(2, 20); ++cut) {
    config.power.cut_at = length / 20 + random.below(length * 16 / 20);
    const Json result = simulate(config, jobs);
    EXPECT_EQ(result["power"]["cuts"], 1);
    EXPECT_EQ(result["host"]["completions"], jobs[0].requests.size());
    EXPECT_EQ(result["host"]["media_errors"], 0);
    EXPECT_EQ(result["verify"]["mismatches"], 0)
        << "cut at " << config.power.cut_at << ": " << result["verify"]["first_mismatch"];
  }
}

TEST_P(EveryFtl, KnowsTheOriginOfEachProgrammedUnit) {
  const DeviceConfig config = device();
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  // Instant clock, from an empty device, with a final flush: no unit is left waiting to be programmed.
  DeviceConfig fresh = config;
  fresh.precondition.fill = 0;
  std::vector<Request> requests = random_mix(mix_for(config, 5, 2500));
  requests.push_back({.kind = RequestKind::Flush});
  const Json result = run_instantly(fresh, requests);
  constexpr std::size_t kCommands = 0, kPages = 1, kUnits = 2;
  const Json& program = result["counters"]["program"];
  const auto of = [&](const char* origin, std::size_t field) { return program[origin][field].get<std::uint64_t>(); };
  std::uint64_t commands = 0, pages = 0, units = 0;
  for (const Json& origin : program) {
    commands += origin[kCommands].get<std::uint64_t>();
    pages += origin[kPages].get<std::uint64_t>();
    units += origin[kUnits].get<std::uint64_t>();
  }
  EXPECT_EQ(pages, commands * geometry.program_pages);
  EXPECT_EQ(units, commands * geometry.units_per_program());
  EXPECT_EQ(of("host", kUnits) + of("gc", kUnits) + of("merge", kUnits) + of("map", kUnits) + of("padding", kUnits),
            units);
  const Json& ftl = result["ftl_statistics"];
  EXPECT_EQ(of("host", kUnits), ftl["units_written"].get<std::uint64_t>());
  // GC copies may still wait for their program unit to fill.
  const std::uint64_t copied = of("gc", kUnits) + of("merge", kUnits);
  const std::uint64_t moved = ftl["units_moved"].get<std::uint64_t>() + ftl["units_folded"].get<std::uint64_t>();
  EXPECT_LE(copied, moved);
  EXPECT_LT(moved, copied + geometry.dies * geometry.units_per_program());
  EXPECT_EQ(of("padding", kUnits), ftl["units_padded"].get<std::uint64_t>());
  EXPECT_EQ(result["verify"]["mismatches"], 0);
}

// Only a drive that is not verified keeps the tables of a fill as rules.
void expect_alike_unverified(DeviceConfig config) {
  config.precondition.fill = 1;
  const MixOptions mix = mix_for(config, 4, 1000);
  std::vector<Request> requests = of(RequestKind::Write, mix.unit, mix.capacity / mix.unit);
  const std::vector<Request> rest = random_mix(mix);
  requests.insert(requests.end(), rest.begin(), rest.end());
  Json verified = simulate(config, {{requests, 8, 0}});
  config.verify = false;
  Json plain = simulate(config, {{requests, 8, 0}});
  for (Json* const result : {&verified, &plain})
    for (const char* const key : {"verify", "config", "digest"}) result->erase(key);
  EXPECT_EQ(Json::diff(verified, plain).dump().substr(0, 300), "[]");
}

TEST_P(EveryFtl, VerifyingChangesNoFigure) { expect_alike_unverified(device()); }

// Regression: where a block is collected whose last units are still on their way to flash, a rule told of these.
TEST(PageMap, VerifyingChangesNothingWhereOneBlockIsSpare) {
  expect_alike_unverified(
      small_preset("cosmos-openssd", {"nand.channels=1", "nand.ways=2", "nand.blocks=64", "nand.pages=32",
                                      "ftl.gc_mode=blocking", "ftl.streams=single", "ftl.gc_low=1", "ftl.gc_high=2",
                                      "ftl.over_provisioning=0.05489", "buffer.size=1 MiB", "verify=true"}));
}

// Regression: DFTL copies a translation page out of a block that GC has already emptied, since GC's own copy is still
// in flight. Host data wait for the erase of that block, a flush waits for the host data, and nothing more comes to
// fill the page's program unit.
TEST(Dftl, NoPageWaitsForMoreOutOfABlockThatIsToBeErased) {
  const DeviceConfig config = small_preset(
      "tiny", {"nand.page_size=16 KiB", "nand.spare_size=2208 B", "nand.blocks=48", "nand.pages=8", "buffer.size=1 MiB",
               "ftl.over_provisioning=0.5", "precondition.fill=0.9", "ftl.kind=dftl", "ftl.kind.cmt_size=1200 B"});
  for (const std::uint64_t seed : {3U, 6U})
    EXPECT_EQ(simulate(config, {{random_mix(mix_for(config, seed, 6000)), 1, 0}})["verify"]["mismatches"], 0);
}

INSTANTIATE_TEST_SUITE_P(Parts, EveryFtl, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace flashloom::ftl_laws_test
