#include "workloads/fio/fio_source.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "tests/workloads/input_files.hpp"
#include "workloads/fio/job_file.hpp"
#include "workloads/first_requests.hpp"

namespace flashloom::fio_source_test {
namespace {

std::vector<std::unique_ptr<FioSource>> sources_of(const std::string& text, std::uint64_t seed = 1,
                                                   std::uint64_t capacity = 1 << 20) {
  const InputFiles files;
  return open_fio_jobs(read_fio_jobs(files.write("j.fio", text)), {capacity, 512}, seed);
}

std::vector<Request> requests_of(const std::string& text, std::uint64_t seed = 1, std::uint64_t capacity = 1 << 20) {
  const auto sources = sources_of(text, seed, capacity);
  EXPECT_EQ(sources.size(), 1U);
  auto requests = all_requests(*sources[0]);
  const std::uint64_t expected = sources[0]->expected_requests();
  EXPECT_TRUE(expected == 0 || expected == requests.size()) << expected;
  return requests;
}

std::string shape(const std::vector<Request>& requests) {
  std::string text;
  for (const Request& r : requests) {
    text += "RWTF"[static_cast<int>(r.kind)];
    if (r.kind != RequestKind::Flush) text += std::to_string(r.offset / 1024);
    text += ' ';
  }
  return text;
}

TEST(FioSource, SequentialOnceOverTheRegion) {
  EXPECT_EQ(shape(requests_of("[j]\nrw=read\nsize=16k\n")), "R0 R4 R8 R12 ");
  EXPECT_EQ(shape(requests_of("[j]\nrw=write\nsize=16k\noffset=8k\nbs=8k\n")), "W8 W16 ");
  EXPECT_EQ(shape(requests_of("[j]\nrw=trim\nsize=8k\n")), "T0 T4 ");
}

// fio 3.33 with ioengine=null writes the same to its iolog for these jobs.
TEST(FioSource, SizesAsFioDoesThem) {
  EXPECT_EQ(shape(requests_of("[j]\nrw=read\nsize=64k\nio_size=6k\n")), "R0 R4 ");
  EXPECT_EQ(shape(requests_of("[j]\nrw=read\nsize=10k\n")), "R0 R4 ");
  EXPECT_EQ(shape(requests_of("[j]\nrw=read\nsize=10k\nio_size=20k\n")), "R0 R4 R0 R4 R0 ");
}

// fio: "lfsr guarantees that we never generate the same offset twice"; its t/jobs/t0021 has norandommap beside it.
TEST(FioSource, AFeedbackRegisterVisitsEachBlockOnce) {
  std::set<std::uint64_t> offsets;
  for (const Request& request : requests_of("[j]\nrw=randread\nbs=4k\nsize=1m\nrandom_generator=lfsr\nnorandommap=1\n"))
    offsets.insert(request.offset);
  EXPECT_EQ(offsets.size(), 256U);
}

// As fio's num_range: the blocks come in their usual order, several per request.
TEST(FioSource, TrimsOfSeveralRanges) {
  const auto ranges_of = [](const std::string& text) {
    const auto sources = sources_of(text);
    std::string shapes;
    Request request;
    while (sources[0]->next(request)) {
      EXPECT_EQ(request.kind, RequestKind::Trim);
      EXPECT_EQ(request.offset, request.ranges[0].offset);
      std::uint64_t length = 0;
      for (std::uint32_t i = 0; i < request.range_count; ++i) {
        shapes += std::to_string(request.ranges[i].offset / 1024) + (i + 1 == request.range_count ? " " : "+");
        length += request.ranges[i].length;
      }
      EXPECT_EQ(request.length, length);
    }
    return shapes;
  };
  EXPECT_EQ(ranges_of("[j]\nrw=trim\nsize=40k\nnum_range=4\n"), "0+4+8+12 16+20+24+28 32+36 ");
  EXPECT_EQ(ranges_of("[j]\nrw=trim\nsize=40k\nnum_range=4\nnumber_ios=2\n"), "0+4+8+12 16+20+24+28 ");
  EXPECT_EQ(ranges_of("[j]\nrw=trim\nsize=8k\nnum_range=256\n"), "0+4 ");
  // Random trims take the places of single trims, in the same order.
  const auto single = requests_of("[j]\nrw=randtrim\nsize=64k\n");
  std::string together;
  for (std::size_t i = 0; i < single.size(); ++i)
    together += std::to_string(single[i].offset / 1024) + (i % 8 == 7 ? " " : "+");
  EXPECT_EQ(ranges_of("[j]\nrw=randtrim\nsize=64k\nnum_range=8\n"), together);
}

TEST(FioSource, NamespacesByTheirDevices) {
  const InputFiles files;
  const DeviceSpace device{.capacity = 1 << 20, .sector_size = 512, .namespaces = {1 << 20, 2 << 20, 4 << 20}};
  const auto jobs = read_fio_jobs(
      files.write("j.fio",
                  "[a]\nrw=read\nfilename=/dev/nvme0n2\n[b]\nrw=read\nfilename=/dev/nvme0n3p1\nsize=50%\noffset=25%\n"
                  "[c]\nrw=read\nfilename=/dev/nvme0n1\n[d]\nrw=read\nfilename=f\nsize=8k\n"));
  const auto sources = open_fio_jobs(jobs, device, 1);
  const auto place = [&](std::size_t i) { return sources[i]->files()[0]; };
  EXPECT_EQ(place(0).begin, 1U << 20U);
  EXPECT_EQ(place(0).size, 2U << 20U);
  EXPECT_EQ(place(1).begin, 3U << 20U);
  EXPECT_EQ(place(1).offset, 1U << 20U);
  EXPECT_EQ(place(1).size, 2U << 20U);
  EXPECT_EQ(place(2).begin, 0U);
  EXPECT_EQ(place(2).size, 1U << 20U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(namespace_of(jobs[i], device), (std::array{2U, 3U, 1U, 1U}[i]));
  EXPECT_EQ(namespace_of(jobs[0], {.capacity = 1 << 20}), 0U);  // a device with one namespace
  EXPECT_EQ(requests_of("[a]\nrw=read\nfilename=/dev/nvme0n7\nsize=4k\n").size(), 1U);
  const auto refuse = [&](const std::string& name, const std::string& message) {
    try {
      open_fio_jobs(read_fio_jobs(files.write("k.fio", "[a]\nrw=read\nfilename=" + name + "\n")), device, 1);
      FAIL() << name;
    } catch (const WorkloadError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("k.fio:3"), std::string::npos) << error.what();
    }
  };
  refuse("/dev/nvme0n4", "there is no namespace 4");
  refuse("/dev/nvme0n0", "counted from 1");
  refuse("/dev/nvme0n1:/dev/nvme0n2", "of one namespace");
}

TEST(FioSource, DefaultRegionIsTheDeviceFromTheOffsetOn) {
  const auto sources = sources_of("[j]\nrw=read\n[k]\nrw=read\noffset=25%\n[l]\nrw=read\nsize=50%\noffset=10%\n");
  ASSERT_EQ(sources.size(), 3U);
  EXPECT_EQ(sources[0]->files()[0].size, 1U << 20U);
  EXPECT_EQ(sources[1]->files()[0].offset, 1U << 18U);
  EXPECT_EQ(sources[1]->files()[0].size, 3U << 18U);
  EXPECT_EQ(sources[2]->files()[0].offset, 106496U);  // 104857 rounded up to the next block
  EXPECT_EQ(sources[2]->files()[0].size, 1U << 19U);
}

TEST(FioSource, MixedSequentialKeepsACursorADirection) {
  const auto requests = requests_of("[j]\nrw=rw\nsize=256k\nio_size=2m\nrwmixread=70\n");
  ASSERT_EQ(requests.size(), 512U);
  std::uint64_t cursor[2] = {0, 0};
  std::size_t reads = 0;
  for (const Request& request : requests) {
    const bool read = request.kind == RequestKind::Read;
    std::uint64_t& next = cursor[read ? 0 : 1];
    if (next == 256 * 1024) cursor[0] = cursor[1] = 0;  // as fio: when one direction is through, both begin anew
    ASSERT_EQ(request.offset, next);
    next += 4096;
    if (read) ++reads;
  }
  EXPECT_NEAR(static_cast<double>(reads), 358.4, 52);  // five standard deviations
}

TEST(FioSource, MixOfAllOrNothing) {
  for (const Request& r : requests_of("[j]\nrw=randrw\nrwmixread=100\n")) ASSERT_EQ(r.kind, RequestKind::Read);
  for (const Request& r : requests_of("[j]\nrw=randrw\nrwmixread=0\n")) ASSERT_EQ(r.kind, RequestKind::Write);
}

TEST(FioSource, BlockSizesByDirection) {
  for (const Request& r : requests_of("[j]\nrw=randrw\nbs=4k,16k\n")) {
    const std::uint64_t bs = r.kind == RequestKind::Read ? 4096 : 16384;
    ASSERT_EQ(r.length, bs);
    ASSERT_EQ(r.offset % bs, 0U);
    ASSERT_LE(r.offset + r.length, 1U << 20U);
  }
}

TEST(FioSource, FlushAfterSoManyWrites) {
  EXPECT_EQ(shape(requests_of("[j]\nrw=write\nsize=20k\nfsync=2\n")), "W0 W4 F W8 W12 F W16 ");
  EXPECT_EQ(shape(requests_of("[j]\nrw=write\nsize=8k\nfsync=2\n")), "W0 W4 ");  // none at the end, as fio
  EXPECT_EQ(shape(requests_of("[j]\nrw=read\nsize=8k\nfsync=1\n")), "R0 R4 ");
}

TEST(FioSource, TimeBasedDoesNotEndByItself) {
  const auto sources = sources_of("[j]\nrw=randread\nsize=8k\ntime_based\nruntime=3\n");
  Request request;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(sources[0]->next(request));
  EXPECT_EQ(sources[0]->job().runtime_ps, 3'000'000'000'000U);
  EXPECT_EQ(sources[0]->expected_requests(), 0U);
}

TEST(FioSource, CopiesDifferAndRepeatWithTheSeed) {
  const std::string text = "[j]\nrw=randwrite\nnumjobs=2\n[k]\nrw=randread\nrandseed=5\n";
  const auto first = sources_of(text);
  const auto again = sources_of(text);
  const auto other = sources_of(text, 2);
  ASSERT_EQ(first.size(), 3U);
  std::vector<std::string> shapes;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto requests = all_requests(*first[i]);
    for (const Request& request : requests) ASSERT_EQ(request.stream, i);
    shapes.push_back(shape(requests));
    EXPECT_EQ(shapes[i], shape(all_requests(*again[i])));
    EXPECT_EQ(shapes[i] == shape(all_requests(*other[i])), i == 2);  // randseed overrides the run's seed
  }
  EXPECT_NE(shapes[0], shapes[1]);
}

TEST(FioSource, WithoutARandomMapBlocksRepeat) {
  const auto requests = requests_of("[j]\nrw=randwrite\nnorandommap\n");
  ASSERT_EQ(requests.size(), 256U);
  std::vector<int> visits(256);
  for (const Request& request : requests) ++visits.at(request.offset / 4096);
  // Expected share of blocks not visited: (1 - 1/256)^256 = 0.367, about 94 of 256.
  EXPECT_NEAR(static_cast<double>(std::count(visits.begin(), visits.end(), 0)), 94.0, 40.0);
}

TEST(FioSource, RandomMapVisitsEachBlockOnceAPass) {
  EXPECT_TRUE(rc::check([] {
    const auto blocks = *rc::gen::inRange<std::uint64_t>(1, 700);
    const auto passes = *rc::gen::inRange<std::uint64_t>(1, 4);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto kind = *rc::gen::element<std::string>("randread", "randwrite", "randtrim", "randrw");
    FioJob job;
    job.rw = {kind == "randread" || kind == "randrw", kind == "randwrite" || kind == "randrw", kind == "randtrim",
              true};
    job.size = FioSize{blocks * 4096, false};
    job.io_size = FioSize{blocks * 4096 * passes, false};
    const auto sources = open_fio_jobs({job}, {std::uint64_t{1} << 30, 512}, seed);
    const auto requests = all_requests(*sources[0]);
    RC_ASSERT(requests.size() == blocks * passes);
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      std::vector<bool> visited(blocks);
      for (std::uint64_t i = 0; i < blocks; ++i) {
        const std::uint64_t block = requests[pass * blocks + i].offset / 4096;
        RC_ASSERT(block < blocks);
        RC_ASSERT(!visited[block]);
        visited[block] = true;
      }
    }
  }));
}

