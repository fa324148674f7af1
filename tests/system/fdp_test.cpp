// Flexible data placement: reclaim units are filled, changed and collected as NVMe TP4146 says, events report it, and
// the laws of other devices still hold.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/fdp_drive.hpp"
#include "workloads/random.hpp"

namespace flashloom::fdp_test {
namespace {

TEST(ReclaimUnits, AreFilledOneAfterTheOther) {
  FdpDrive drive(fdp_device());
  EXPECT_EQ(drive.room(1), 0U);  // nothing is open
  for (std::uint64_t unit = 0; unit < 10; ++unit) drive.put(unit, 1);
  EXPECT_EQ(drive.room(0), 0U);
  EXPECT_EQ(drive.room(1), 54U);
  for (std::uint64_t unit = 10; unit < 64; ++unit) drive.put(unit, 1);
  EXPECT_EQ(drive.room(1), 0U);
  EXPECT_EQ(drive.statistics().streams[1].reclaim_units, 1U);
  drive.put(64, 1);
  EXPECT_EQ(drive.room(1), 63U);
  EXPECT_EQ(drive.statistics().streams[1].reclaim_units, 2U);
  EXPECT_EQ(drive.statistics().streams[1].units_written, 65U);
  EXPECT_EQ(drive.statistics().streams[0].units_written, 0U);
  EXPECT_EQ(drive.statistics().fdp.units_not_full, 0U);
}

TEST(ReclaimUnits, AreLeftBehindByAnUpdate) {
  FdpDrive drive(fdp_device());
  for (std::uint64_t unit = 0; unit < 10; ++unit) drive.put(unit, 1);
  drive.put(100, 0);
  drive.update(1);
  EXPECT_EQ(drive.statistics().fdp.handle_updates, 1U);
  EXPECT_EQ(drive.statistics().fdp.units_not_full, 1U);
  EXPECT_EQ(drive.statistics().fdp.room_left, 54U);
  EXPECT_EQ(drive.room(1), 0U);
  EXPECT_EQ(drive.room(0), 63U);  // the other handle keeps its reclaim unit
  drive.put(10, 1);
  EXPECT_EQ(drive.room(1), 63U);
  EXPECT_EQ(drive.statistics().streams[1].reclaim_units, 2U);
  for (std::uint64_t unit = 11; unit < 11 + 63; ++unit) drive.put(unit, 1);
  drive.update(1);  // the reclaim unit is full, so no event is logged
  EXPECT_EQ(drive.statistics().fdp.handle_updates, 2U);
  EXPECT_EQ(drive.statistics().fdp.units_not_full, 1U);
  drive.firmware->ftl().check();
}

// Garbage collection reclaims partly filled reclaim units like any other: the device never runs out of room.
TEST(ReclaimUnits, LeftHalfFullAreCollected) {
  for (const std::uint32_t pages_per_program : {1U, 2U}) {
    DeviceConfig config = fdp_device();
    config.verify = true;
    config.nand.pages_per_program = pages_per_program;
    FdpDrive drive(config);
    Random random(7);
    for (std::uint32_t write = 0; write < 8 * drive.units(); ++write) {
      drive.put(random.below(drive.units()), static_cast<std::uint16_t>(write & 1));
      if (random.chance(0.02)) drive.update(static_cast<std::uint16_t>(random.below(2)));
    }
    EXPECT_GT(drive.statistics().gc_runs, 100U);
    EXPECT_GT(drive.statistics().fdp.units_not_full, 50U);
    EXPECT_EQ(drive.audit(), 0U);
  }
}

TEST(PlacementIdentifiers, ThatNameNoHandleAreAsNone) {
  DeviceConfig config = fdp_device();
  config.ftl.fdp.default_handle = 1;
  FdpDrive drive(config);
  drive.put(0, 2);
  drive.put(1, 0xffff);
  EXPECT_EQ(drive.statistics().fdp.invalid_identifiers, 2U);
  drive.write(2 * FdpDrive::kUnit, FdpDrive::kUnit);
  EXPECT_EQ(drive.statistics().fdp.invalid_identifiers, 2U);
  EXPECT_EQ(drive.statistics().streams[0].units_written, 0U);
  EXPECT_EQ(drive.statistics().streams[1].units_written, 3U);
}

// Three groups take the upper two bits of an identifier.
TEST(PlacementIdentifiers, HoldTheGroupInTheirUpperBits) {
  const FdpConfig config{.groups = 3, .handles = 4};
  EXPECT_EQ(placement_identifier(config, 0), 0U);
  EXPECT_EQ(placement_identifier(config, 3), 3U);
  EXPECT_EQ(placement_identifier(config, 6), 0x4002U);
  EXPECT_EQ(placement_identifier(config, 11), 0x8003U);
  EXPECT_EQ(reclaim_stream(config, 0x8003), 11U);
  EXPECT_FALSE(reclaim_stream(config, 0xc000).has_value());
  EXPECT_FALSE(reclaim_stream(config, 0x0004).has_value());
  EXPECT_EQ(placement_identifier({.groups = 1, .handles = 8}, 7), 7U);
}

// Handle 0 writes the lower half of the addresses, handle 1 the upper. Returns the number of superblocks that hold data
// of both.
std::uint32_t mixed(const FdpDrive& drive) {
  std::uint32_t both = 0;
  for (std::uint32_t block = 0; block < 32; ++block) {
    std::set<bool> halves;
    for (std::uint32_t die = 0; die < 4; ++die)
      for (const std::uint32_t unit : drive.units_on(die, block)) halves.insert(unit >= drive.units() / 2);
    if (halves.size() == 2) ++both;
  }
  return both;
}

void overwrite_halves(FdpDrive& drive, std::uint32_t writes, Random& random) {
  for (std::uint32_t write = 0; write < writes; ++write) {
    const auto unit = random.below(drive.units());
    drive.put(unit, unit >= drive.units() / 2 ? 1 : 0);
  }
}

TEST(Isolation, OfPersistentHandlesHoldsForCopies) {
  FdpDrive drive(fdp_device(1, 2, {0, 1}));
  Random random(1);
  overwrite_halves(drive, 6 * drive.units(), random);
  EXPECT_GT(drive.statistics().gc_runs, 50U);
  EXPECT_EQ(drive.statistics().fdp.media_reallocated, 0U);  // only initially isolated handles raise this event
  EXPECT_GT(drive.statistics().streams[0].units_moved, 100U);
  EXPECT_EQ(mixed(drive), 0U);
}

TEST(Isolation, OfPersistentHandlesOutlivesPowerCuts) {
  DeviceConfig config = fdp_device(1, 2, {0, 1});
  config.verify = true;
  FdpDrive drive(config);
  Random random(2);
  for (int cut = 0; cut < 6; ++cut) {
    overwrite_halves(drive, drive.units(), random);
    drive.restart();
    EXPECT_EQ(drive.room(0), 0U);  // the open reclaim unit was closed
    EXPECT_GT(drive.statistics().fdp.reset_handles, 0U);
  }
  EXPECT_EQ(mixed(drive), 0U);
  EXPECT_EQ(drive.audit(), 0U);
}

TEST(Isolation, OfInitialHandlesEndsWithGarbageCollection) {
  FdpDrive drive(fdp_device());
  for (std::uint32_t unit = 0; unit < drive.units(); ++unit) drive.put(unit, unit >= drive.units() / 2 ? 1 : 0);
  EXPECT_EQ(mixed(drive), 0U);
  Random random(1);
  overwrite_halves(drive, 6 * drive.units(), random);
  EXPECT_GT(mixed(drive), 0U);
}

// One of three handles is persistent: the data of the other two mix, but never with its data.
TEST(Isolation, IsByHandle) {
  FdpDrive drive(fdp_device(1, 3, {1}));
  Random random(3);
  const std::uint32_t third = drive.units() / 3;
  for (std::uint32_t write = 0; write < 6 * drive.units(); ++write) {
    const auto unit = static_cast<std::uint32_t>(random.below(std::uint64_t{3} * third));
    drive.put(unit, static_cast<std::uint16_t>(unit / third));
  }
  std::uint32_t others = 0;
  for (std::uint32_t block = 0; block < 32; ++block) {
    std::set<std::uint32_t> handles;
    for (std::uint32_t die = 0; die < 4; ++die)
      for (const std::uint32_t unit : drive.units_on(die, block)) handles.insert(unit / third);
    EXPECT_TRUE(!handles.contains(1) || handles.size() == 1) << block;
    others += handles.size() == 2 ? 1 : 0;
  }
  EXPECT_GT(others, 0U);
}

TEST(ReclaimGroups, AreDies) {
  FdpDrive drive(fdp_device(2, 2));
  for (std::uint64_t unit = 0; unit < 300; ++unit) drive.put(unit, unit % 2 == 0 ? 0x0001 : 0x8000);
  for (std::uint32_t die = 0; die < 4; ++die)
    for (std::uint32_t block = 0; block < 32; ++block)
      for (const std::uint32_t unit : drive.units_on(die, block)) EXPECT_EQ(unit % 2 == 1, die >= 2) << unit;
  EXPECT_EQ(drive.statistics().streams[1].units_written, 150U);
  EXPECT_EQ(drive.statistics().streams[2].units_written, 150U);
  EXPECT_EQ(drive.statistics().fdp.placed_elsewhere, 0U);
}

// The logical space spans all groups: when one is full, its data go to another.
TEST(ReclaimGroups, GiveWayWhenTheyAreFull) {
  DeviceConfig config = fdp_device(2, 2);
  config.verify = true;
  FdpDrive drive(config);
  for (std::uint32_t unit = 0; unit < drive.units(); ++unit) drive.put(unit, 1);
  EXPECT_GT(drive.statistics().fdp.placed_elsewhere, 0U);
  Random random(5);
  for (std::uint32_t write = 0; write < 2 * drive.units(); ++write) drive.put(random.below(drive.units()), 1);
  EXPECT_EQ(drive.audit(), 0U);
}

// Groups of a single die use blocks as reclaim units.
TEST(ReclaimGroups, OfOneDieNeedNoSuperblocks) {
  DeviceConfig config = fdp_device(4, 2, {0});
  config.ftl.gc_unit = "block";
  config.ftl.superblock_dies = 0;
  config.verify = true;
  FdpDrive drive(config);
  drive.put(0, placement_identifier(config.ftl.fdp, 7));
  EXPECT_EQ(drive.room(7), 15U);
  EXPECT_EQ(drive.units_on(3, 0).size() + drive.units_on(3, 1).size() + drive.units_on(3, 31).size(), 1U);
  Random random(6);
  for (std::uint32_t write = 0; write < 6 * drive.units(); ++write)
    drive.put(random.below(drive.units()), placement_identifier(config.ftl.fdp, static_cast<std::uint32_t>(write % 8)));
  EXPECT_EQ(drive.audit(), 0U);
}

// A buffer in NVRAM keeps the placement of its data.
TEST(PlacementIdentifiers, OfBufferedDataOutlivePowerCuts) {
  DeviceConfig config = fdp_device();
  config.buffer.mode = "write_back";
  config.buffer.location = "nvram";
  config.buffer.size = 64 * FdpDrive::kUnit;
  config.nvram.size = 1 << 20;
  config.verify = true;
  FdpDrive drive(config);
  for (std::uint64_t unit = 0; unit < 8; ++unit) drive.put(unit, 1);
  EXPECT_EQ(drive.statistics().streams[1].units_written, 0U);
  drive.restart();
  drive.update(1);  // moves all buffered data to flash
  EXPECT_EQ(drive.statistics().streams[1].units_written, 8U);
  EXPECT_EQ(drive.statistics().streams[0].units_written, 0U);
  EXPECT_EQ(drive.audit(), 0U);
}

std::vector<std::uint16_t> identifiers(const DeviceConfig& config) {
  std::vector<std::uint16_t> all = placement_identifiers(config.ftl.fdp);
  all.push_back(0xffff);
  return all;
}

const std::vector<std::vector<std::string>>& shapes() {
  static const std::vector<std::vector<std::string>> all = {
      {"tiny", "nand.blocks=40", "ftl.gc_unit=superblock", "fdp.groups=1", "fdp.handles=3"},
      {"tiny", "nand.blocks=40", "ftl.gc_unit=superblock", "fdp.groups=1", "fdp.handles=3", "fdp.persistent=[1, 2]",
       "ftl.kind={ name = \"dftl\", cmt_size = \"512 B\" }"},
      {"tiny", "nand.blocks=60", "ftl.gc_unit=superblock", "ftl.superblock_dies=2", "fdp.groups=2", "fdp.handles=2",
       "fdp.persistent=[0]", "ftl.recovery={ name = \"checkpoint\", interval = \"512 KiB\" }"},
      {"mqsim-default", "nand.blocks=40", "ftl.gc_unit=superblock", "fdp.groups=1", "fdp.handles=2"},
      {"nvme-tlc-1tb", "nand.blocks=40", "ftl.gc_unit=superblock", "ftl.logical_size=20 MiB", "buffer.size=3 MiB",
       "fdp.groups=1", "fdp.handles=2", "fdp.persistent=[0, 1]"},
      {"tiny", "nand.blocks=40", "ftl.gc_unit=superblock", "fdp.groups=1", "fdp.handles=3", "fdp.unit_superblocks=2"},
      {"tiny", "nand.blocks=60", "ftl.gc_unit=superblock", "ftl.superblock_dies=2", "fdp.groups=2", "fdp.handles=2",
       "fdp.persistent=[0]", "fdp.unit_superblocks=3"},
      {"tiny", "nand.blocks=60", "ftl.gc_unit=superblock", "fdp.groups=1", "fdp.handles=2", "ftl.rain=1",
       "ftl.over_provisioning=0.8", "fdp.unit_superblocks=2"},
  };
  return all;
}

DeviceConfig shape(std::size_t number) {
  std::vector<std::string> overrides(shapes()[number].begin() + 1, shapes()[number].end());
  overrides.insert(overrides.end(), {"precondition.fill=0.9", "power.off_time=1 ms"});
  return small_preset(shapes()[number].front(), overrides);
}

MixOptions mix(const DeviceConfig& config, std::uint64_t seed) {
  MixOptions options = mix_for(config, seed, 3000);
  options.whole_units = true;
  options.placements = identifiers(config);
  return options;
}

class EveryShape : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryShape, EndsAlikeOnBothClocks) {
  const DeviceConfig config = shape(GetParam());
  MixOptions options = mix(config, 4);
  options.reads = 0;  // reads hit data in flight in the buffer, depending on time
  const std::vector<Request> requests = random_mix(options);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  EXPECT_EQ(timed["verify"]["mismatches"], 0);
  EXPECT_EQ(instant["verify"]["mismatches"], 0);
  EXPECT_EQ(timed["digest"], instant["digest"]);
  EXPECT_EQ(timed["counters"], instant["counters"]);
  EXPECT_EQ(timed["ftl_statistics"], instant["ftl_statistics"]);
}

TEST_P(EveryShape, VerifiesAtDepth16AndPowerCuts) {
  DeviceConfig config = shape(GetParam());
  EXPECT_EQ(simulate(config, {{random_mix(mix(config, 5)), 16, 0}})["verify"]["mismatches"], 0);
  config.power.cuts = 5;
  EXPECT_EQ(simulate(config, {{random_mix(mix(config, 6)), 16, 0}})["verify"]["mismatches"], 0);
}

// Programs of host data match what the handles were given, and copies match what GC moved: no unit is missed or counted
// twice.
TEST_P(EveryShape, AccountsForEveryUnit) {
  const DeviceConfig config = shape(GetParam());
  InstantDevice drive(config);
  for (const Request& request : random_mix(mix(config, 7))) drive.run(request);
  drive.come_to_rest();
  const FtlStatistics statistics = drive.firmware->ftl().statistics();
  std::uint64_t written = 0;
  std::uint64_t moved = 0;
  for (std::uint32_t stream = 0; stream < config.ftl.fdp.groups * config.ftl.fdp.handles; ++stream) {
    written += statistics.streams[stream].units_written;
    moved += statistics.streams[stream].units_moved;
  }
  EXPECT_EQ(written, statistics.units_written);
  if (config.ftl.kind.name == "dftl")
    EXPECT_LE(moved, statistics.units_moved);  // the others are translation pages
  else
    EXPECT_EQ(moved, statistics.units_moved);
  // Some units may wait for their program units to fill.
  const auto programmed = [&](Origin origin) {
    return drive.flash.counters().at(FlashOperation::Program, origin).units;
  };
  const std::uint32_t waiting =
      (drive.geometry.units_per_program() - 1) * config.ftl.fdp.groups * config.ftl.fdp.handles;
  EXPECT_LE(programmed(Origin::Host), written);
  EXPECT_GE(programmed(Origin::Host) + waiting, written);
  EXPECT_LE(programmed(Origin::Gc), statistics.units_moved);
  EXPECT_GE(programmed(Origin::Gc) + waiting, statistics.units_moved);
  drive.firmware->ftl().check();
}

INSTANTIATE_TEST_SUITE_P(Fdp, EveryShape, testing::Range<std::size_t>(0, shapes().size()));

// Steady-state WAF on four dies of 128 blocks with 25 % over-provisioning; `next` draws the units to write, `handle_of`
// gives their handle. docs/reference/fdp.md quotes these figures.
template <class Next, class HandleOf>
double steady_waf(const char* name, std::vector<std::uint32_t> persistent, Next next, HandleOf handle_of) {
  DeviceConfig config = fdp_device(1, 2, std::move(persistent));
  config.nand.blocks = 128;
  config.ftl.over_provisioning = 0.25;
  FdpDrive drive(config);
  const std::uint32_t units = drive.units();
  const auto put = [&](std::uint64_t unit) { drive.put(unit, handle_of(unit, units)); };
  for (std::uint32_t unit = 0; unit < units; ++unit) put(unit);
  Random random(1);
  for (std::uint32_t write = 0; write < 6 * units; ++write) put(next(random, units));
  const FtlStatistics before = drive.statistics();
  for (std::uint32_t write = 0; write < 4 * units; ++write) put(next(random, units));
  FtlStatistics during = drive.statistics();
  during -= before;
  const double waf = 1 + static_cast<double>(during.units_moved) / static_cast<double>(during.units_written);
  std::printf("WAF, %s: %.3f\n", name, waf);
  return waf;
}

constexpr auto kOneHandle = [](std::uint64_t, std::uint32_t) -> std::uint16_t { return 0; };

// A tenth of the addresses gets nine tenths of the writes. With one handle, hot and cold data share reclaim units. With
// persistent isolation GC copies of hot data stay apart from cold data, too.
TEST(FlexibleDataPlacement, KeepsHotFromCold) {
  const auto next = [](Random& random, std::uint32_t units) -> std::uint64_t {
    const std::uint32_t hot = units / 10;
    return random.chance(0.9) ? random.below(hot) : hot + random.below(units - hot);
  };
  const auto by_heat = [](std::uint64_t unit, std::uint32_t units) -> std::uint16_t {
    return unit < units / 10 ? 1 : 0;
  };
  const double one = steady_waf("hot tenth, one handle", {}, next, kOneHandle);
  const double initially = steady_waf("hot tenth, initially isolated", {}, next, by_heat);
  const double persistently = steady_waf("hot tenth, persistently isolated", {0, 1}, next, by_heat);
  EXPECT_LT(initially, one);
  EXPECT_LT(persistently, 0.9 * initially);
}

// Writes like a flash cache (CacheLib; Allison et al., EuroSys 2025): half of the writes go to small objects, a hash
// table in 4 % of the addresses; the others cycle through the large objects, which die in the order in which they were
// written. Kept apart, large objects leave whole reclaim units invalid, and small ones get all of the spare space.
TEST(FlexibleDataPlacement, KeepsSmallObjectsFromLargeOnes) {
  const auto cache = [at = std::uint64_t{0}](Random& random, std::uint32_t units) mutable -> std::uint64_t {
    const std::uint32_t small = units / 25;
    return random.chance(0.5) ? random.below(small) : small + at++ % (units - small);
  };
  const auto by_size = [](std::uint64_t unit, std::uint32_t units) -> std::uint16_t {
    return unit < units / 25 ? 1 : 0;
  };
  const double one = steady_waf("cache, one handle", {}, cache, kOneHandle);
  const double two = steady_waf("cache, two handles", {}, cache, by_size);
  EXPECT_GT(one, 1.2);
  EXPECT_LT(two, 1.02);
}

}  // namespace
}  // namespace flashloom::fdp_test
