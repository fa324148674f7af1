// The requests that a job file means. Where a test says so, fio 3.33 sends the same ones (ioengine=null, write_iolog);
// random places differ, as the generators do.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "tests/workloads/input_files.hpp"
#include "workloads/fio/block_map.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/fio/job_file.hpp"

namespace flashloom::fio_semantics_test {
namespace {

constexpr std::uint64_t kDevice = std::uint64_t{1} << 20;

std::vector<std::unique_ptr<FioSource>> sources_of(const std::string& text, std::uint64_t capacity = kDevice) {
  const InputFiles files;
  return open_fio_jobs(read_fio_jobs(files.write("j.fio", text)), {capacity, 512}, 1);
}

std::vector<Request> requests_of(const std::string& text) { return all_requests(*sources_of("[j]\n" + text).at(0)); }

/// Direction and begin in KiB of each request.
std::string shape(const std::string& text) {
  std::string shape;
  for (const Request& r : requests_of(text))
    shape +=
        "RWTF"[static_cast<int>(r.kind)] + (r.kind == RequestKind::Flush ? "" : std::to_string(r.offset / 1024)) + " ";
  return shape;
}

TEST(FioSemantics, SequentialAsFio) {
  EXPECT_EQ(shape("rw=read\nsize=16k\nloops=2\n"), "R0 R4 R8 R12 R0 R4 R8 R12 ");
  EXPECT_EQ(shape("rw=read\nsize=16k\nio_size=8k\nloops=3\n"), "R0 R4 R8 R12 R0 R4 ");
  EXPECT_EQ(shape("rw=read\nsize=16k\nio_size=24k\nloops=2\n"), "R0 R4 R8 R12 R0 R4 R8 R12 ");
  EXPECT_EQ(shape("rw=read:4k\nsize=32k\n"), "R0 R8 R16 R24 R0 R8 R16 R24 ");
  EXPECT_EQ(shape("rw=read:8k\nsize=32k\n"), "R0 R12 R24 R0 R12 R24 R0 R12 ");
  EXPECT_EQ(shape("rw=read:-8k\nsize=32k\n"), "R0 R24 R20 R16 R12 R8 R4 R0 ");
  EXPECT_EQ(shape("rw=read:-8k\nsize=32k\noffset=32k\n"), "R32 R56 R52 R48 R44 R40 R36 R32 ");
  EXPECT_EQ(shape("rw=read\nsize=32k\nnumber_ios=3\nloops=2\n"), "R0 R4 R8 R12 R16 R20 ");
  EXPECT_EQ(shape("rw=trimwrite\nsize=12k\n"), "T0 W0 T4 W4 T8 W8 ");
  EXPECT_EQ(shape("rw=read\nsize=32k\nbs=12k\n"), "R0 R12 ");
  EXPECT_EQ(shape("rw=read\nsize=64k\nzonemode=strided\nzonesize=8k\nzoneskip=8k\n"),
            "R0 R4 R16 R20 R32 R36 R48 R52 R0 R4 R16 R20 R32 R36 R48 R52 ");
  EXPECT_EQ(shape("rw=write\nsize=32k\nfdatasync=3\nfsync=2\nend_fsync=1\n"),
            "W0 W4 F W8 F W12 F W16 W20 F W24 W28 F ");
  EXPECT_EQ(shape("rw=write\nsize=16k\nfsync=3\nloops=2\n"), "W0 W4 W8 F W12 W0 W4 F W8 W12 ");  // counted over loops
}

TEST(FioSemantics, RunsOfARandomJob) {
  const auto runs = requests_of("rw=randread:4\nsize=512k\nnorandommap\n");
  ASSERT_EQ(runs.size(), 128U);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (i % 4 != 0 && runs[i - 1].offset + 4096 < 512 * 1024) {
      ASSERT_EQ(runs[i].offset, runs[i - 1].offset + 4096);
    }
  const auto same = requests_of("rw=randread:3\nrw_sequencer=identical\nsize=512k\n");
  for (std::size_t i = 0; i < same.size(); ++i)
    if (i % 3 != 0) {
      ASSERT_EQ(same[i].offset, same[i - 1].offset);
    }
}

TEST(FioSemantics, LoopsRepeatTheChoicesUnlessToldNot) {
  const auto again = requests_of("rw=randread\nsize=64k\nloops=2\n");
  const auto anew = requests_of("rw=randread\nsize=64k\nloops=2\nrandrepeat=0\n");
  ASSERT_EQ(again.size(), 32U);
  ASSERT_EQ(anew.size(), 32U);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(again[i].offset, again[i + 16].offset);
    if (anew[i].offset == anew[i + 16].offset) ++equal;
  }
  EXPECT_LT(equal, 8U);
}

TEST(FioSemantics, RandomTrimsAreWrittenAfterwards) {
  const auto requests = requests_of("rw=randtrimwrite\nsize=256k\nbsrange=4k-16k\n");
  std::uint64_t bytes = 0;
  ASSERT_EQ(requests.size() % 2, 0U);
  for (std::size_t i = 0; i < requests.size(); i += 2) {
    ASSERT_EQ(requests[i].kind, RequestKind::Trim);
    ASSERT_EQ(requests[i + 1].kind, RequestKind::Write);
    ASSERT_EQ(requests[i].offset, requests[i + 1].offset);
    ASSERT_EQ(requests[i].length, requests[i + 1].length);
    bytes += requests[i].length;
  }
  EXPECT_EQ(bytes, 256U * 1024);
}

TEST(FioSemantics, BlockSizesByShareAndDirection) {
  std::map<std::uint64_t, int> reads;
  std::map<std::uint64_t, int> writes;
  const auto requests =
      requests_of("rw=randrw\nnorandommap\nio_size=64m\nbssplit=4k/75:8k/25,512/50:16k/\nblockalign=4k\n");
  for (const Request& r : requests) {
    ++(r.kind == RequestKind::Read ? reads : writes)[r.length];
    ASSERT_EQ(r.offset % 4096, 0U);
    ASSERT_LE(r.offset + r.length, kDevice);
  }
  ASSERT_EQ(reads.size(), 2U);
  ASSERT_EQ(writes.size(), 2U);
  const auto share = [](const std::map<std::uint64_t, int>& sizes, std::uint64_t size) {
    int sum = 0;
    for (const auto& [bytes, count] : sizes) sum += count;
    return sizes.at(size) / static_cast<double>(sum);
  };
  EXPECT_NEAR(share(reads, 4096), 0.75, 0.03);  // about 4,500 requests a direction: over four deviations
  EXPECT_NEAR(share(writes, 512), 0.5, 0.04);
}

TEST(FioSemantics, FilesAreRegions) {
  const auto regions = [](const std::string& text) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> result;  // KiB
    for (const auto& source : sources_of(text))
      for (const FioFile& file : source->files())
        result.emplace_back((file.begin + file.offset) / 1024, file.size / 1024);
    return result;
  };
  using R = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(regions("[a]\nsize=8k\n[b]\nsize=8k\n"), (R{{0, 8}, {8, 8}}));
  EXPECT_EQ(regions("[a]\nsize=8k\nnumjobs=2\n"), (R{{0, 8}, {8, 8}}));
  EXPECT_EQ(regions("[a]\nsize=8k\nnumjobs=2\nfilename=x\n"), (R{{0, 8}, {0, 8}}));
  EXPECT_EQ(regions("[a]\nsize=8k\nfilename=x\n[b]\nsize=8k\n[c]\nsize=16k\nfilename=x\n"),
            (R{{0, 8}, {16, 8}, {0, 16}}));
  EXPECT_EQ(regions("[a]\nsize=8k\nfilename=x\n[b]\nfilename=x\n"), (R{{0, 8}, {0, 8}}));
  EXPECT_EQ(regions("[a]\nsize=8k\nfilename=/dev/nvme0n1p1\n[b]\nfilename=/dev/nvme0n1\noffset=64k\n"),
            (R{{0, 8}, {64, 960}}));
  EXPECT_EQ(regions("[a]\nsize=16k\noffset=8k\n"), (R{{8, 16}}));
  EXPECT_EQ(regions("[a]\nsize=25%\noffset=50%\n"), (R{{512, 256}}));
  EXPECT_EQ(regions("[a]\nsize=16k\nnrfiles=2\n"), (R{{0, 8}, {8, 8}}));
  EXPECT_EQ(regions("[a]\nfilename=x:y\\:z\nfilesize=8k\n"), (R{{0, 8}, {8, 8}}));
  EXPECT_EQ(regions("[a]\nfilename=x\ndirectory=/one\nsize=8k\n[b]\nfilename=x\ndirectory=/two\nsize=8k\n"),
            (R{{0, 8}, {8, 8}}));
  EXPECT_EQ(regions("[a]\nfilename=/dev/sda\nsize=8k\nnumjobs=3\noffset=4k\noffset_increment=16k\n"),
            (R{{4, 8}, {20, 8}, {36, 8}}));
  EXPECT_EQ(regions("[a]\nfilename=x\nfilesize=32k\nsize=8k\n"), (R{{0, 32}}));
  // the second file begins at a multiple of 4 KiB
  EXPECT_EQ(regions("[a]\nsize=10k\n[b]\nsize=8k\n"), (R{{0, 10}, {12, 8}}));
}