TEST(RandomPermutation, IsABijectionOfLargeAndOddRanges) {
  for (const std::uint64_t size : {1ULL, 2ULL, 3ULL, 4ULL, 5ULL, 1023ULL, 1024ULL, 1025ULL, 262144ULL, 1000003ULL}) {
    const RandomPermutation order(size, 99);
    std::vector<bool> seen(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::uint64_t to = order(i);
      ASSERT_LT(to, size);
      ASSERT_FALSE(seen[to]);
      seen[to] = true;
    }
  }
  const RandomPermutation huge(std::uint64_t{1} << 40U, 1);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_LT(huge(i), std::uint64_t{1} << 40U);
}

// Digests of the places when every round was worked out (commit 068ef004): tables change no place.
TEST(RandomPermutation, IsTheSameByTables) {
  struct Order {
    std::uint64_t size;
    std::uint64_t digest;  // of 100,000 places
  };
  constexpr Order kOrders[] = {{2, 0x15d02694354c209},
                               {1000, 0x24e58ead090e8a3a},
                               {400'000, 0xb88d728094d9d4ae},
                               {std::uint64_t{1} << 24U, 0x5396fd051a0bd6fd},        // the largest with tables
                               {(std::uint64_t{1} << 24U) + 1, 0x83f2957481ba2b61},  // the smallest without
                               {std::uint64_t{1} << 40U, 0x30feed084c725e7b}};
  for (const Order& known : kOrders) {
    const RandomPermutation order(known.size, 5);
    std::uint64_t digest = 0;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      std::uint64_t state = i;
      digest ^= order(splitmix64(state) % known.size);
      digest = splitmix64(digest);
    }
    EXPECT_EQ(digest, known.digest) << known.size;
  }
}

