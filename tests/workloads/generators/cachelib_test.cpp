// The flash cache: requests worked by hand, and the shares of its two engines.
#include <gtest/gtest.h>

#include "tests/workloads/generators/generator_support.hpp"

namespace flashloom::cachelib_test {
namespace {

// 64 MiB with 4 % for buckets: 655 buckets at the end, and 61.4 MiB before them hold three regions of 16 MiB.
constexpr std::uint64_t kCapacity = 64 * kMiB;
constexpr std::uint64_t kBuckets = 655;
constexpr std::uint64_t kSocBegin = kCapacity - kBuckets * 4096;

TEST(Cachelib, LargeObjectsFillRegionsInTurn) {
  const Values values = {{"small", 0.0}, {"read", 0.0}, {"large_size", WeightedSizes{{3 * kMiB, 1}}}};
  const std::vector<Request> all = requests_of(generate("cachelib", values, kCapacity, 1, true), 4 * 16);
  std::uint64_t application = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].kind, RequestKind::Write);
    EXPECT_EQ(all[i].length, kMiB);
    EXPECT_EQ(all[i].offset, i % 48 * kMiB);  // the first region again after the third
    application += all[i].application_bytes;
  }
  EXPECT_EQ(application, 4 * 15 * kMiB);  // five objects of 3 MiB per region; a sixth does not fit
}

TEST(Cachelib, SmallObjectsReadAndWriteABucket) {
  const Values values = {{"small", 1.0}, {"read", 0.0}, {"small_size", WeightedSizes{{300, 1}}}};
  const std::vector<Request> all = requests_of(generate("cachelib", values, kCapacity, 1, true), 60'000);
  std::vector<double> counts(kBuckets);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    ASSERT_EQ(all[i].kind, RequestKind::Read);
    ASSERT_EQ(all[i + 1].kind, RequestKind::Write);
    ASSERT_EQ(all[i].offset, all[i + 1].offset);
    ASSERT_EQ(all[i + 1].length, 4096);
    ASSERT_EQ(all[i + 1].application_bytes, 300U);
    ASSERT_GE(all[i].offset, kSocBegin);
    ++counts[(all[i].offset - kSocBegin) / 4096];
  }
  EXPECT_LT(chi_square_z(counts, std::vector<double>(kBuckets, 1.0 / kBuckets)), 5);
}

// Each operation caches 0.9 x 500 bytes in buckets of 0.9 x 4096 bytes, and 0.1 x 64 KiB in a log without gaps.
TEST(Cachelib, HostWriteAmplificationFollowsFromTheShares) {
  const Values values = {{"small", 0.9},
                         {"read", 0.2},
                         {"small_size", WeightedSizes{{500, 1}}},
                         {"large_size", WeightedSizes{{64 * kKiB, 1}}}};
  GeneratedWorkload workload = generate("cachelib", values, kCapacity, 1, true);
  EXPECT_TRUE(workload.accounts);
  std::uint64_t application = 0;
  std::uint64_t small = 0;
  std::uint64_t large = 0;
  Request request;
  for (int i = 0; i < 1'000'000 && workload.source->next(request); ++i) {
    if (request.kind != RequestKind::Write) continue;
    application += request.application_bytes;
    (request.offset < kSocBegin ? large : small) += request.length;
  }
  const double ratio = 0.9 * 4096 / (0.1 * 65536);
  EXPECT_NEAR(static_cast<double>(small) / static_cast<double>(large), ratio, 0.01 * ratio);
  const double expected = (0.9 * 4096 + 0.1 * 65536) / (0.9 * 500 + 0.1 * 65536);
  EXPECT_NEAR(static_cast<double>(small + large) / static_cast<double>(application), expected, 0.01 * expected);
}

TEST(Cachelib, RegionsAreTrimmedBeforeTheyAreWrittenAgain) {
  const Values values = {{"soc", 0.0}, {"read", 0.0}, {"trim", true}, {"write_size", bytes(16 * kMiB)}, {"small", 0.9}};
  const std::vector<Request> all = requests_of(generate("cachelib", values, kCapacity, 1, true), 6);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[i].kind, RequestKind::Write);
    EXPECT_EQ(all[i].offset, i * 16 * kMiB);
  }
  EXPECT_EQ(all[4].kind, RequestKind::Trim);
  EXPECT_EQ(all[4].offset, 0);
  EXPECT_EQ(all[4].length, 16 * kMiB);
  EXPECT_EQ(all[5].kind, RequestKind::Write);
  EXPECT_EQ(all[5].offset, 0);
}

// Writes carry streams 1 and 2, or the device's identifiers; neither where placement is off.
TEST(Cachelib, WritesSayWhichObjectsTheyAreOf) {
  const auto placements = [](const Values& values, const std::vector<std::uint16_t>& identifiers) {
    GeneratorContext context{.space = {.capacity = kCapacity, .sector_size = 512}, .seed = 1, .endless = true};
    if (!identifiers.empty()) context.space.placement_identifiers = identifiers;
    GeneratedWorkload workload = make_generator(*find_generator("cachelib"), values, context);
    std::pair<int, int> found;  // for small objects, for large ones: directive x 100 + identifier
    Request request;
    for (int i = 0; i < 50'000 && workload.source->next(request); ++i) {
      const int placement = static_cast<int>(request.directive) * 100 + request.identifier;
      if (request.kind != RequestKind::Write) {
        EXPECT_EQ(placement, 0);
      } else {
        (request.offset < kSocBegin ? found.second : found.first) = placement;
      }
    }
    return found;
  };
  EXPECT_EQ(placements({}, {}), std::pair(101, 102));
  EXPECT_EQ(placements({}, {4, 9}), std::pair(204, 209));
  EXPECT_EQ(placements({}, {4}), std::pair(204, 204));
  EXPECT_EQ(placements({{"placement", false}}, {4, 9}), std::pair(0, 0));
}

TEST(Cachelib, LookUpsFindBucketsAndRegionsThatWereWritten) {
  const Values values = {{"read", 0.9}};
  GeneratedWorkload workload = generate("cachelib", values, kCapacity, 1, true);
  std::uint64_t regions = 0;
  Request request;
  for (int i = 0; i < 300'000 && workload.source->next(request); ++i) {
    if (request.offset >= kSocBegin) continue;
    if (request.kind == RequestKind::Write) {
      regions = std::max(regions, request.offset / (16 * kMiB) + 1);
    } else {
      ASSERT_LT(request.offset / (16 * kMiB), regions);
      ASSERT_LE(request.offset % (16 * kMiB) + request.length, 16 * kMiB);
    }
  }
  EXPECT_EQ(regions, 3U);
}

}  // namespace
}  // namespace flashloom::cachelib_test
