// FDP events (NVM Express Base Specification 2.1, section 5.1.12.1.31): each event type by a hand-worked sequence, the
// log by laws; and reclaim units of several superblocks.
#include "controllers/ftl/features/fdp/handles/fdp_events.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "policies/memory_archive.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/fdp_drive.hpp"
#include "workloads/random.hpp"

namespace flashloom::fdp_events_test {
namespace {

using enum FdpEventType;

const FdpEvent& last(const FdpDrive& drive, bool of_host) { return drive.fdp_events->events(of_host).back(); }

std::size_t logged(const FdpDrive& drive, bool of_host) { return drive.fdp_events->events(of_host).size(); }

TEST(FdpEventLog, TellsOfUnitsThatAnUpdateLeavesHalfFull) {
  FdpDrive drive(fdp_device());
  for (std::uint64_t unit = 0; unit < 10; ++unit) drive.put(unit, 1);
  drive.update(0);  // handle 0 has no open reclaim unit
  EXPECT_EQ(logged(drive, true), 0U);
  drive.update(1);
  ASSERT_EQ(logged(drive, true), 1U);
  EXPECT_EQ(last(drive, true).type, UnitNotFull);
  EXPECT_EQ(last(drive, true).stream, 1U);
  EXPECT_TRUE(last(drive, true).located);
  for (std::uint64_t unit = 0; unit < 64; ++unit) drive.put(unit, 1);
  drive.update(1);  // its reclaim unit is exactly full
  EXPECT_EQ(logged(drive, true), 1U);
  EXPECT_EQ(logged(drive, false), 0U);
}

TEST(FdpEventLog, TellsOfHandlesThatAPowerCutHasMovedOn) {
  FdpDrive drive(fdp_device(1, 3));
  for (std::uint64_t unit = 0; unit < 64; ++unit) drive.put(unit, 0);  // a full unit: its handle is not reset
  for (std::uint64_t unit = 0; unit < 10; ++unit) drive.put(unit, 1);
  drive.put(100, 2);
  drive.restart();
  ASSERT_EQ(logged(drive, true), 2U);
  EXPECT_EQ(drive.fdp_events->events(true)[0].type, ResetHandles);
  EXPECT_EQ(drive.fdp_events->events(true)[0].stream, 1U);
  EXPECT_EQ(drive.fdp_events->events(true)[1].stream, 2U);
  EXPECT_EQ(drive.statistics().fdp.reset_handles, 2U);
}

TEST(FdpEventLog, OutlivesPowerCuts) {
  FdpDrive drive(fdp_device());
  drive.put(7, 0xffff);
  drive.update(0);
  drive.restart();
  ASSERT_EQ(logged(drive, true), 3U);
  EXPECT_EQ(drive.fdp_events->events(true)[0].type, InvalidIdentifier);
  EXPECT_EQ(drive.fdp_events->events(true)[1].type, UnitNotFull);
  EXPECT_EQ(drive.fdp_events->events(true)[2].type, ResetHandles);  // a mount cannot tell a left unit from an open one
}

TEST(FdpEventLog, TellsOfIdentifiersThatNameNoHandle) {
  DeviceConfig config = fdp_device(2, 2);
  config.ftl.fdp.default_handle = 1;
  FdpDrive drive(config);
  drive.put(5, 0x1234);
  ASSERT_EQ(logged(drive, true), 1U);
  EXPECT_EQ(last(drive, true).type, InvalidIdentifier);
  EXPECT_EQ(last(drive, true).identifier, 0x1234U);
  EXPECT_EQ(last(drive, true).unit, 5U);
  EXPECT_EQ(last(drive, true).stream, 1U);  // where the drive put it: group 0, the default handle
  drive.put(16, 0x1234);
  EXPECT_EQ(last(drive, true).stream, 3U);  // the next 16 units go to group 1
  EXPECT_EQ(drive.statistics().streams[3].units_written, 1U);
}

// 20 superblocks are full. The host rewrites all units of the first but 5 and 9, and two thirds of those of the others.
// When its 12 free superblocks run out, the drive collects the first one before any other.
TEST(FdpEventLog, TellsOfDataThatGarbageCollectionMoves) {
  FdpDrive drive(fdp_device(1, 2));
  ASSERT_EQ(drive.units(), 20U * 64);
  for (std::uint32_t unit = 0; unit < drive.units(); ++unit) drive.put(unit, 1);
  EXPECT_EQ(logged(drive, false), 0U);
  for (std::uint32_t unit = 0; unit < drive.units() && logged(drive, false) == 0; ++unit) {
    const bool again = unit < 64 ? unit != 5 && unit != 9 : unit % 3 != 0;
    if (again) drive.put(unit, 1);
  }
  ASSERT_EQ(logged(drive, false), 1U);
  const FdpEvent event = drive.fdp_events->events(false)[0];
  EXPECT_EQ(event.type, MediaReallocated);
  EXPECT_EQ(event.units_moved, 2U);
  EXPECT_EQ(event.unit, 5U);
  EXPECT_EQ(event.stream, 1U);
  EXPECT_TRUE(event.located);                                // copies of both handles go to reclaim units of handle 0
  EXPECT_GE(drive.statistics().streams[1].units_moved, 2U);  // the next victim may be in progress
}

// Copies of all initially isolated handles share reclaim units, which count as the first such handle's.
TEST(FdpEventLog, SaysNoHandleOfDataThatMayBeOfSeveral) {
  FdpDrive drive(fdp_device(1, 3, {1}));
  Random random(2);
  std::array<std::uint64_t, 3> seen{};
  const std::uint32_t third = drive.units() / 3;
  for (std::uint32_t write = 0; write < 8 * drive.units(); ++write) {
    const auto unit = static_cast<std::uint32_t>(random.below(std::uint64_t{3} * third));
    const std::uint64_t before = drive.statistics().fdp.media_reallocated;
    drive.put(unit, static_cast<std::uint16_t>(unit / third));
    if (drive.statistics().fdp.media_reallocated == before) continue;
    const FdpEvent& event = last(drive, false);
    ++seen[event.stream];
    EXPECT_EQ(event.located, event.stream == 2) << event.stream;
    EXPECT_NE(event.unit / third, 1U);
  }
  EXPECT_GT(seen[0], 20U);
  EXPECT_EQ(seen[1], 0U);  // handle 1 is persistently isolated
  EXPECT_GT(seen[2], 20U);
}

TEST(FdpEventLog, TellsOfHandlesWhoseGroupIsFull) {
  FdpDrive drive(fdp_device(2, 2));
  for (std::uint32_t unit = 0; unit < drive.units(); ++unit) drive.put(unit, 1);
  ASSERT_GT(logged(drive, false), 0U);
  EXPECT_EQ(drive.fdp_events->events(false)[0].type, ImplicitlyModified);
  EXPECT_EQ(drive.fdp_events->events(false)[0].stream, 1U);
}

// 100 writes that name no handle: the log keeps the last 63 events, in order.
TEST(FdpEventLog, KeepsTheLastOfEachKind) {
  FdpDrive drive(fdp_device());
  for (std::uint64_t unit = 0; unit < 100; ++unit) drive.put(unit, 0xffff);
  const auto& events = drive.fdp_events->events(true);
  ASSERT_EQ(events.size(), FdpEvents::kMost);
  for (std::uint32_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].unit, 37 + i);
  EXPECT_EQ(logged(drive, false), 0U);
  EXPECT_EQ(drive.statistics().fdp.invalid_identifiers, 100U);
}

TEST(FdpEventLog, LeavesOutWhatIsDisabled) {
  FdpDrive drive(fdp_device());
  drive.fdp_events->enable(1, UnitNotFull, false);
  for (const std::uint16_t handle : {0, 1}) {
    drive.put(handle, handle);
    drive.update(handle);
  }
  ASSERT_EQ(logged(drive, true), 1U);
  EXPECT_EQ(last(drive, true).stream, 0U);
  EXPECT_EQ(drive.statistics().fdp.units_not_full, 2U);
  drive.fdp_events->disable_all();
  drive.put(0, 9);
  EXPECT_EQ(logged(drive, true), 1U);
  drive.fdp_events->enable(0, InvalidIdentifier, true);  // other writes go to the default handle
  drive.put(0, 9);
  EXPECT_EQ(logged(drive, true), 2U);
}

TEST(FdpEventLog, IsPartOfSavedStates) {
  const DeviceConfig config = fdp_device();
  FdpDrive drive(config);
  Random random(3);
  for (std::uint32_t write = 0; write < 4 * drive.units(); ++write) {
    drive.put(random.below(drive.units()), static_cast<std::uint16_t>(write % 3));
    if (random.chance(0.02)) drive.update(static_cast<std::uint16_t>(write % 2));
  }
  drive.come_to_rest();
  const std::string bytes = saved(drive);
  FdpDrive other(config);
  ASSERT_TRUE(load_state(other, bytes));
  EXPECT_EQ(saved(other), bytes);
  for (const bool of_host : {true, false}) {
    ASSERT_EQ(logged(other, of_host), logged(drive, of_host));
    EXPECT_GT(logged(other, of_host), 20U);
    for (std::size_t i = 0; i < logged(drive, of_host); ++i)
      EXPECT_EQ(other.fdp_events->events(of_host)[i].unit, drive.fdp_events->events(of_host)[i].unit);
  }
}

// The event counters and the log agree as long as the log drops nothing.
TEST(FdpEventLog, HoldsWhatIsCounted) {
  for (std::uint64_t seed = 1; seed <= effort(4, 12); ++seed) {
    Random random(seed);
    DeviceConfig config = fdp_device(seed % 3 == 0 ? 2 : 1, 2 + static_cast<std::uint32_t>(seed % 2));
    config.ftl.fdp.unit_superblocks = 1 + static_cast<std::uint32_t>(seed % 2);
    FdpDrive drive(config);
    std::array<std::uint64_t, kFdpEventTypes.size()> counted{};
    std::array<std::uint64_t, kFdpEventTypes.size()> seen{};
    FtlStatistics before = drive.statistics();
    for (std::uint32_t step = 0; step < 4 * drive.units(); ++step) {
      const auto stream = static_cast<std::uint32_t>(random.below(config.ftl.fdp.groups * config.ftl.fdp.handles));
      const std::uint16_t identifier =
          random.chance(0.01) ? std::uint16_t{0xfff} : placement_identifier(config.ftl.fdp, stream);
      drive.fdp_events->clear();
      if (random.chance(0.003)) {
        drive.restart();
        before = {};  // counters restart with the firmware
      } else if (random.chance(0.01)) {
        drive.update(identifier);
      } else {
        drive.put(random.below(drive.units()), identifier);
      }
      const FtlStatistics now = drive.statistics();
      for (std::size_t i = 0; i < kFdpEventTypes.size(); ++i)
        counted[i] += now.fdp.of(kFdpEventTypes[i]) - before.fdp.of(kFdpEventTypes[i]);
      before = now;
      for (const bool of_host : {true, false})
        for (const FdpEvent& event : drive.fdp_events->events(of_host)) {
          EXPECT_EQ(is_host_event(event.type), of_host);
          for (std::size_t i = 0; i < kFdpEventTypes.size(); ++i) seen[i] += kFdpEventTypes[i] == event.type ? 1 : 0;
        }
    }
    EXPECT_EQ(seen, counted) << "seed " << seed;
    EXPECT_GT(seen[0], 5U) << "seed " << seed;
    EXPECT_GT(seen[2], 5U) << "seed " << seed;
    EXPECT_GT(seen[3], 5U) << "seed " << seed;
    EXPECT_GT(seen[4], 5U) << "seed " << seed;
  }
}

DeviceConfig of_superblocks(std::uint32_t superblocks, std::uint32_t groups = 1, std::uint32_t handles = 2) {
  DeviceConfig config = fdp_device(groups, handles);
  config.ftl.fdp.unit_superblocks = superblocks;
  return config;
}

// Reclaim units of two superblocks with 64 units each.
TEST(UnitsOfSuperblocks, AreFilledOneAfterTheOther) {
  FdpDrive drive(of_superblocks(2));
  EXPECT_EQ(drive.room(1), 0U);
  for (std::uint64_t unit = 0; unit < 10; ++unit) drive.put(unit, 1);
  EXPECT_EQ(drive.room(1), 118U);
  for (std::uint64_t unit = 10; unit < 64; ++unit) drive.put(unit, 1);
  EXPECT_EQ(drive.room(1), 64U);
  drive.put(64, 1);
  EXPECT_EQ(drive.room(1), 63U);
  EXPECT_EQ(drive.statistics().streams[1].reclaim_units, 1U);
  for (std::uint64_t unit = 65; unit < 128; ++unit) drive.put(unit, 1);
  EXPECT_EQ(drive.room(1), 0U);
  EXPECT_EQ(drive.statistics().streams[1].reclaim_units, 1U);
  drive.put(128, 1);
  EXPECT_EQ(drive.room(1), 127U);
  EXPECT_EQ(drive.statistics().streams[1].reclaim_units, 2U);
  EXPECT_EQ(logged(drive, true) + logged(drive, false), 0U);
}

TEST(UnitsOfSuperblocks, AreLeftBehindWithAllOfTheirs) {
  FdpDrive drive(of_superblocks(3));
  for (std::uint64_t unit = 0; unit < 10; ++unit) drive.put(unit, 1);
  drive.update(1);
  EXPECT_EQ(drive.statistics().fdp.room_left, 182U);
  EXPECT_EQ(drive.room(1), 0U);
  for (std::uint64_t unit = 0; unit < 64; ++unit) drive.put(unit, 1);  // now no superblock is open
  EXPECT_EQ(drive.room(1), 128U);
  drive.update(1);
  EXPECT_EQ(drive.statistics().fdp.room_left, 310U);
  EXPECT_EQ(drive.statistics().fdp.units_not_full, 2U);
  drive.put(0, 1);
  EXPECT_EQ(drive.room(1), 191U);
  EXPECT_EQ(drive.statistics().streams[1].reclaim_units, 3U);
  drive.firmware->ftl().check();
}

TEST(UnitsOfSuperblocks, BeginAnewAfterAPowerCut) {
  DeviceConfig config = of_superblocks(2);
  config.verify = true;
  FdpDrive drive(config);
  for (std::uint64_t unit = 0; unit < 70; ++unit) drive.put(unit, 1);
  drive.restart();
  EXPECT_EQ(drive.room(1), 0U);
  EXPECT_EQ(drive.statistics().fdp.reset_handles, 1U);
  drive.put(0, 1);
  EXPECT_EQ(drive.room(1), 127U);
  EXPECT_EQ(drive.audit(), 0U);
}

// Group 0 fills up while the handle is in the second superblock of a reclaim unit: it continues in group 1 with a new
// reclaim unit, and begins another one when it returns to group 0.
TEST(UnitsOfSuperblocks, StayInOneGroup) {
  FdpDrive drive(of_superblocks(2, 2, 2));
  for (std::uint32_t unit = 0; unit < drive.units(); ++unit) drive.put(unit, 1);
  const FtlStatistics statistics = drive.statistics();
  EXPECT_GT(statistics.fdp.placed_elsewhere, 0U);
  EXPECT_GT(statistics.streams[1].reclaim_units, drive.units() / 64);  // units of 2 x 32 mapping units
  drive.firmware->ftl().check();
}

// Every unit written through a handle lies in one of its reclaim units; the rest of each reclaim unit was left
// unfilled, or is still open.
TEST(UnitsOfSuperblocks, AddUpToWhatWasWritten) {
  for (std::uint32_t superblocks = 1; superblocks <= 3; ++superblocks) {
    DeviceConfig config = of_superblocks(superblocks);
    config.verify = true;
    FdpDrive drive(config);
    Random random(superblocks);
    for (std::uint32_t write = 0; write < 6 * drive.units(); ++write) {
      drive.put(random.below(drive.units()), static_cast<std::uint16_t>(write & 1));
      if (random.chance(0.01)) drive.update(static_cast<std::uint16_t>(random.below(2)));
    }
    const FtlStatistics statistics = drive.statistics();
    std::uint64_t begun = 0;
    std::uint64_t used = statistics.fdp.room_left;
    for (std::uint32_t stream = 0; stream < 2; ++stream) {
      begun += statistics.streams[stream].reclaim_units;
      used += statistics.streams[stream].units_written + statistics.streams[stream].units_padded + drive.room(stream);
    }
    EXPECT_GT(statistics.gc_runs, 50U);
    EXPECT_EQ(begun * superblocks * 64, used) << superblocks;
    EXPECT_EQ(drive.audit(), 0U);
  }
}

const std::vector<std::string> kTimed = {"nand.blocks=40", "nand.pages=32", "ftl.gc_unit=superblock", "fdp.groups=1",
                                         "fdp.handles=2"};

DeviceConfig timed_device(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), kTimed.begin(), kTimed.end());
  return small_preset("tiny", overrides);
}