TEST(FioSemantics, SeveralFilesInTurn) {
  EXPECT_EQ(shape("rw=read\nsize=24k\nnrfiles=3\n"), "R0 R8 R16 R4 R12 R20 ");
  EXPECT_EQ(shape("rw=read\nsize=24k\nnrfiles=3\nfile_service_type=sequential\n"), "R0 R4 R8 R12 R16 R20 ");
  EXPECT_EQ(shape("rw=read\nsize=32k\nnrfiles=2\nfile_service_type=roundrobin:2\n"), "R0 R4 R16 R20 R8 R12 R24 R28 ");
}

TEST(FioSemantics, ZonesTakeTheirShares) {
  std::array<int, 3> hits{};
  const auto requests = requests_of(
      "rw=randread\nnorandommap\nio_size=16m\nsize=1m\nrandom_distribution=zoned:60/10:30/20:10/\nloops=16\n");
  for (const Request& r : requests) ++hits.at(r.offset < kDevice / 10 ? 0 : r.offset < kDevice * 3 / 10 ? 1 : 2);
  const auto n = static_cast<double>(requests.size());
  EXPECT_GT(n, 200);
  EXPECT_NEAR(hits[0] / n, 0.6, 0.15);
  EXPECT_NEAR(hits[2] / n, 0.1, 0.1);
  for (const Request& r : requests_of("rw=randread\nnorandommap\nsize=1m\nrandom_distribution=zoned_abs:100/64k\n"))
    ASSERT_LT(r.offset, 65536U);
}

