#include "workloads/address_fit.hpp"

#include <gtest/gtest.h>

#include "tests/support/request_sources.hpp"
#include "tests/workloads/input_files.hpp"
#include "workloads/generators/uniform_random.hpp"
#include "workloads/permutation.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom::address_fit_test {
namespace {

Request io(std::uint64_t offset, std::uint64_t length, RequestKind kind = RequestKind::Write) {
  Request request;
  request.offset = offset;
  request.length = length;
  request.kind = kind;
  return request;
}

using Extents = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Extents fitted(const std::vector<Request>& requests, const DeviceSpace& device, AddressFit mode) {
  const auto source = fit_addresses([&] { return std::make_unique<ListSource>(requests); }, device, mode);
  Extents extents;
  for (const Request& request : all_requests(*source)) extents.emplace_back(request.offset, request.length);
  return extents;
}

TEST(AddressFit, WholeSectors) {
  EXPECT_EQ(fitted({io(1, 1), io(511, 2), io(512, 512), io(1000, 600)}, {8192, 512}, AddressFit::Error),
            (Extents{{0, 512}, {0, 1024}, {512, 512}, {512, 1536}}));
  EXPECT_EQ(fitted({io(4095, 2)}, {8192, 4096}, AddressFit::Error), (Extents{{0, 8192}}));
}

TEST(AddressFit, LastSectorFitsAndOneBeyondIsAnError) {
  EXPECT_EQ(fitted({io(7680, 512)}, {8192, 512}, AddressFit::Error), (Extents{{7680, 512}}));
  const WorkloadError error = error_of([] { fitted({io(0, 512), io(7681, 512)}, {8192, 512}, AddressFit::Error); });
  EXPECT_NE(error.message().find("request 2 (offset 7680, length 1024) lies beyond the device"), std::string::npos)
      << error.what();
  // The part of a sector at the end of an odd device is not addressable.
  EXPECT_EQ(error_of([] { fitted({io(8192, 100)}, {8292, 512}, AddressFit::Error); }).file(), "workload");
}

TEST(AddressFit, ErrorNamesTheLineOfTheTrace) {
  const InputFiles files;
  const std::string path = files.write("t", "1.0 0 0 8 1\n\n2.0 0 16 8 1\n");
  const auto source = fit_addresses([&] { return open_trace(path); }, {8192, 512}, AddressFit::Error);
  const WorkloadError error = error_of([&] { all_requests(*source); });
  EXPECT_EQ(error.file(), path);
  EXPECT_EQ(error.line(), 3U);
  EXPECT_NE(error.message().find("request 2"), std::string::npos);
}

TEST(AddressFit, WrapMovesWhatWouldCrossTheEnd) {
  EXPECT_EQ(fitted({io(8192, 512), io(8192 + 1024, 512), io(7680, 1024), io(0, 8192), io(512, 8192)}, {8192, 512},
                   AddressFit::Wrap),
            (Extents{{0, 512}, {1024, 512}, {7168, 1024}, {0, 8192}, {0, 8192}}));
}

TEST(AddressFit, ScaleByTheExtent) {
  // Extent 16384 onto 8192: half of each offset, in whole sectors.
  EXPECT_EQ(fitted({io(0, 512), io(4096, 512), io(512, 512), io(15872, 512)}, {8192, 512}, AddressFit::Scale),
            (Extents{{0, 512}, {2048, 512}, {0, 512}, {7680, 512}}));
  // A request at the end keeps its length: it moves back.
  EXPECT_EQ(fitted({io(8192, 8192)}, {8192, 512}, AddressFit::Scale), (Extents{{0, 8192}}));
  // What fits already stays where it is.
  EXPECT_EQ(fitted({io(512, 512), io(1024, 512)}, {8192, 512}, AddressFit::Scale), (Extents{{512, 512}, {1024, 512}}));
}

TEST(AddressFit, LargerThanTheDeviceIsAnErrorInEveryMode) {
  for (const AddressFit mode : {AddressFit::Error, AddressFit::Wrap, AddressFit::Scale})
    EXPECT_NE(error_of([&] {
                fitted({io(0, 8193)}, {8192, 512}, mode);
              })
                  .message()
                  .find("larger than the device"),
              std::string::npos);
  EXPECT_THROW(fitted({}, {511, 512}, AddressFit::Error), std::invalid_argument);
}

TEST(AddressFit, FlushesPassAndEndsOf64BitsAreErrors) {
  EXPECT_EQ(fitted({io(0, 0, RequestKind::Flush)}, {8192, 512}, AddressFit::Error), (Extents{{0, 0}}));
  EXPECT_NE(error_of([] {
              fitted({io(~0ULL, 1)}, {8192, 512}, AddressFit::Wrap);
            })
                .message()
                .find("64 bits"),
            std::string::npos);
}

TEST(AddressFit, AlwaysInsideTheDeviceAndAligned) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    const DeviceSpace device{4096 + random.below(1 << 20), random.below(2) == 0 ? 512U : 4096U};
    std::vector<Request> requests;
    for (int i = 0; i < 20; ++i)
      requests.push_back(io(random.next() >> (1 + random.below(50)), 1 + random.below(device.capacity / 4)));
    for (const AddressFit mode : {AddressFit::Wrap, AddressFit::Scale}) {
      try {
        for (const auto& [offset, length] : fitted(requests, device, mode)) {
          ASSERT_EQ(offset % device.sector_size, 0U);
          ASSERT_EQ(length % device.sector_size, 0U);
          ASSERT_LE(offset + length, device.capacity);
        }
      } catch (const WorkloadError& error) {  // only a request that its sectors make larger than a tiny device
        ASSERT_LT(device.capacity, 3U * device.sector_size) << error.what();
      }
    }
  }
}