// 40 writes, one every 10 ms, and a time limit of 95 ms: each reclaim unit of 128 gets ten, and the limit ends it
// before the next.
TEST(TimeLimit, EndsUnitsThatAreOpenForTooLong) {
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 40; ++i)
    requests.push_back({.offset = i * 4096,
                        .length = 4096,
                        .arrival_ps = i * 10 * kMillisecond,
                        .kind = RequestKind::Write,
                        .directive = RequestDirective::DataPlacement,
                        .identifier = 1});
  const Json limited = simulate(timed_device({"fdp.unit_time_limit=95 ms", "buffer.mode=write_through"}),
                                {{.requests = requests, .iodepth = 0}});
  const Json& fdp = limited["ftl"]["fdp"];
  EXPECT_EQ(fdp["events"]["reclaim_unit_time_limit_exceeded"], 3);
  EXPECT_EQ(fdp["events"]["reclaim_unit_not_fully_written"], 0);
  EXPECT_EQ(fdp["handle_updates"], 0);
  EXPECT_EQ(fdp["unwritten_units"], 3 * 118);
  EXPECT_EQ(fdp["handles"][1]["reclaim_units"], 4);
  ASSERT_EQ(fdp["event_log"]["host"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& event = fdp["event_log"]["host"][i];
    EXPECT_EQ(event["event"], "reclaim_unit_time_limit_exceeded");
    EXPECT_EQ(event["placement_identifier"], 1);
    EXPECT_EQ(event["handle"], 1);
    EXPECT_NEAR(event["time_s"].get<double>(), 0.1 * static_cast<double>(i + 1), 0.001);
  }
  EXPECT_EQ(limited["verify"]["mismatches"], 0);

  const Json endless = simulate(timed_device({"buffer.mode=write_through"}), {{.requests = requests, .iodepth = 0}});
  EXPECT_EQ(endless["ftl"]["fdp"]["handles"][1]["reclaim_units"], 1);
  EXPECT_EQ(endless["ftl"]["fdp"]["event_log"]["host"].size(), 0U);
}

