// Power cuts of zoned drives: confirmed data lie before the write pointer, reset zones stay reset, and zones remain
// writable.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::zones_torture_test {
namespace {

struct Shape {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"tiny", "tiny", {R"(ftl.kind={ name = "zoned", max_open = 3, max_active = 4 })"}},
      {"reset_later", "tiny", {R"(ftl.kind={ name = "zoned", reset = "later", max_active = 5, max_open = 5 })"}},
      {"finish_pads_behind",
       "tiny",
       {R"(ftl.kind={ name = "zoned", finish = "pad_behind", max_open = 4, max_active = 4 })"}},
      {"finish_leaves",
       "tiny",
       {R"(ftl.kind={ name = "zoned", finish = "leave", reset = "later", max_open = 4, max_active = 4 })"}},
      {"small_zones", "tiny", {R"(ftl.kind={ name = "zoned", dies = 1, max_open = 4, max_active = 4 })"}},
      {"several_units_a_program",
       "tiny",
       {"nand.page_size=16 KiB", "nand.pages=8",
        R"(ftl.kind={ name = "zoned", dies = 2, max_open = 4, max_active = 4 })"}},
      {"one_shot_on_four_planes",
       "nvme-tlc-1tb",
       {"buffer.size=3 MiB", "nand.errors.model=none",
        R"(ftl.kind={ name = "zoned", dies = 1, max_open = 4, max_active = 4, reset = "later" })"}},
      {"large_zones",
       "tiny",
       {R"(ftl.kind={ name = "zoned", dies = 2, zone_capacity = "1 MiB", zone_size = "2 MiB", max_open = 3, max_active = 3 })"}},
      {"write_through",
       "tiny",
       {"buffer.mode=write_through", R"(ftl.kind={ name = "zoned", max_open = 3, max_active = 3 })"}},
      {"random_write_areas",
       "tiny",
       {R"(ftl.kind={ name = "zoned", random_write_area = "32 KiB", max_open = 3, max_active = 4 })"}},
      {"random_write_areas_later",
       "tiny",
       {"nand.page_size=16 KiB", "nand.pages=8",
        R"(ftl.kind={ name = "zoned", dies = 2, random_write_area = "128 KiB", random_write_granularity = "32 KiB", max_random_write_areas = 2, max_open = 4, max_active = 4, reset = "later", finish = "leave" })"}},
      {"random_write_areas_on_four_planes",
       "nvme-tlc-1tb",
       {"buffer.size=4 MiB", "nand.errors.model=none",
        R"(ftl.kind={ name = "zoned", dies = 1, random_write_area = "384 KiB", max_open = 4, max_active = 4 })"}},
      {"random_write_areas_on_capacitors",
       "tiny",
       {"power.plp=true", "nand.page_size=8 KiB",
        R"(ftl.kind={ name = "zoned", random_write_area = "64 KiB", max_open = 3, max_active = 3 })"}},
      {"on_capacitors",
       "tiny",
       {"power.plp=true", R"(ftl.kind={ name = "zoned", reset = "later", max_open = 3, max_active = 3 })"}},
      {"failing_programs",
       "tiny",
       {"nand.program_failure_rate=0.003", R"(ftl.kind={ name = "zoned", max_open = 3, max_active = 4 })"}},
      {"failing_programs_and_erases",
       "tiny",
       {"nand.program_failure_rate=0.002", "nand.erase_failure_rate=0.01",
        R"(ftl.kind={ name = "zoned", reset = "later", max_open = 4, max_active = 4 })"}},
      {"failing_programs_of_small_zones",
       "tiny",
       {"nand.program_failure_rate=0.02", "nand.page_size=16 KiB", "nand.pages=8",
        R"(ftl.kind={ name = "zoned", dies = 2, finish = "leave", max_open = 4, max_active = 4 })"}},
      {"failing_programs_on_four_planes",
       "nvme-tlc-1tb",
       {"buffer.size=3 MiB", "nand.errors.model=none", "nand.program_failure_rate=0.01",
        R"(ftl.kind={ name = "zoned", dies = 1, max_open = 4, max_active = 4, reset = "later" })"}},
      {"failing_programs_of_large_zones",
       "tiny",
       {"nand.program_failure_rate=0.005", "buffer.mode=write_through",
        R"(ftl.kind={ name = "zoned", dies = 2, zone_capacity = "1 MiB", zone_size = "2 MiB", max_open = 3, max_active = 3 })"}},
      {"failing_programs_of_random_areas",
       "tiny",
       {"nand.program_failure_rate=0.005",
        R"(ftl.kind={ name = "zoned", random_write_area = "32 KiB", max_open = 3, max_active = 4 })"}},
      {"failing_programs_of_random_areas_later",
       "tiny",
       {"nand.page_size=16 KiB", "nand.pages=8", "nand.program_failure_rate=0.01", "nand.erase_failure_rate=0.005",
        R"(ftl.kind={ name = "zoned", dies = 2, random_write_area = "128 KiB", random_write_granularity = "32 KiB", max_random_write_areas = 2, max_open = 4, max_active = 4, reset = "later", finish = "leave" })"}},
      {"failing_programs_on_capacitors",
       "tiny",
       {"nand.program_failure_rate=0.005", "power.plp=true", "power.plp_flush=flash", "nand.page_size=8 KiB",
        R"(ftl.kind={ name = "zoned", max_open = 3, max_active = 3 })"}},
      {"wear",
       "tiny",
       {"nand.endurance=12", "nand.endurance_deviation=0.1", "nand.program_failures=0.3",
        R"(ftl.kind={ name = "zoned", max_open = 3, max_active = 3 })"}},
      {"wear_of_random_areas",
       "tiny",
       {"nand.endurance=20", "nand.endurance_deviation=0.1", "nand.program_failure_rate=0.001",
        "nand.program_failure_at=cycle",
        R"(ftl.kind={ name = "zoned", random_write_area = "32 KiB", reset = "later", max_open = 3, max_active = 3 })"}}};
  return all;
}

class ZonesTorture : public testing::TestWithParam<std::size_t> {};

TEST_P(ZonesTorture, LosesNothingThatMustSurvive) {
  const Shape& shape = shapes()[GetParam()];
  std::vector<std::string> overrides = {"nand.blocks=32", "host_interface.sector_size=4 KiB", "buffer.replacement=fifo",
                                        "ftl.over_provisioning=1.0"};
  overrides.insert(overrides.end(), shape.overrides.begin(), shape.overrides.end());
  const DeviceConfig config = small_preset(shape.preset, overrides);
  const std::uint64_t cuts = effort(50, 10'000);
  TortureCounts sum;
  for (std::uint64_t seed = 1; sum.cuts < cuts; ++seed) {
    DriveTorture drive(config, seed);
    ASSERT_TRUE(drive.run(50)) << shape.name << ", seed " << seed << ", cut " << drive.failure().cut << ": "
                               << drive.failure().what << "; struck " << drive.failure().struck;
    sum += drive.counts();
  }
  const std::string name = shape.name;
  EXPECT_EQ(sum.program_failures + sum.erase_failures != 0,
            name.starts_with("failing_programs") || name.starts_with("wear"));
  EXPECT_GT(sum.sectors_checked, 1000U);
  if (!config.power.plp) {
    EXPECT_GT(sum.of(Origin::Host), 0U);  // capacitors let programs end, except those of a mount
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ZonesTorture, testing::Range(std::size_t{0}, shapes().size()),
                         [](const auto& shape) { return std::string(shapes()[shape.param].name); });

}  // namespace
}  // namespace flashloom::zones_torture_test