TEST(RandomPermutation, LooksRandomAndChangesWithTheKey) {
  constexpr std::uint64_t kSize = 100'000;
  const RandomPermutation order(kSize, 1);
  const RandomPermutation other(kSize, 2);
  std::uint64_t ascending = 0;
  std::uint64_t near = 0;
  std::uint64_t same = 0;
  for (std::uint64_t i = 1; i < kSize; ++i) {
    if (order(i) > order(i - 1)) ++ascending;
    if (order(i) + 100 > order(i - 1) && order(i - 1) + 100 > order(i)) ++near;
    if (order(i) == other(i)) ++same;
  }
  EXPECT_NEAR(static_cast<double>(ascending), kSize / 2.0, 1000);
  EXPECT_NEAR(static_cast<double>(near), 198, 80);  // |difference| < 100: 199 of 100,000 chances each
  EXPECT_LT(same, 12U);                             // one expected
}

// Requests behind reads that were passed over are the same as behind reads that were given out, and so is the end.
TEST(FioSource, WhatComesBehindReadsThatWerePassedOverIsTheSame) {
  const std::string common = "[j]\nsize=200k\nio_size=3m\n";
  for (const std::string more :
       {"rw=read\n", "rw=read\nloops=3\n", "rw=read\nbs=12k\nnumber_ios=77\n", "rw=randread\n",
        "rw=randread\nbs=12k\nloops=4\n", "rw=randread\nnorandommap\n",
        "rw=randread\nnorandommap\nbs=12k\nblockalign=4k\n", "rw=randread\nrandom_distribution=zipf:1.1\n",
        "rw=randread\nrandom_distribution=pareto:0.3\nrandrepeat=0\nloops=30\n", "rw=read\ntime_based\nruntime=5\n",
        "rw=read\nbs=12k\ntime_based\nruntime=5\n", "rw=randread\ntime_based\nruntime=5\n"}) {
    constexpr std::uint64_t kMost = 5000;
    const std::vector<Request> all = all_requests(*first_requests(std::move(sources_of(common + more)[0]), kMost));
    const auto passed = sources_of(common + more);
    std::uint64_t at = 0, bytes = 0, expected = 0, most_passed = 0;
    Request request;
    for (std::uint64_t most = 1;; most = most * 3 % 101) {
      const std::uint64_t reads = passed[0]->pass_reads(most, bytes);
      ASSERT_LE(reads, most);
      most_passed = std::max(most_passed, reads);
      if (at + reads >= kMost) break;
      for (const std::uint64_t end = at + reads; at < end; ++at) expected += all.at(at).length;
      ASSERT_EQ(bytes, expected);
      if (!passed[0]->next(request)) {
        EXPECT_EQ(at, all.size()) << more;
        break;
      }
      ASSERT_LT(at, all.size()) << more;
      ASSERT_EQ(request.offset, all[at].offset) << more << at;
      ASSERT_EQ(request.length, all[at].length) << more << at;
      expected += request.length;
      bytes += request.length;
      ++at;
    }
    EXPECT_GT(at, 20) << more;
    EXPECT_GT(most_passed, 9) << more;
  }
}

// Sources of all other jobs pass over no reads.
TEST(FioSource, ReadsOfJobsThatDoMoreArePassedOverByNobody) {
  for (const std::string more : {"rw=write\n", "rw=rw\n", "rw=randrw\n", "rw=trim\n", "rw=read:8k\n", "rw=randread:8\n",
                                 "rw=randread\npercentage_random=50\n", "rw=randread\nbsrange=4k-8k\n",
                                 "rw=randread\nblockalign=8k\n", "rw=read\nnrfiles=2\n", "rw=read\nrate_iops=100\n",
                                 "rw=read\nthinktime=5\n", "rw=randread\nrandom_distribution=zoned:60/10:40/90\n",
                                 "rw=read\nzonemode=strided\nzonesize=16k\nzoneskip=16k\n"}) {
    std::uint64_t bytes = 0;
    EXPECT_EQ(sources_of("[j]\nsize=200k\n" + more)[0]->pass_reads(10, bytes), 0) << more;
  }
}

}  // namespace
}  // namespace flashloom::fio_source_test