// With a single handle the drive needs no stream selection, but the time limit still holds.
TEST(TimeLimit, HoldsForADriveWithOneHandle) {
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 4; ++i)
    requests.push_back(
        {.offset = i * 4096, .length = 4096, .arrival_ps = i * 10 * kMillisecond, .kind = RequestKind::Write});
  const Json result = simulate(timed_device({"fdp.handles=1", "fdp.unit_time_limit=1 ms", "buffer.mode=write_through"}),
                               {{.requests = requests, .iodepth = 0}});
  EXPECT_EQ(result["ftl"]["fdp"]["events"]["reclaim_unit_time_limit_exceeded"], 3);
}

// Reclaim units end before the erases of their blocks are over; the drive must not erase these empty blocks twice at a
// time.
TEST(TimeLimit, ErasesABlockOnceAtATime) {
  for (const char* const more : {"nand.partial_erase_limit=0.5", "ftl.arbitration=fair"}) {
    const DeviceConfig config = timed_device({"fdp.unit_time_limit=10 us", "precondition.fill=0.9", more});
    MixOptions options = mix_for(config, 3, 3000);
    options.placements = placement_identifiers(config.ftl.fdp);
    const Json result = simulate(config, {{random_mix(options), 16, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0) << more;
    EXPECT_GT(result["ftl"]["fdp"]["events"]["reclaim_unit_time_limit_exceeded"], 100) << more;
  }
}

TEST(TimeLimit, LosesNothingInPowerCuts) {
  for (const char* const more : {"fdp.persistent=[]", "fdp.persistent=[0, 1]", "ftl.rain=1", "fdp.unit_superblocks=2",
                                 "nand.partial_erase_limit=0.5"}) {
    DeviceConfig config = timed_device({"fdp.unit_time_limit=2 ms", "precondition.fill=0.9", "power.off_time=1 ms",
                                        "ftl.over_provisioning=0.8", more});
    config.power.cuts = 5;
    MixOptions options = mix_for(config, 3, 3000);
    options.placements = placement_identifiers(config.ftl.fdp);
    const Json result = simulate(config, {{random_mix(options), 16, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0) << more;
    EXPECT_GT(result["ftl"]["fdp"]["events"]["reclaim_unit_time_limit_exceeded"], 0) << more;
  }
}

}  // namespace
}  // namespace flashloom::fdp_events_test
