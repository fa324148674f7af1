// Power cuts of a drive with every feature on at once (tests/torture/everything.toml), on the instant clock and behind
// its host interface; the variants replace some features: other FTLs, recoveries and arbitrations, capacitors, a buffer
// in NVRAM, uncorrectable errors. Some cuts for each; 10,000 with ./check --long.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "sc_main/verify/interface_torture.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom::everything_test {
namespace {

struct Variant {
  const char* name;
  std::vector<std::string> overrides;
  bool suspends = false;  ///< the arbitration suspends commands
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"as_it_is", {}},
      {"checkpoint", {"ftl.recovery={name=\"checkpoint\",interval=\"2 MiB\"}"}},
      {"oob_scan", {"ftl.recovery=oob_scan"}},
      {"dftl", {"ftl.kind=dftl", "ftl.recovery=oob_scan"}},
      {"dftl_checkpoint", {"ftl.kind=dftl", "ftl.recovery={name=\"checkpoint\",interval=\"2 MiB\"}"}},
      {"read_first", {"ftl.arbitration=read_first", "nand.page_register=true"}, true},
      {"out_of_order", {"ftl.arbitration=out_of_order"}, true},
      {"planes_apart",
       {"ftl.arbitration=out_of_order", "nand.cache_read=false", "nand.independent_planes=2",
        "nand.page_register=true"},
       true},
      {"one_die_at_a_time", {"ftl.arbitration=out_of_order", "power.cap_dies=1"}, true},
      {"mesh",
       {"nand.network.topology=mesh", "nand.independent_planes=2", "nand.way_switch_time=0 s", "nand.cache_read=false",
        "nand.cache_program=false", "nand.program_suspend=false", "nand.erase_suspend=false", "power.cap=0 W",
        "power.cap_dies=0"}},
      {"parity_over_dies",
       {"ftl.gc_unit=superblock", "ftl.rain=1", "nand.ways=2", "nand.die_failure_at=500", "nand.failed_die=1",
        "nand.program_failure_rate=0", "nand.slc_blocks=0", "nand.slc_dynamic=0", "nand.slc_endurance=0"}},
      {"capacitors", {"power.plp=true"}},
      {"data_in_nvram", {"buffer.location=nvram"}},
      {"losses", {"nand.errors.retry_rates=[0.9]", "nand.ecc.soft_reads=0", "nand.ecc.strength=20"}}};
  return all;
}

DeviceConfig device_of(const Variant& variant) {
  return load_config(source_dir() + "/tests/torture/everything.toml", variant.overrides).device;
}

class Everything : public testing::TestWithParam<std::size_t> {};

TEST_P(Everything, LosesNothingThatMustSurvive) {
  const Variant& variant = variants()[GetParam()];
  const DeviceConfig config = device_of(variant);
  const std::uint64_t cuts = effort(80, 10'000);
  TortureCounts sum;
  for (std::uint64_t seed = 1; sum.cuts < cuts; ++seed) {
    DriveTorture drive(config, seed);
    const bool good = drive.run(std::min<std::uint64_t>(100, cuts - sum.cuts));
    sum += drive.counts();
    if (good) continue;
    for (const std::string& line : drive.failure().history) std::cout << "  " << line << '\n';
    FAIL() << "seed " << seed << ", cut " << drive.failure().cut << ": " << drive.failure().what << "; struck "
           << drive.failure().struck;
  }
  std::cout << sum.cuts << " cuts, " << sum.sectors_checked << " sectors verified, " << sum.read_retries
            << " read retries, " << sum.uncorrectable_reads << " reads uncorrectable, " << sum.scrub_moves
            << " scrub moves, " << sum.bad_blocks << " bad blocks\n";
  EXPECT_GT(sum.torn_pages, 0U);
  EXPECT_GT(sum.read_retries, cuts);
  EXPECT_GT(sum.scrub_moves, cuts / 20);
  EXPECT_GT(sum.bad_blocks, 0U);
  const bool losses = std::string(variant.name) == "losses";
  // A dead die also loses data that were never acknowledged, so there the counts say nothing: all other data have been
  // verified.
  if (config.nand.die_failure_at == 0) {
    EXPECT_EQ(sum.uncorrectable_reads != 0, losses);
  }
  if (!losses) {
    EXPECT_EQ(sum.lost_units, 0U);
  }
}

TEST_P(Everything, LosesNothingBehindItsHostInterface) {
  const Variant& variant = variants()[GetParam()];
  const DeviceConfig config = device_of(variant);
  const std::uint64_t cuts = effort(60, 10'000);
  const Json result = in_child([&]() -> Json {
    InterfaceTorture drive(config, 1);
    const bool good = drive.run(cuts);
    for (const std::string& line : drive.failure().history)
      if (!good) std::cout << "  " << line << '\n';
    const InterfaceTortureCounts counts = drive.counts();
    return {{"good", good},
            {"what", drive.failure().what},
            {"cut", drive.failure().cut},
            {"lost", counts.lost},
            {"completed", counts.completed},
            {"cached_reads", counts.overlap.cached_reads},
            {"plane_reads", counts.overlap.plane_reads},
            {"cached_programs", counts.overlap.cached_programs},
            {"suspensions", counts.overlap.suspended_programs + counts.overlap.suspended_erases},
            {"interrupts", counts.interrupts},
            {"reported", counts.reported},
            {"read_retries", counts.read_retries},
            {"scrub_moves", counts.scrub_moves},
            {"folded_blocks", counts.folded_blocks},
            {"bad_blocks", counts.bad_blocks}};
  });
  ASSERT_TRUE(result["good"].get<bool>()) << "cut " << result["cut"] << ": " << result["what"];
  std::cout << result << '\n';
  for (const Json& count : result["completed"]) EXPECT_GT(count.get<std::uint64_t>(), cuts / 10);
  EXPECT_LT(result["interrupts"], result["reported"]);
  EXPECT_EQ(result["suspensions"].get<std::uint64_t>() != 0, variant.suspends);
  // Data-out is hidden behind tR either by independent planes or by cache reads.
  EXPECT_EQ(result["plane_reads"].get<std::uint64_t>() != 0, config.nand.independent_planes > 1);
  EXPECT_EQ(result["cached_reads"].get<std::uint64_t>() != 0, config.nand.cache_read);
  EXPECT_EQ(result["cached_programs"].get<std::uint64_t>() != 0, config.nand.cache_program);
  EXPECT_EQ(result["folded_blocks"].get<std::uint64_t>() != 0, config.nand.slc_blocks != 0);
  for (const char* const used : {"lost", "read_retries", "scrub_moves", "bad_blocks"})
    EXPECT_GT(result[used].get<std::uint64_t>(), 0U) << used;
}

INSTANTIATE_TEST_SUITE_P(Variants, Everything, testing::Range<std::size_t>(0, variants().size()),
                         [](const auto& test) { return std::string(variants()[test.param].name); });

}  // namespace
}  // namespace flashloom::everything_test
