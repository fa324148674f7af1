#include "workloads/fio/fio_sprandom.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/workloads/input_files.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/fio/job_file.hpp"

namespace flashloom::fio_sprandom_test {
namespace {

constexpr std::uint64_t kBlock = 4096;
constexpr std::uint64_t kBlocks = 20'000;

std::vector<Request> requests_of(const std::string& text) {
  const InputFiles files;
  const auto jobs = read_fio_jobs(files.write("j.fio", "[j]\nfilename=/dev/nvme0n1\nrw=randwrite\n" + text));
  return all_requests(*open_fio_jobs(jobs, {kBlocks * kBlock, 512}, 1).at(0));
}

// 0.15: WAF 0.5 / 0.15 + 0.7 = 4.0333, and 1 - 1 / 4.0333 = 0.7521 of the block collected next is valid.
TEST(FioSprandom, TheOldestRegionIsTheOneCollectedNext) {
  const std::vector<double> shares = FioSprandom::invalid_shares(0.15, 100);
  ASSERT_EQ(shares.size(), 100U);
  EXPECT_DOUBLE_EQ(shares.front(), 0.2479);
  EXPECT_DOUBLE_EQ(shares.back(), 0.0);
  EXPECT_TRUE(std::is_sorted(shares.rbegin(), shares.rend()));
  EXPECT_EQ(FioSprandom::invalid_shares(0.15, 1), std::vector<double>{0.0});
  // Worked by hand: validities 1 and 1 - 1 / 1.7, which lie 1 and 1 + 1.7 / 0.7 from the begin.
  EXPECT_EQ(FioSprandom::invalid_shares(0.5, 2), (std::vector<double>{0.5882, 0.0}));
}

TEST(FioSprandom, EveryBlockIsWrittenAndASpareOfThemAgain) {
  for (const char* const more : {"", "spr_cs=512k\n"}) {
    const std::vector<Request> requests = requests_of(std::string("sprandom=1\nspr_op=0.15\n") + more);
    std::map<std::uint64_t, int> writes;
    for (const Request& request : requests) {
      ASSERT_EQ(request.kind, RequestKind::Write);
      ++writes[request.offset];
    }
    EXPECT_NEAR(static_cast<double>(writes.size()), kBlocks, kBlocks * 0.01) << more;
    EXPECT_NEAR(static_cast<double>(requests.size()), kBlocks * 1.15, kBlocks * 0.02) << more;
  }
}

// What a region has left of its writes at the end is what invalid_shares() says.
TEST(FioSprandom, RegionsLoseTheirShare) {
  constexpr std::size_t kRegions = 10;
  const std::vector<Request> requests = requests_of("sprandom=1\nspr_op=0.2\nspr_num_regions=10\n");
  const std::vector<double> shares = FioSprandom::invalid_shares(0.2, kRegions);
  const std::size_t region = kBlocks * 12 / 10 / kRegions;
  std::map<std::uint64_t, std::size_t> last;
  for (std::size_t i = 0; i < requests.size(); ++i) last[requests[i].offset] = i;
  std::vector<double> valid(kRegions + 1);
  for (const auto& [offset, at] : last) valid[std::min(at / region, kRegions)] += 1.0 / static_cast<double>(region);
  for (std::size_t i = 0; i + 1 < kRegions; ++i) EXPECT_NEAR(valid[i], 1 - shares[i], 0.03) << i;
}

// With a cache a block is written again only when as much was written after it.
TEST(FioSprandom, AWriteCacheDoesNotSwallowWhatIsWrittenAgain) {
  const auto nearest = [](const std::string& more) {
    std::map<std::uint64_t, std::size_t> last;
    std::size_t least = kBlocks;
    const std::vector<Request> requests = requests_of("sprandom=1\n" + more);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto [found, first] = last.emplace(requests[i].offset, i);
      if (!first) least = std::min(least, i - std::exchange(found->second, i));
    }
    return least;
  };
  EXPECT_LT(nearest(""), 20U);
  EXPECT_GT(nearest("spr_cs=512k\n"), 128U);
}

TEST(FioSprandom, NeedsRandomWritesOfOneSize) {
  for (const char* const more :
       {"rw=randrw\n", "rw=write\n", "bsrange=4k-8k\n", "norandommap=0\n", "random_generator=tausworthe\n",
        "nrfiles=2\n", "random_distribution=zipf:1.1\n", "zonemode=strided\nzonesize=64k\n", "spr_num_regions=99999\n",
        "spr_op=0\n", "spr_op=1.7\n", "spr_cs=1g\n", "percentage_random=50\n", "loops=2\n", "time_based\nruntime=1\n"})
    EXPECT_THROW(requests_of(std::string("sprandom=1\n") + more), WorkloadError) << more;
}

}  // namespace
}  // namespace flashloom::fio_sprandom_test
