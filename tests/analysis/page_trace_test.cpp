// Traces as page references, and the dense numbering of their pages.
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

// Neighbouring pages, pages beyond the direct table, and the largest page number: numbers are assigned in order of
// appearance.
TEST(PageNumbers, AreDense) {
  PageNumbers numbers;
  std::map<std::uint64_t, std::uint32_t> expected;
  std::mt19937_64 random(1);
  const std::uint64_t bases[] = {0, 1000000, (KeyIndex::kDirect - 1) * PageNumbers::kChunkPages, std::uint64_t{1} << 40,
                                 ~std::uint64_t{0} - 50000};
  EXPECT_EQ(numbers.find(0), PageNumbers::kNone);
  for (int i = 0; i < 60000; ++i) {
    const std::uint64_t address = bases[random() % 5] + random() % 5000;
    const auto [found, added] = expected.try_emplace(address, static_cast<std::uint32_t>(expected.size()));
    ASSERT_EQ(numbers.find(address), added ? PageNumbers::kNone : found->second);
    numbers.prefetch_chunk(address);
    const std::uint32_t hint = numbers.prefetch_number(address);
    ASSERT_EQ(numbers.of(address, hint), found->second);
    ASSERT_EQ(numbers.address(found->second), address);
  }
}

// A chunk of a single page is stored as a key until a neighbour comes; by then the target of a prefetch hint may have
// moved to a chunk.
TEST(PageNumbers, OfPagesWithoutNeighbours) {
  PageNumbers numbers;
  for (const std::uint64_t spread : {std::uint64_t{50}, std::uint64_t{1} << 40}) {
    const std::uint32_t begin = numbers.size();
    constexpr std::uint32_t kPages = 5000;
    for (std::uint32_t i = 0; i < kPages; ++i) {
      EXPECT_EQ(numbers.find(i * spread + 7 + spread), PageNumbers::kNone);
      ASSERT_EQ(numbers.of(i * spread + 7 + spread), begin + i);
    }
    std::vector<std::uint32_t> hints;
    for (std::uint32_t i = 0; i < kPages; ++i) hints.push_back(numbers.prefetch_number(i * spread + 8 + spread));
    for (std::uint32_t i = 0; i < kPages; ++i) {
      ASSERT_EQ(numbers.find(i * spread + 8 + spread), PageNumbers::kNone);
      ASSERT_EQ(numbers.of(i * spread + 8 + spread, hints[i]), begin + kPages + i);
      ASSERT_EQ(numbers.of(i * spread + 7 + spread, hints[i]), begin + i);
    }
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

// The trace stores no addresses if no page is written.
TEST(PageTrace, KeepsNoPlacesWithoutWrites) {
  ListSource source({request(RequestKind::Read, 3 * kPage, 2 * kPage), request(RequestKind::Trim, 3 * kPage, kPage)});
  const PageTrace trace = read_page_trace(source, {});
  EXPECT_EQ(trace.footprint, 2u);
  EXPECT_EQ(trace.references.size(), 3u);
  EXPECT_TRUE(trace.addresses.empty());
  EXPECT_TRUE(trace.blocks.empty());
}

// Batches of 32 with two steps of delay: the first and last requests at every length.
TEST(PageTrace, AddsAllOfEveryLength) {
  for (std::uint64_t length = 1; length <= 130; ++length) {
    std::vector<Request> requests;
    for (std::uint64_t i = 0; i < length; ++i)
      requests.push_back(request(RequestKind::Write, (i << 40) + kPage, kPage));
    ListSource source(requests);
    const PageTrace trace = read_page_trace(source, {});
    ASSERT_EQ(trace.references.size(), length);
    for (std::uint32_t i = 0; i < length; ++i) {
      ASSERT_EQ(trace.references[i].page(), i);
      ASSERT_EQ(trace.addresses[i], (std::uint64_t{i} << 28) + 1);
    }
  }
}

// The trace stores byte counts once a request covers a part of a page, then for all earlier requests as well.
TEST(PageTrace, KnowsThePartsOfPages) {
  ListSource source({request(RequestKind::Read, 0, 2 * kPage), request(RequestKind::Trim, 0, kPage),
                     request(RequestKind::Write, 512, kPage), request(RequestKind::Read, 7 * kPage, kPage),
                     request(RequestKind::Trim, 100, 5 * kPage)});
  const PageTrace trace = read_page_trace(source, {});
  EXPECT_EQ((std::vector<std::uint32_t>(trace.bytes.begin(), trace.bytes.end())),
            (std::vector<std::uint32_t>{4096, 4096, 4096, 3584, 512, 4096, 0}));
  ASSERT_EQ(trace.references.size(), 7u);
  EXPECT_TRUE(trace.references[2].discard());
  EXPECT_TRUE(trace.references[6].discard());  // of pages 1 to 4 only page 1 has been referenced
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