TEST(UniformRandom, CoversTheRangeEvenlyAndRepeatsWithItsSeed) {
  UniformRandomOptions options;
  options.offset = 8192;
  options.length = 16 * 4096 + 100;
  options.requests = 16000;
  options.seed = 3;
  UniformRandomSource source(options);
  UniformRandomSource same(options);
  options.seed = 4;
  UniformRandomSource other(options);
  const auto requests = all_requests(source);
  ASSERT_EQ(requests.size(), 16000U);
  std::vector<int> hits(16);
  for (const Request& request : requests) {
    ASSERT_EQ(request.length, 4096U);
    ASSERT_EQ(request.kind, RequestKind::Write);
    ++hits.at((request.offset - 8192) / 4096);
  }
  for (const int n : hits) EXPECT_NEAR(n, 1000, 200);  // six standard deviations
  const auto offsets = [](const std::vector<Request>& list) {
    std::vector<std::uint64_t> result;
    for (const Request& request : list) result.push_back(request.offset);
    return result;
  };
  EXPECT_EQ(offsets(requests), offsets(all_requests(same)));
  EXPECT_NE(offsets(requests), offsets(all_requests(other)));
  options.length = 100;
  EXPECT_THROW(UniformRandomSource{options}, std::invalid_argument);
}

TEST(Random, MatchesThePublishedGenerators) {
  // SplitMix64 from seed 1234567 against Rosetta Code's list. Of xoshiro256** only the first output is checked, which is
  // rotl(s1 * 5, 7) * 9 of the seeded state.
  std::uint64_t state = 1234567;
  EXPECT_EQ(splitmix64(state), 6457827717110365317U);
  EXPECT_EQ(splitmix64(state), 3203168211198807973U);
  EXPECT_EQ(splitmix64(state), 9817491932198370423U);
  std::uint64_t seed = 42;
  splitmix64(seed);
  const std::uint64_t s1 = splitmix64(seed) * 5;
  EXPECT_EQ(Random(42).next(), ((s1 << 7U) | (s1 >> 57U)) * 9);
}

}  // namespace
}  // namespace flashloom::address_fit_test
