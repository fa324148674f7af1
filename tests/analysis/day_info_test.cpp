#include "analysis/day_info.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/request_sources.hpp"

namespace flashloom::day_info_test {
namespace {

Request access(RequestKind kind, std::uint64_t page, std::uint64_t pages = 1) {
  Request request;
  request.kind = kind;
  request.offset = page * DayInfo::kPage;
  request.length = pages * DayInfo::kPage;
  return request;
}

TEST(DayInfo, WorkedByHand) {
  using enum RequestKind;
  DayAnalysis analysis;
  ListSource first({access(Read, 0, 4), access(Write, 2, 2), access(Flush, 0, 0), access(Trim, 50, 9)});
  ListSource second({access(Write, 3, 2), access(Read, 3), access(Read, 9)});
  ListSource third({access(Read, 0), access(Read, 9), access(Read, 20, 2)});
  // 6 accesses to pages 0 to 3, 2 of them repeated.
  const DayInfo a = analysis.add("a", first);
  EXPECT_EQ(a.requests, 4U);
  EXPECT_EQ(a.reads, 1U);
  EXPECT_EQ(a.writes, 1U);
  EXPECT_EQ(a.read_bytes, 4 * DayInfo::kPage);
  EXPECT_DOUBLE_EQ(a.write_share(), 2.0 / 6);
  EXPECT_EQ(a.accesses, 6U);
  EXPECT_EQ(a.footprint_pages, 4U);
  EXPECT_EQ(a.written_pages, 2U);
  EXPECT_EQ(a.repeated_accesses, 2U);
  EXPECT_EQ(a.earlier_accesses, 0U);
  // Pages 3, 4, 9; page 3 was accessed on the day before, and is accessed twice.
  const DayInfo b = analysis.add("b", second);
  EXPECT_EQ(b.footprint_pages, 3U);
  EXPECT_EQ(b.previous_pages, 1U);
  EXPECT_EQ(b.earlier_pages, 1U);
  EXPECT_EQ(b.earlier_accesses, 2U);
  EXPECT_EQ(b.repeated_accesses, 1U);
  // Page 9 was accessed on the day before, page 0 on the day before that.
  const DayInfo c = analysis.add("c", third);
  EXPECT_EQ(c.previous_pages, 1U);
  EXPECT_EQ(c.earlier_pages, 2U);
  EXPECT_EQ(c.write_share(), 0);
  EXPECT_EQ(analysis.footprint_pages(), 8U);
  // Another place on the device, without earlier accesses.
  ListSource elsewhere({access(Read, 0, 4)});
  EXPECT_EQ(analysis.add("d", elsewhere, 1000 * DayInfo::kPage).earlier_pages, 0U);
  const auto json = to_json(analysis, "w.toml");
  EXPECT_EQ(json["jobs"][1]["accesses_to_earlier_share"], 0.5);
  EXPECT_NE(to_text(analysis, "w.toml").find("33.3 %"), std::string::npos);
}

// PageSet against std::set.
TEST(PageSets, CountAndCommon) {
  Random random(5);
  PageSet a;
  PageSet b;
  std::set<std::uint64_t> pages_a;
  std::set<std::uint64_t> pages_b;
  for (int i = 0; i < 200; ++i) {
    const bool which = random.chance(0.5);
    const std::uint64_t first = random.below(30'000);
    const std::uint64_t count = 1 + random.below(200);
    (which ? a : b).add(first, count);
    for (std::uint64_t page = first; page < first + count; ++page) (which ? pages_a : pages_b).insert(page);
  }
  std::uint64_t common = 0;
  for (const std::uint64_t page : pages_a) common += pages_b.count(page);
  EXPECT_GT(common, 100U);
  EXPECT_EQ(a.common(b), common);
  EXPECT_EQ(b.common(a), common);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t first = random.below(30'000);
    const std::uint64_t count = random.below(6000);
    EXPECT_EQ(a.count(first, count), static_cast<std::uint64_t>(std::distance(pages_a.lower_bound(first),
                                                                              pages_a.lower_bound(first + count))));
  }
  a.add(b);
  EXPECT_EQ(a.size(), pages_a.size() + pages_b.size() - common);
  EXPECT_EQ(a.common(b), b.size());
}

}  // namespace
}  // namespace flashloom::day_info_test