TEST(FioSemantics, ACenterIsThePopularPlace) {
  for (const char* const distribution : {"zipf:1.5:0.5", "pareto:0.1:0.5"}) {
    std::map<std::uint64_t, int> hits;
    for (const Request& r : requests_of(std::string("rw=randread\nrandom_distribution=") + distribution + "\n"))
      ++hits[r.offset];
    const auto popular =
        std::max_element(hits.begin(), hits.end(), [](auto& a, auto& b) { return a.second < b.second; });
    EXPECT_EQ(popular->first, kDevice / 2) << distribution;
  }
}

TEST(FioSemantics, DurableWritesAndPace) {
  for (const Request& r : requests_of("rw=rw\nsync=dsync\nsize=64k\n")) ASSERT_EQ(r.fua, r.kind == RequestKind::Write);
  const auto trims = sources_of("[j]\nrw=trim\nsize=8k\nioengine=libaio\niodepth=4\n");
  Request request;
  ASSERT_TRUE(trims[0]->next(request));
  EXPECT_TRUE(trims[0]->pace().alone);  // libaio trims by a blocking call
  for (const Request& r : requests_of("rw=write\nwrite_mode=zeroes\nsize=64k\n"))
    ASSERT_EQ(r.kind, RequestKind::WriteZeroes);
  const auto uring = sources_of("[j]\nrw=trim\nsize=8k\nioengine=io_uring\niodepth=4\n");
  EXPECT_FALSE(uring[0]->paced());
}

TEST(FioJobFile, IncludesVariablesKeywordsAndComments) {
  const InputFiles files;
  files.write("part.inc", "rw=randwrite\nbs=$pagesize\n");
  ::setenv("FLASHLOOM_TEST_SIZE", "64k", 1);
  const auto jobs =
      read_fio_jobs(files.write("j.fio",
                                "[global]\nsize=${FLASHLOOM_TEST_SIZE} ; inline\n[a] # job\ninclude part.inc\n"
                                "iodepth=$ncpus\nioengine=libaio\ndirect=1\ndirect=0\n"));
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].size->value, 65536U);
  EXPECT_EQ(jobs[0].bs[1].least, 4096U);
  EXPECT_TRUE(jobs[0].rw.writes && jobs[0].rw.random);
  EXPECT_EQ(jobs[0].depth(), 8U);
  ASSERT_EQ(jobs[0].inert.size(), 1U);  // the last value counts
  EXPECT_EQ(jobs[0].inert[0], (std::pair<std::string, std::string>("direct", "0")));
}

TEST(FioJobFile, GroupsBeginAtStonewallsAndNewGroups) {
  const auto sources = sources_of(
      "[a]\nsize=4k\nnumjobs=2\nstonewall\n[b]\nsize=4k\n[c]\nsize=4k\nnew_group\n[d]\nsize=4k\nstonewall\n");
  std::vector<std::uint32_t> groups;
  for (const auto& source : sources) groups.push_back(source->instance().group);
  EXPECT_EQ(groups, (std::vector<std::uint32_t>{0, 0, 0, 1, 2}));
}

TEST(BlockMap, AgreesWithAPlainOne) {
  EXPECT_TRUE(rc::check([] {
    const auto blocks = *rc::gen::inRange<std::uint64_t>(1, 10'000);
    BlockMap map(blocks);
    std::vector<bool> plain(blocks);
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    for (int step = 0; step < 300; ++step) {
      const std::uint64_t from = random.below(blocks);
      std::optional<std::uint64_t> expected;
      for (std::uint64_t i = 0; i < blocks && !expected; ++i)
        if (!plain[(from + i) % blocks]) expected = (from + i) % blocks;
      const auto free = map.next_free(from);
      RC_ASSERT(free == expected);
      if (!free) {
        map.reset();
        plain.assign(blocks, false);
        continue;
      }
      const std::uint64_t count = 1 + random.below(blocks / 4 + 1);
      std::uint64_t run = 0;
      while (run < count && *free + run < blocks && !plain[*free + run]) plain[*free + run++] = true;
      RC_ASSERT(map.visit_run(*free, count) == run);
    }
  }));
}

}  // namespace
}  // namespace flashloom::fio_semantics_test
