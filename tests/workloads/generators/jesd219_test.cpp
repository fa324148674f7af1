// The shares of JESD219's enterprise workload.
#include <gtest/gtest.h>

#include "tests/workloads/generators/generator_support.hpp"

namespace flashloom::jesd219_test {
namespace {

constexpr std::uint64_t kCapacity = 1024 * kMiB;

TEST(Jesd219, SharesOfAMillionRequests) {
  const std::vector<std::uint64_t> sizes = {512, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 8192, 16384, 32768, 65536};
  std::map<std::uint64_t, double> by_size;
  std::vector<double> by_range(3);
  std::vector<double> by_kind(2);
  const auto all = requests_of(generate("jesd219", {{"requests", std::int64_t{1'000'000}}}, kCapacity));
  ASSERT_EQ(all.size(), 1'000'000U);
  for (const Request& request : all) {
    ++by_size[request.length];
    ++by_kind[request.kind == RequestKind::Read ? 0 : 1];
    ++by_range[request.offset < kCapacity / 20 ? 0 : request.offset < kCapacity / 5 ? 1 : 2];
    ASSERT_LE(request.offset + request.length, kCapacity);
    ASSERT_EQ(request.offset % 512, 0U);
    if (request.length >= 4096)
      ASSERT_EQ(request.offset % 4096, 0U);
    else
      ASSERT_LE(request.offset % 4096 + request.length, 4096U);
  }
  std::vector<double> counts;
  for (const std::uint64_t size : sizes) counts.push_back(by_size[size]);
  EXPECT_EQ(by_size.size(), sizes.size());
  EXPECT_LT(chi_square_z(counts, {.04, .01, .01, .01, .01, .01, .01, .67, .10, .07, .03, .03}), 3.3);
  EXPECT_LT(chi_square_z(by_range, {.5, .3, .2}), 3.3);
  EXPECT_LT(chi_square_z(by_kind, {.4, .6}), 3.3);
}

TEST(Jesd219, SizesBelowASectorAreASector) {
  GeneratorContext context{.space = {.capacity = kCapacity, .sector_size = 4096}, .seed = 3};
  for (const Request& request :
       requests_of(make_generator(*find_generator("jesd219"), {{"requests", std::int64_t{10'000}}}, context))) {
    EXPECT_EQ(request.offset % 4096, 0U);
    EXPECT_EQ(request.length % 4096, 0U);
  }
  context.space.capacity = kMiB;
  EXPECT_THROW(make_generator(*find_generator("jesd219"), {}, context), GeneratorError);
}

}  // namespace
}  // namespace flashloom::jesd219_test
