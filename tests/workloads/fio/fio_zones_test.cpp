// zonemode=zbd: requests worked by hand by the rules of fio 3.33's zbd.c. tests/program/test_fio.py compares those for
// emulated zones with a real fio.
#include <gtest/gtest.h>

#include <map>

#include "tests/workloads/input_files.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/fio/job_file.hpp"

namespace flashloom::fio_zones_test {
namespace {

constexpr std::uint64_t kKiB = 1024;

/// Four zones of 16 KiB.
DeviceSpace zoned(std::uint32_t max_open = 0) {
  DeviceSpace space{.capacity = 64 * kKiB, .sector_size = 512};
  space.zones = {.bytes = 16 * kKiB, .capacity = 16 * kKiB, .max_open = max_open};
  return space;
}

const DeviceSpace kPlain{.capacity = 64 * kKiB, .sector_size = 512};

std::vector<std::unique_ptr<FioSource>> sources_of(const std::string& text, const DeviceSpace& space) {
  const InputFiles files;
  return open_fio_jobs(read_fio_jobs(files.write("j.fio", text)), space, 1);
}

/// Kind and begin in KiB, and the length if it is not 4 KiB: R read, W write, Z reset; + after a drain, > after the writes of a filled zone, ! alone.
std::string shape_of(FioSource& source) {
  std::string shape;
  Request r;
  for (int i = 0; i < 1000 && source.next(r); ++i) {
    shape += r.kind == RequestKind::ZoneReset ? 'Z' : "RWTF0A"[static_cast<int>(r.kind)];
    shape += std::to_string(r.offset / kKiB);
    if (r.kind != RequestKind::ZoneReset && r.length != 4 * kKiB) shape += ":" + std::to_string(r.length / kKiB);
    if (source.pace().drain) shape += '+';
    if (source.pace().after) shape += '>';
    if (source.pace().alone) shape += '!';
    shape += ' ';
  }
  return shape;
}

/// The shapes of all jobs, one after the other.
std::string shape(const std::string& text, const DeviceSpace& space) {
  std::string all;
  for (const auto& source : sources_of(text, space)) all += shape_of(*source);
  return all;
}

TEST(FioZones, AFullZoneIsResetWhenAWriteComesToIt) {
  const std::string job = "[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\nsize=32k\nloops=2\n";
  EXPECT_EQ(shape(job, zoned()), "W0 W4 W8 W12 W16 W20 W24 W28 Z0+! W0 W4 W8 W12 Z16+! W16 W20 W24 W28 ");
  // For zones that fio makes up a reset is no command: the write waits for the requests in flight.
  EXPECT_EQ(shape(job + "zonesize=16k\n", kPlain), "W0 W4 W8 W12 W16 W20 W24 W28 W0+ W4 W8 W12 W16+ W20 W24 W28 ");
}

TEST(FioZones, WritesGoOnAtTheWritePointerOfTheDevice) {
  DeviceSpace space = zoned();
  space.zones.written = {8 * kKiB, 16 * kKiB, 0, 0};
  EXPECT_EQ(shape("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\n", space),
            "W8 W12 Z16+! W16 W20 W24 W28 W32 W36 W40 W44 W48 W52 W56 W60 ");
  EXPECT_EQ(shape("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=read\n", space), "R0 R4 R16 R20 R24 R28 ");
  EXPECT_EQ(shape("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=read\nbs=8k\nread_beyond_wp=1\n", space),
            "R0:8 R8:8 R16:8 R24:8 R32:8 R40:8 R48:8 R56:8 ");
}

TEST(FioZones, AnAppendNamesTheZoneAndNotThePlace) {
  const std::string job = "[j]\nfilename=/dev/ng0n1\nzonemode=zbd\nrw=write\nsize=32k\nwrite_mode=zone_append\n";
  EXPECT_EQ(shape(job + "bs=8k\nloops=2\n", zoned()), "A0:8 A0:8 A16:8 A16:8 Z0+! A0:8 A0:8 Z16+! A16:8 A16:8 ");
  EXPECT_THROW(shape(job + "zonesize=16k\n", kPlain), WorkloadError);
  EXPECT_THROW(shape("[j]\nfilename=/dev/ng0n1\nrw=write\nwrite_mode=zone_append\n", zoned()), WorkloadError);
}

// Two may be open. The write after the one that fills a zone waits for it; the zone counts until then.
TEST(FioZones, AFilledZoneIsOpenUntilItsWritesAreDone) {
  const auto sources = sources_of(
      "[global]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\nbs=8k\n[a]\nsize=32k\n"
      "[b]\noffset=32k\nsize=32k\n",
      zoned(2));
  std::string order;
  const auto next = [&](std::size_t job) {
    Request r;
    ASSERT_TRUE(sources[job]->next(r));
    order += "ab"[job] + std::to_string(r.offset / kKiB) + (sources[job]->pace().after ? "> " : " ");
  };
  for (const std::size_t job : {0, 1, 0, 1, 0, 1}) next(job);
  EXPECT_EQ(order, "a0 b32 a8 b40 a16> b48> ");
}

TEST(FioZones, ATrimIsAResetOfAZoneThatHasData) {
  DeviceSpace space = zoned();
  space.zones.written = {8 * kKiB, 0, 4 * kKiB, 0};
  EXPECT_EQ(shape("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=trim\nbs=16k\n", space), "Z0+! Z32+! ");
  EXPECT_EQ(shape("[j]\nfilename=/dev/a\nzonemode=zbd\nzonesize=16k\nrw=trim\nbs=16k\ntime_based\nruntime=1\n", kPlain),
            "");  // no zone has data: the job sends nothing, although it is time_based
}

TEST(FioZones, TheCapacityEndsAZoneAndCutsARequest) {
  DeviceSpace space = zoned();
  space.zones.capacity = 10 * kKiB;
  // 10 KiB hold two blocks of 4 KiB; the rest of a zone is skipped. Blocks of 2 to 8 KiB are cut to what is left.
  EXPECT_EQ(shape("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\nnumber_ios=5\n", space),
            "W0 W4 Z0+! W0 W4 Z0+! W0 ");
  space.zones.capacity = 8 * kKiB;
  EXPECT_EQ(shape("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\nnumber_ios=5\n", space), "W0 W4 W16 W20 W32 ");
  const std::string cut =
      shape("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\nbsrange=4k-8k\nnumber_ios=40\n", space);
  EXPECT_EQ(cut.find("W4:8"), std::string::npos) << cut;
}

TEST(FioZones, TheDevicesLimitHoldsUnlessItIsIgnored) {
  const std::string job = "[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=randwrite\nnorandommap\nio_size=4m\n";
  for (const auto& [options, most] : std::map<std::string, std::size_t>{
           {"", 2}, {"max_open_zones=1\n", 1}, {"ignore_zone_limits=1\n", 4}, {"job_max_open_zones=1\n", 1}}) {
    auto sources = sources_of(job + options, zoned(2));
    std::map<std::uint64_t, std::uint64_t> pointers;
    std::size_t open = 0;
    std::uint64_t resets = 0;
    Request r;
    while (sources[0]->next(r)) {
      const std::uint64_t zone = r.offset / (16 * kKiB);
      if (r.kind == RequestKind::ZoneReset) {
        ASSERT_EQ(pointers[zone], 16 * kKiB);
        ASSERT_TRUE(sources[0]->pace().alone);
        pointers[zone] = 0;
        ++resets;
        continue;
      }
      ASSERT_EQ(r.offset % (16 * kKiB), pointers[zone]) << options;  // each write is at the write pointer
      pointers[zone] += r.length;
      std::size_t now = 0;
      for (const auto& [number, pointer] : pointers) now += pointer % (16 * kKiB) != 0 ? 1 : 0;
      open = std::max(open, now);
    }
    EXPECT_EQ(open, most) << options;
    EXPECT_GE(resets, 4 * 1024 / 16 - 4 - most) << options;
  }
}

// A second job's zone can open only after the first one's has closed: with one zone at most, its writes go to the open
// one.
TEST(FioZones, JobsShareTheZonesOfAFile) {
  auto sources = sources_of(
      "[global]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\nmax_open_zones=1\nsize=32k\n[a]\n[b]\noffset=16k\n",
      zoned());
  Request r;
  const auto next = [&](std::size_t job) { return sources[job]->next(r) ? r.offset / kKiB : 1000; };
  EXPECT_EQ(next(0), 0U);
  EXPECT_EQ(next(1), 1000U);  // zone 1 cannot be opened, and zone 0 is not the job's: the file has ended, as in fio
  auto both = sources_of("[global]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\nsize=32k\n[a]\n[b]\n", zoned());
  std::string order;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(both[static_cast<std::size_t>(i % 2)]->next(r));
    order += (r.kind == RequestKind::ZoneReset ? "Z" : "W") + std::to_string(r.offset / kKiB) + " ";
  }
  EXPECT_EQ(order, "W0 W4 W8 W12 Z0 W16 ");  // a was at 12, in a full zone; b is at its end
}

void expect_error(const std::string& options, const DeviceSpace& space, const std::string& message) {
  try {
    sources_of("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=write\n" + options, space);
    FAIL() << "no error: " << message;
  } catch (const WorkloadError& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(FioZones, WhatDoesNotFitIsNamed) {
  expect_error("", kPlain, "zonemode: zbd needs a zonesize: the device has no zones");
  expect_error("zonesize=256\nbs=512\n", kPlain, "zonesize");
  expect_error("zonesize=128k\n", kPlain, "zonesize: the file, 64 KiB, is smaller than a zone");
  expect_error("zonesize=16k\nzonecapacity=32k\n", kPlain, "zonecapacity: is larger than the zone size");
  expect_error("zonesize=8k\n", zoned(), "j.fio:5: zonesize: 8 KiB are not the device's zone size, 16 KiB");
  expect_error("zoneskip=4k\n", zoned(), "zoneskip: is no multiple of the zone size");
  expect_error("max_open_zones=3\n", zoned(2), "max_open_zones: 3 exceed the device's limit, 2");
  expect_error("job_max_open_zones=1\n", zoned(), "job_max_open_zones: needs max_open_zones");
  expect_error("offset=4k\nsize=16k\n", zoned(), "size: the job's part of the file has no whole zone");
  expect_error("size=2z\n[k]\nfilename=/dev/nvme0n1\nzonemode=zbd\nrw=trim\nbs=4k\n", zoned(),
               "bs: a trim is of a whole zone, 16 KiB");
  try {
    sources_of("[j]\nrw=write\nsize=4z\n", kPlain);
    FAIL();
  } catch (const WorkloadError& error) {
    EXPECT_NE(std::string(error.what()).find("size: counts zones, and there is no zonesize"), std::string::npos);
  }
}

}  // namespace
}  // namespace flashloom::fio_zones_test
