// The slow references against the traces worked by hand, and against the bounds that they must keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "tests/policies/replacement/reference/dld_arc.hpp"
#include "tests/policies/replacement/reference/factory.hpp"
#include "tests/policies/replacement/reference/lrfu.hpp"
#include "tests/policies/replacement/reference/walks.hpp"

namespace flashloom::reference {
namespace {

Reference parse(const std::string& text) {
  const bool write = text.size() == 2 && text.front() == 'w';
  return {static_cast<Page>(text.back() - 'a'), write};
}

References parse_all(const std::string& text) {
  References all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    all.push_back(parse(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return all;
}

TEST(References, DoAsWorkedByHand) {
  for (const Walk& walk : all_walks()) {
    References future;
    for (const WalkStep& step : walk.steps) future.push_back(parse(step.reference));
    const auto cache = make_reference(
        walk.policy, {.capacity = walk.capacity,
                      .pages_per_block = walk.pages_per_block,
                      .future = &future,
                      .stored = [&](Page page) { return walk.stored.find(name_of(page)) != std::string::npos; }});
    ASSERT_NE(cache, nullptr) << walk.name;
    for (std::size_t i = 0; i < walk.steps.size(); ++i) {
      const Step step = cache->reference(future[i].page, future[i].write);
      EXPECT_EQ(text_of(step), walk.steps[i].outcome) << walk.name << ", step " << i + 1;
      EXPECT_EQ(cache->state(), walk.steps[i].state) << walk.name << ", step " << i + 1;
    }
  }
}

TEST(References, LrfuWeighsRecencyAndFrequency) {
  Lrfu cache(2, 0.5);
  cache.reference(0, false);
  EXPECT_DOUBLE_EQ(cache.crf(0), 1);
  cache.reference(0, false);
  EXPECT_DOUBLE_EQ(cache.crf(0), 1 + std::sqrt(0.5));
  cache.reference(1, false);
  cache.reference(0, false);  // two references later: half of it
  EXPECT_DOUBLE_EQ(cache.crf(0), 1 + (1 + std::sqrt(0.5)) / 2);
}

TEST(References, FewestWriteBacks) {
  EXPECT_EQ(fewest_write_backs(2, parse_all("wa wb wc wa wb")), 3U);  // a and b stay, c bypasses the cache
  EXPECT_EQ(fewest_write_backs(2, parse_all("wa c d e wb f wa g wb")), 2U);
  EXPECT_EQ(fewest_write_backs(1, parse_all("wa wb wa")), 2U);
  // 5 writes less two intervals: a's or b's first, then b's last
  EXPECT_EQ(fewest_write_backs(1, parse_all("wa wb wa wb wb")), 3U);
}

// The shortest sequences on which the literal code exceeds its bounds (dld_arc.md); the repaired code keeps them.
struct Break {
  std::size_t capacity;
  std::string references;
  std::string what;
};

const std::vector<Break>& breaks() {
  static const std::vector<Break> all = {
      {1, "a b a", "real"},
      {2, "a b c a d b", "real"},
      {2, "a b c d e f g", "total"},
      {1, "a a b c", "total"},
      {2, "a a b c b d e", "total"},
      {1, "a b b c c d", "total"},
      {2, "a a b b c d e f f g", "total"},
      {2, "a b c wd e f g h", "counter"},
  };
  return all;
}

std::string broken(const DldArc& cache, std::size_t capacity) {
  if (cache.real() > capacity) return "real";
  if (cache.total() > 2 * capacity) return "total";
  return cache.dirty_counter() > capacity ? "counter" : "";
}

TEST(DldArcTraps, LiteralBreaksAtTheLastReferenceAndNotBefore) {
  for (const Break& expected : breaks()) {
    const References references = parse_all(expected.references);
    DldArc cache(expected.capacity, 4, DldArcMode::Literal);
    for (std::size_t i = 0; i < references.size(); ++i) {
      cache.reference(references[i].page, references[i].write);
      EXPECT_EQ(broken(cache, expected.capacity), i + 1 == references.size() ? expected.what : "")
          << expected.references << ", reference " << i + 1 << ": " << cache.state();
    }
    for (const DldArcMode mode : {DldArcMode::Repaired, DldArcMode::ArcBounded}) {
      DldArc whole(expected.capacity, 4, mode);
      for (const Reference& reference : references) {
        whole.reference(reference.page, reference.write);
        EXPECT_EQ(broken(whole, expected.capacity), "") << expected.references << ": " << whole.state();
      }
    }
  }
}

TEST(DldArcTraps, ARealCacheBeyondSGrowsWithoutBound) {
  DldArc cache(2, 4, DldArcMode::Literal);
  for (const Reference& reference : parse_all("a b c a d b")) cache.reference(reference.page, reference.write);
  for (Page page = 100; page < 200; ++page) cache.reference(page, false);
  EXPECT_EQ(cache.real(), 103U);
}

TEST(DldArcTraps, LiteralBreaksWithinIozonesPasses) {
  const auto pass = [](DldArc& cache) {  // write, rewrite, read, reread 17 pages; the reference that breaks, or 0
    for (Page i = 0; i < 4 * 17; ++i) {
      cache.reference(i % 17, i < 2 * 17);
      if (!broken(cache, 8).empty()) return i + 1;
    }
    return Page{0};
  };
  DldArc literal(8, 4, DldArcMode::Literal);
  EXPECT_EQ(pass(literal), 58U);
  DldArc repaired(8, 4, DldArcMode::Repaired);
  EXPECT_EQ(pass(repaired), 0U);
}

TEST(DldArcTraps, RepairedKeepsItsBounds) {
  std::mt19937_64 random(2009);
  for (int run = 0; run < 3000; ++run) {
    const std::size_t capacity = 1 + random() % 8;
    const Page pages = 1 + random() % (4 * capacity);
    DldArc cache(capacity, 1 + random() % 6, run % 2 == 0 ? DldArcMode::Repaired : DldArcMode::ArcBounded);
    for (std::size_t n = random() % 400; n != 0; --n) {
      cache.reference(random() % pages, random() % 2 == 0);
      ASSERT_EQ(broken(cache, capacity), "") << "run " << run << ": " << cache.state();
      ASSERT_LE(cache.resident(), 2 * capacity);
      ASSERT_LE(cache.seen_once(), run % 2 != 0 ? capacity : 2 * capacity) << cache.state();
    }
  }
}

// S = 64, 1,000 pages written in order: with |L1| <= S there is never a ghost; without the bound |L1| grows to 2S and
// D1 is written by the block.
TEST(DldArcTraps, TheBoundOnL1TakesTheBlockWritesAway) {
  for (const DldArcMode mode : {DldArcMode::ArcBounded, DldArcMode::Repaired}) {
    DldArc cache(64, 32, mode);
    std::map<std::size_t, int> writes;  // by the number of pages written together
    std::size_t most = 0;
    for (Page page = 0; page < 1000; ++page) {
      const Step step = cache.reference(page, true);
      if (!step.left.empty()) ++writes[step.left.size()];
      most = std::max(most, cache.seen_once());
    }
    if (mode == DldArcMode::ArcBounded) {
      EXPECT_EQ(writes, (std::map<std::size_t, int>{{1, 936}}));
      EXPECT_EQ(most, 64U);
    } else {
      EXPECT_EQ(writes, (std::map<std::size_t, int>{{32, 28}}));  // (1000 - 128) / 32, rounded up
      EXPECT_EQ(most, 128U);
    }
  }
}

// The paper's accounting hides that dirty ghosts hold data: up to S + |D1| + |D2| pages in all.
TEST(DldArcTraps, DirtyGhostsHoldMemory) {
  DldArc cache(8, 4, DldArcMode::Repaired);
  for (Page page = 0; page < 16; ++page) cache.reference(page, true);
  EXPECT_EQ(cache.real(), 8U);
  EXPECT_EQ(cache.resident(), 16U);
}

}  // namespace
}  // namespace flashloom::reference
