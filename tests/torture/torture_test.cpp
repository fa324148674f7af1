// Power cuts on every FTL with every recovery method that it knows, on devices of several shapes: nothing that must
// survive is lost. Some cuts for each of these; 10,000 with ./check --long.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "controllers/ftl/recovery/recovery_method.hpp"
#include "policies/registry.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/plain_ftls.hpp"

namespace flashloom::torture_test {
namespace {

struct Shape {
  const char* name;
  std::vector<std::string> overrides;
  bool wears = false;       ///< blocks fail
  bool maps_pages = false;  ///< only for FTLs that map pages
  bool pages_map = false;   ///< only for FTLs that page their map in
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"pages", {"nand.blocks=20", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=1.5"}},
      {"units_of_a_page_written_through",
       {"nand.blocks=24", "nand.pages=8", "nand.page_size=16 KiB", "ftl.over_provisioning=1.5",
        "buffer.mode=write_through"}},
      {"planes_together_one_shot",
       {"nand.channels=1", "nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=3",
        "nand.pages=12", "nand.blocks=20", "nand.page_size=8 KiB", "ftl.over_provisioning=1.5", "buffer.size=512 KiB",
        "nand.multi_plane_read=true", "nand.ecc.frame=1 KiB"}},
      {"paired_pages",
       {"nand.blocks=24", "nand.pages=16", "nand.paired_pages=true", "nand.page_order=shadow",
        "nand.program_time=[\"300 us\", \"900 us\"]", "nand.read_time=[\"30 us\", \"50 us\"]",
        "ftl.over_provisioning=1.5", "buffer.size=512 KiB"}},
      {"two_passes",
       {"nand.blocks=24", "nand.pages=32", "nand.pages_per_program=4", "nand.program_passes=2",
        "nand.first_pass_time=300 us", "nand.page_size=8 KiB", "ftl.over_provisioning=1.5", "buffer.size=1 MiB"},
       false,
       true},
      {"two_passes_behind_an_slc_cache",
       {"nand.channels=1", "nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=4",
        "nand.program_passes=2", "nand.first_pass_time=300 us", "nand.first_pass_pages=3", "nand.slc_blocks=3",
        "nand.pages=32", "nand.blocks=28", "ftl.over_provisioning=1.5", "nand.program_time=1.5 ms",
        "buffer.size=1 MiB"},
       false,
       true},
      {"blocks_filled_before_erases",
       {"nand.blocks=24", "nand.pages=8", "nand.partial_erase_limit=0.8", "nand.open_read_factor=1.5",
        "buffer.size=64 KiB", "ftl.over_provisioning=1.5"}},
      {"blocks_of_two_passes_and_modes_filled_before_erases",
       {"nand.channels=1", "nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=4",
        "nand.senses=[4, 4, 4, 3]", "nand.program_passes=2", "nand.first_pass_time=300 us", "nand.slc_blocks=3",
        "nand.slc_dynamic=6", "nand.partial_erase_limit=1", "nand.pages=32", "nand.blocks=32",
        "ftl.over_provisioning=1.5", "nand.program_time=1.5 ms", "buffer.size=1 MiB"},
       false,
       true},
      {"mesh_between_channels_and_chips",
       {"nand.network.topology=mesh", "nand.channels=3", "nand.ways=2", "nand.blocks=24", "nand.pages=8",
        "nand.planes=2", "nand.independent_planes=2", "ftl.over_provisioning=1.5"}},
      {"pages_in_any_order",
       {"nand.blocks=24", "nand.pages=8", "nand.in_order_program=false", "buffer.size=64 KiB",
        "ftl.over_provisioning=1.5"}},
      {"parts_of_pages",
       {"nand.blocks=24", "nand.pages=8", "nand.page_size=16 KiB", "nand.partial_programs=4", "buffer.size=256 KiB",
        "ftl.over_provisioning=1.5"}},
      {"capacitors",
       {"nand.blocks=24", "nand.pages=8", "power.plp=true", "buffer.size=64 KiB", "ftl.over_provisioning=1.5"}},
      {"capacitors_too_small",
       {"nand.blocks=24", "nand.pages=8", "power.plp=true", "power.plp_energy=200 uJ", "power.plp_flush=flash",
        "buffer.size=64 KiB", "ftl.over_provisioning=1.5"}},
      {"buffer_in_nvram",
       {"nand.blocks=24", "nand.pages=8", "nvram.kind=stt_mram", "buffer.location=nvram", "buffer.size=64 KiB",
        "ftl.over_provisioning=1.5"}},
      {"blocks_in_nvram",
       {"nand.blocks=24", "nand.pages=8", "nand.in_order_program=false", "nvram.kind=stt_mram", "buffer.location=nvram",
        "buffer.evict=blocks", "buffer.size=128 KiB", "ftl.over_provisioning=1.5"}},
      {"correlated_sets",
       {"nand.channels=2", "nand.blocks=24", "nand.pages=8", "buffer.size=128 KiB", "ftl.over_provisioning=1.5",
        "buffer.correlation={name=\"both\",threshold=3}", "ftl.placement=cold"}},
      {"worn_out",
       {"nand.blocks=24", "nand.pages=8", "nand.endurance=8", "nand.endurance_deviation=0.1",
        "nand.program_failures=0.5", "buffer.size=64 KiB", "ftl.over_provisioning=2.5"},
       true},
      {"slc_cache",
       {"nand.blocks=28", "nand.slc_blocks=4", "nand.pages=12", "nand.read_time=[\"40 us\", \"60 us\", \"80 us\"]",
        "nand.program_time=[\"500 us\", \"900 us\", \"1500 us\"]", "buffer.size=64 KiB", "ftl.over_provisioning=1.5"},
       false,
       true},
      {"slc_cache_one_shot_on_planes",
       {"nand.channels=1", "nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=3",
        "nand.unit_layout=page_first", "nand.slc_blocks=3", "nand.pages=36", "nand.blocks=24", "nand.page_size=8 KiB",
        "ftl.over_provisioning=1.5", "nand.program_time=1.5 ms", "buffer.size=512 KiB"},
       false,
       true},
      {"slc_cache_worn_out",
       {"nand.channels=1", "nand.planes=2", "nand.blocks=28", "nand.slc_blocks=3", "nand.pages=12", "nand.endurance=4",
        "nand.read_time=[\"40 us\", \"60 us\", \"80 us\"]", "nand.slc_endurance=6", "nand.endurance_deviation=0.1",
        "nand.program_failures=0.5", "buffer.size=64 KiB", "ftl.over_provisioning=2.5"},
       true,
       true},
      {"collected_in_the_order_of_closing",
       {"nand.channels=1", "nand.blocks=40", "nand.pages_per_program=3", "nand.pages=24", "nand.page_size=8 KiB",
        "ftl.garbage_collection=fifo", "ftl.over_provisioning=0.7", "buffer.size=256 KiB"},
       false,
       true},
      {"compressed",
       {"nand.blocks=24", "nand.pages=8", "nand.page_size=16 KiB", "nand.ecc.frame=1 KiB", "compression.granule=512 B",
        "compression.spread=1", "ftl.over_provisioning=1.5", "buffer.size=1 MiB"},
       false,
       true},
      {"compressed_one_shot_on_planes_worn_out",
       {"nand.channels=1", "nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=3",
        "nand.pages=24", "nand.blocks=28", "nand.page_size=8 KiB", "compression.granule=1 KiB", "compression.density=2",
        "compression.saved=0.3", "nand.endurance=8", "nand.endurance_deviation=0.1", "nand.program_failures=0.5",
        "ftl.over_provisioning=2.5", "buffer.size=1 MiB"},
       true,
       true},
      {"slc_dynamic",
       {"nand.blocks=28", "nand.slc_dynamic=20", "nand.pages=12", "nand.read_time=[\"40 us\", \"60 us\", \"80 us\"]",
        "nand.program_time=[\"500 us\", \"900 us\", \"1500 us\"]", "buffer.size=64 KiB", "ftl.over_provisioning=1.5"},
       false,
       true},
      {"slc_static_and_dynamic_one_shot_on_planes",
       {"nand.channels=1", "nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=3",
        "nand.slc_blocks=2", "nand.slc_dynamic=6", "nand.pages=36", "nand.blocks=26", "nand.page_size=8 KiB",
        "ftl.over_provisioning=1.5", "nand.program_time=1.5 ms", "nand.multi_plane_read=true", "buffer.size=512 KiB"},
       false,
       true},
      {"slc_dynamic_worn_out",
       {"nand.channels=1", "nand.planes=2", "nand.blocks=30", "nand.slc_dynamic=15", "nand.pages=12",
        "nand.endurance=4", "nand.read_time=[\"40 us\", \"60 us\", \"80 us\"]", "nand.slc_endurance=6",
        "nand.endurance_deviation=0.1", "nand.program_failures=0.5", "buffer.size=64 KiB", "ftl.over_provisioning=2.5"},
       true,
       true},
      {"superblocks",
       {"nand.planes=2", "nand.blocks=24", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=2",
        "ftl.gc_unit=superblock", "ftl.superblock_dies=2"},
       false,
       true},
      {"superblocks_worn_out",
       {"nand.planes=2", "nand.blocks=32", "nand.pages=8", "nand.endurance=4", "nand.endurance_deviation=0.1",
        "nand.program_failures=0.5", "buffer.size=64 KiB", "ftl.over_provisioning=3.5", "ftl.gc_unit=superblock",
        "ftl.superblock_dies=2"},
       true,
       true},
      {"superblocks_by_speed",
       {"nand.planes=2", "nand.blocks=24", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=2",
        "ftl.gc_unit=superblock", "ftl.superblock_dies=2", "ftl.superblock_by=speed",
        "nand.variation.program_block=0.1", "nand.variation.erase_block=0.2"},
       false,
       true},
      {"rain",
       {"nand.blocks=24", "nand.pages=8", "buffer.size=128 KiB", "ftl.over_provisioning=3", "ftl.gc_unit=superblock",
        "ftl.rain=1"},
       false,
       true},
      {"rain_of_two_on_planes",
       {"nand.planes=2", "nand.blocks=28", "nand.pages=8", "buffer.size=128 KiB", "ftl.over_provisioning=6",
        "ftl.gc_unit=superblock", "ftl.rain=2", "ftl.rain_memory=sram"},
       false,
       true},
      {"rain_one_shot_on_planes",
       {"nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=3", "nand.pages=12", "nand.blocks=28",
        "buffer.size=1 MiB", "ftl.over_provisioning=4", "ftl.gc_unit=superblock", "ftl.rain=1"},
       false,
       true},
      {"rain_worn_out",
       {"nand.blocks=32", "nand.pages=8", "nand.endurance=6", "nand.endurance_deviation=0.1",
        "nand.program_failures=0.5", "buffer.size=128 KiB", "ftl.over_provisioning=6", "ftl.gc_unit=superblock",
        "ftl.rain=1"},
       true,
       true},
      {"rain_between_filled_blocks_on_a_mesh",
       {"nand.channels=3", "nand.ways=2", "nand.blocks=28", "nand.pages=8", "buffer.size=128 KiB",
        "ftl.over_provisioning=3", "ftl.gc_unit=superblock", "ftl.rain=1", "nand.partial_erase_limit=0.8",
        "nand.network.topology=mesh", "ftl.queue_limit=2"},
       false,
       true},
      {"worn_out_between_filled_blocks",
       {"nand.blocks=24", "nand.pages=8", "nand.endurance=8", "nand.endurance_deviation=0.1",
        "nand.program_failures=0.5", "nand.program_failure_at=cycle", "nand.partial_erase_limit=1",
        "buffer.size=64 KiB", "ftl.over_provisioning=2.5"},
       true},
      {"two_program_units_a_block",
       {"nand.blocks=24", "nand.pages=16", "nand.pages_per_program=8", "buffer.size=512 KiB",
        "ftl.over_provisioning=0.7"},
       false,
       true},
      {"map_in_host_memory",
       {"nand.blocks=20", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=1.5", "dram.size=0 B",
        "sram.size=1 MiB", "hmb.size=4 KiB", "ftl.kind.cmt_size=64 B"},
       false,
       false,
       true},
      {"changes_wait_in_host_memory",
       {"nand.channels=1", "nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=3",
        "nand.pages=12", "nand.blocks=24", "nand.page_size=8 KiB", "ftl.over_provisioning=1.5", "buffer.size=512 KiB",
        "nand.ecc.frame=1 KiB", "hmb.size=4 KiB", "hmb.map_update=write_back", "ftl.kind.cmt_size=256 B"},
       false,
       false,
       true},
      {"bit_errors",
       {"nand.blocks=28", "nand.pages=8", "nand.errors.model=power_law", "nand.errors.base=2e-3",
        "nand.errors.retry_rates=[0.3]", "nand.ecc.strength=20", "nand.ecc.frame=1 KiB", "nand.spare_size=640 B",
        "buffer.size=64 KiB", "ftl.over_provisioning=1.8"}},
      {"factory_bad_blocks",
       {"nand.blocks=28", "nand.pages=8", "nand.factory_bad_blocks=0.05", "buffer.size=64 KiB",
        "ftl.over_provisioning=2"},
       false,
       true},
      {"copyback",
       {"nand.blocks=24", "nand.pages=8", "nand.copyback=true", "buffer.size=64 KiB", "ftl.over_provisioning=1.5"}},
      {"cold_data_move",
       {"nand.blocks=24", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=1.5",
        "ftl.wear_leveling={name=\"static\",threshold=1}"}}};
  return all;
}

struct Case {
  std::string ftl;
  std::string recovery;
  std::size_t shape;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.ftl << ' ' << each.recovery; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const PartInfo* ftl : plain_ftls())
    for (const std::string& recovery : RecoveryMethods::of(ftl->name))
      for (std::size_t shape = 0; shape < shapes().size(); ++shape)
        if ((!shapes()[shape].maps_pages || ftl->name == "page_map" || ftl->name == "dftl") &&
            (!shapes()[shape].pages_map || ftl->name == "dftl"))
          all.push_back({ftl->name, recovery, shape});
  return all;
}

constexpr std::uint64_t kReadOnlyMounts = 8;

class Torture : public testing::TestWithParam<Case> {};

TEST_P(Torture, LosesNothingThatMustSurvive) {
  const Case& each = GetParam();
  std::vector<std::string> overrides = shapes()[each.shape].overrides;
  const bool in_log = each.recovery == "checkpoint" || each.recovery == "journal";
  const bool in_nvram = each.recovery == "nvram_map";
  overrides.insert(overrides.end(),
                   {"ftl.kind=" + each.ftl, in_log ? "ftl.recovery={name=\"" + each.recovery + "\",interval=\"2 MiB\"}"
                                                   : "ftl.recovery=" + each.recovery});
  if (in_nvram) overrides.emplace_back("nvram.kind=stt_mram");
  const DeviceConfig config = small_preset("tiny", overrides);
  const std::uint64_t cuts = effort(shapes()[each.shape].wears ? 300 : 40, 10'000);  // until it is worn out
  TortureCounts sum;
  for (std::uint64_t seed = 1; sum.cuts < cuts; ++seed) {
    DriveTorture drive(config, seed);
    // A read-only drive has little left to lose.
    bool good = true;
    const std::uint64_t most = std::min<std::uint64_t>(100, cuts - sum.cuts);
    while (good && drive.counts().cuts < most && drive.counts().read_only < kReadOnlyMounts)
      good = drive.run(drive.counts().cuts + 1);
    sum += drive.counts();
    if (good) continue;
    for (const std::string& line : drive.failure().history) std::cout << "  " << line << '\n';
    FAIL() << "seed " << seed << ", cut " << drive.failure().cut << ": " << drive.failure().what << "; struck "
           << drive.failure().struck;
  }
  std::cout << sum.cuts << " cuts, " << sum.in_recovery << " in a mount; " << sum.sectors_checked
            << " sectors verified\n";
  // If everything rests in NVRAM, a mount has no operation that a cut could strike.
  const bool at_rest = in_nvram && config.power.plp && config.power.plp_energy == 0;
  EXPECT_EQ(sum.in_recovery == 0, at_rest);
  EXPECT_EQ(sum.torn_pages == 0, at_rest);
  EXPECT_EQ(sum.log_pages != 0, !in_nvram);
  EXPECT_EQ(sum.read_only != 0, shapes()[each.shape].wears);
  // With sufficient capacitors a cut strikes only the flush of the buffer.
  const std::uint64_t cleaning = sum.of(Origin::Gc) + sum.of(Origin::Merge);
  if (!config.power.plp) {
    EXPECT_GT(cleaning, cuts / 20);
  }
}

// Regression: a block is erased, and after the cut opened again with the same sequence number that the journal has for
// it: the old journal records must not count any more. The long campaign found this on one drive in a few hundred.
TEST(JournalRecords, AreNotTakenForThoseOfABlockOpenedAnew) {
  std::vector<std::string> overrides = shapes()[2].overrides;
  overrides.emplace_back("ftl.recovery={name=\"journal\",interval=\"2 MiB\"}");
  DriveTorture drive(small_preset("tiny", overrides), 88);
  EXPECT_TRUE(drive.run(62)) << drive.failure().what;
}

// Regression: a mount that finds a die without a free block empties a block whose units lie elsewhere, too; a bad
// block, though empty, is not free.
TEST(BadBlocks, AreNotTakenForTheFreeOneThatADieNeeds) {
  DriveTorture drive(preset("tiny", {"nand.factory_bad_blocks=0.03"}), 2);
  EXPECT_TRUE(drive.run(90)) << drive.failure().what;
}

INSTANTIATE_TEST_SUITE_P(EveryFtl, Torture, testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.ftl + "_" + test.param.recovery + "_" + shapes()[test.param.shape].name;
});

}  // namespace
}  // namespace flashloom::torture_test
