// Traces as page references, and the dense numbers of their pages.
#include "analysis/page_trace.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analysis/page_numbers.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom::page_trace_test {
namespace {

constexpr std::uint64_t kPage = 4096;

Request request(RequestKind kind, std::uint64_t offset, std::uint64_t length) {
  return {.offset = offset, .length = length, .kind = kind};
}

// Near pages, pages beyond the direct table, and the largest there is; numbers are given in order.
TEST(PageNumbers, AreDense) {
  PageNumbers numbers;
  std::map<std::uint64_t, std::uint32_t> expected;
  std::mt19937_64 random(1);
  const std::uint64_t bases[] = {0, 1000000, (DenseNumbers::kDirect - 1) * PageNumbers::kChunkPages,
                                 std::uint64_t{1} << 40, ~std::uint64_t{0} - 50000};
  EXPECT_EQ(numbers.find(0), PageNumbers::kNone);
  for (int i = 0; i < 60000; ++i) {
    const std::uint64_t address = bases[random() % 5] + random() % 5000;
    const auto [found, added] = expected.try_emplace(address, static_cast<std::uint32_t>(expected.size()));
    ASSERT_EQ(numbers.find(address), added ? PageNumbers::kNone : found->second);
    numbers.prefetch_chunk(address);
    numbers.prefetch_number(address);
    ASSERT_EQ(numbers.of(address), found->second);
    ASSERT_EQ(numbers.address(found->second), address);
  }
}

TEST(PageTrace, ReferencesEachPageOfARequestOnce) {
  ListSource source({request(RequestKind::Read, 3 * kPage, 2 * kPage), request(RequestKind::Flush, 0, 0),
                     request(RequestKind::Write, 4 * kPage, kPage), request(RequestKind::Write, 128 * kPage, kPage)});
  const PageTrace trace = read_page_trace(source, {.pages_per_block = 4});
  ASSERT_EQ(trace.references.size(), 4u);
  EXPECT_EQ(trace.references[1].page(), 1u);
  EXPECT_EQ(trace.references[2].page(), 1u);
  EXPECT_FALSE(trace.references[1].write());
  EXPECT_TRUE(trace.references[2].write());
  EXPECT_EQ(trace.requests, 4u);
  EXPECT_EQ(trace.reads, 2u);
  EXPECT_EQ(trace.writes, 2u);
  EXPECT_TRUE(trace.bytes.empty());
  EXPECT_EQ((std::vector<std::uint64_t>(trace.addresses.begin(), trace.addresses.end())),
            (std::vector<std::uint64_t>{3, 4, 128}));
  EXPECT_EQ((std::vector<std::uint32_t>(trace.blocks.begin(), trace.blocks.end())),
            (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(trace.block_count, 3u);
}

// Bytes are kept from the first request on that does not cover whole pages, for those before as well.
TEST(PageTrace, KnowsThePartsOfPages) {
  ListSource source({request(RequestKind::Read, 0, 2 * kPage), request(RequestKind::Trim, 0, kPage),
                     request(RequestKind::Write, 512, kPage), request(RequestKind::Read, 7 * kPage, kPage),
                     request(RequestKind::Trim, 100, 5 * kPage)});
  const PageTrace trace = read_page_trace(source, {});
  EXPECT_EQ((std::vector<std::uint32_t>(trace.bytes.begin(), trace.bytes.end())),
            (std::vector<std::uint32_t>{4096, 4096, 4096, 3584, 512, 4096, 0}));
  ASSERT_EQ(trace.references.size(), 7u);
  EXPECT_TRUE(trace.references[2].discard());
  EXPECT_TRUE(trace.references[6].discard());  // of pages 1 to 4 only 1 is known
  EXPECT_EQ(trace.references[6].page(), 1u);
}

TEST(PageTrace, DiscardsAWholeDeviceQuickly) {
  ListSource source({request(RequestKind::Write, kPage, kPage),
                     request(RequestKind::Write, std::uint64_t{9} << 40, kPage),
                     request(RequestKind::Trim, 2 * kPage, std::uint64_t{1} << 60)});
  const PageTrace trace = read_page_trace(source, {});
  ASSERT_EQ(trace.references.size(), 3u);
  EXPECT_TRUE(trace.references[2].discard());
  EXPECT_EQ(trace.references[2].page(), 1u);
}

TEST(PageTrace, StopsWhenItIsTold) {
  std::vector<Request> many(2000, request(RequestKind::Read, 0, kPage));
  for (const std::uint64_t most : {1U, 511U, 512U, 513U, 1999U}) {
    ListSource source(many);
    EXPECT_EQ(read_page_trace(source, {.max_requests = most}).references.size(), most);
  }
  ListSource source(many);
  EXPECT_EQ(read_page_trace(source, {}).requests, 2000u);
}

}  // namespace
}  // namespace flashloom::page_trace_test
