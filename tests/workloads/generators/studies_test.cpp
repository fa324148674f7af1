// Generators that stand for workloads of the studies, against the statistics that the studies give.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/workloads/generators/generator_support.hpp"

namespace flashloom::studies_test {
namespace {

struct SmallShares {
  double requests = 0;
  double volume = 0;
  double mean = 0;
};

SmallShares small_shares(const std::vector<Request>& all, std::uint64_t limit) {
  SmallShares shares;
  double bytes_in_all = 0;
  for (const Request& request : all) {
    EXPECT_EQ(request.kind, RequestKind::Write);
    bytes_in_all += static_cast<double>(request.length);
    if (request.length > limit) continue;
    ++shares.requests;
    shares.volume += static_cast<double>(request.length);
  }
  const auto n = static_cast<double>(all.size());
  return {shares.requests / n, shares.volume / bytes_in_all, bytes_in_all / n};
}

TEST(SmallWrites, TheStudys4KiBTrace) {
  const auto all = requests_of(generate("small_writes", {}));
  EXPECT_EQ(all.size(), 381'904);
  const SmallShares shares = small_shares(all, 4096);
  EXPECT_NEAR(shares.requests, 0.6, 0.003);
  EXPECT_NEAR(shares.volume, 0.2, 0.003);
  // 60 % of the requests, at 4 KiB, are 20 % of the volume: 12 KiB on average
  EXPECT_NEAR(shares.mean, 12 * 1024, 100);
}

TEST(SmallWrites, TheStudys1KiBTrace) {
  const auto all = requests_of(generate("small_writes", {{"block", bytes(1024)}, {"small_volume", 0.05}}), 500'000);
  const SmallShares shares = small_shares(all, 4096);
  EXPECT_NEAR(shares.requests, 0.6, 0.003);
  EXPECT_NEAR(shares.volume, 0.05, 0.001);
  EXPECT_NEAR(shares.mean, 30 * 1024, 200);  // 60 % of the requests, at 2.5 KiB, are 5 % of the volume
}

std::map<std::uint64_t, int> small_places(const Values& values, std::uint64_t capacity = 64 * kMiB) {
  std::map<std::uint64_t, int> places;
  for (const Request& request : requests_of(generate("small_writes", values, capacity), 20'000))
    if (request.length == 4096) ++places[request.offset / 4096];
  return places;
}

TEST(SmallWrites, AClusterOfOneBlockIsTheDefault) {
  EXPECT_EQ(small_places({}), small_places({{"cluster", bytes(4096)}}));
  EXPECT_NE(small_places({}), small_places({{"cluster", bytes(8192)}}));
}

TEST(SmallWrites, ClustersHoldNeighboursInPopularityAndChangeNoCount) {
  const auto alone = small_places({});
  const auto clustered = small_places({{"cluster", bytes(16 * kKiB)}});
  std::vector<int> counts[2];
  for (const auto& [place, count] : alone) counts[0].push_back(count);
  for (const auto& [place, count] : clustered) counts[1].push_back(count);
  for (auto& each : counts) std::sort(each.begin(), each.end(), std::greater<>());
  EXPECT_EQ(counts[0], counts[1]);
  // The four most popular blocks form one cluster, the most popular one first.
  const auto top = std::max_element(clustered.begin(), clustered.end(),
                                    [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_EQ(top->first % 4, 0);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(clustered.at(top->first + i), counts[1][5]);
}

// 2 MiB and 12 KiB are 515 blocks: the last three fill no cluster, and are written, too.
TEST(SmallWrites, AnIncompleteClusterIsThereToo) {
  const auto places = small_places({{"cluster", bytes(16 * kKiB)}, {"theta", 0.0}}, 2 * kMiB + 12 * kKiB);
  EXPECT_EQ(places.size(), 515);
  EXPECT_EQ(places.rbegin()->first, 514);
}

TEST(SmallWrites, AClusterIsAMultipleOfTheBlockAndFitsTheRegion) {
  EXPECT_THROW(generate("small_writes", {{"cluster", bytes(6 * kKiB)}}), GeneratorError);
  EXPECT_THROW(generate("small_writes", {{"cluster", bytes(4 * kMiB)}}, 2 * kMiB), GeneratorError);
}

TEST(Correlated, SetsAreVisitedWholeAndInOrder) {
  for (const char* const layout : {"contiguous", "scattered"}) {
    const auto all = requests_of(generate("correlated",
                                          {{"layout", std::string(layout)},
                                           {"correlated", 1.0},
                                           {"streams", std::int64_t{1}},
                                           {"requests", std::int64_t{80'000}}},
                                          16 * kMiB));
    // 128 sets of 8 requests of 16 KiB. A set has the same order of requests at every visit.
    std::map<std::uint64_t, std::vector<std::uint64_t>> sets;
    int contiguous = 0;
    int reads = 0;
    for (std::size_t i = 0; i < all.size(); i += 8) {
      std::vector<std::uint64_t> places;
      for (std::size_t j = i; j < i + 8; ++j) {
        places.push_back(all[j].offset);
        EXPECT_EQ(all[j].kind, all[i].kind);
      }
      reads += all[i].kind == RequestKind::Read ? 1 : 0;
      if (places[1] == places[0] + 16 * kKiB) ++contiguous;
      EXPECT_EQ(sets.try_emplace(places[0], places).first->second, places);
    }
    EXPECT_EQ(sets.size(), 128);
    EXPECT_EQ(contiguous == 10'000, std::string(layout) == "contiguous");
    EXPECT_NEAR(reads, 3000, 200);
  }
}

TEST(Correlated, StreamsTakeTurnsAndSinglesComeBetween) {
  const auto all = requests_of(generate(
      "correlated", {{"correlated", 1.0}, {"read", 0.0}, {"streams", std::int64_t{3}}, {"requests", std::int64_t{24}}},
      512 * kMiB));
  for (std::size_t i = 3; i < all.size(); ++i) EXPECT_EQ(all[i].offset, all[i - 3].offset + 16 * kKiB);
  std::size_t in_sequence = 0;
  const auto mixed = requests_of(
      generate("correlated", {{"correlated", 0.5}, {"streams", std::int64_t{1}}, {"requests", std::int64_t{20'000}}},
               512 * kMiB));
  for (std::size_t i = 1; i < mixed.size(); ++i)
    if (mixed[i].offset == mixed[i - 1].offset + 16 * kKiB) ++in_sequence;
  EXPECT_NEAR(static_cast<double>(in_sequence), 20'000 * 0.25 * 7 / 8, 300);
}

TEST(Objects, TheStudysExperiment) {
  const auto all = requests_of(generate("objects", {}));
  constexpr std::size_t kPieces = 16;  // 2 MiB in requests of 128 KiB
  ASSERT_EQ(all.size(), 900 * kPieces);
  std::map<std::uint64_t, int> accesses;
  for (std::size_t i = 0; i < all.size(); i += kPieces) {
    const std::uint64_t object = all[i].offset / (2 * kMiB);
    for (std::size_t j = 0; j < kPieces; ++j) {
      EXPECT_EQ(all[i + j].offset, object * 2 * kMiB + j * 128 * kKiB);
      EXPECT_EQ(all[i + j].kind, RequestKind::Write);
    }
    if (i < 400 * kPieces)
      EXPECT_EQ(object, i / kPieces);
    else
      ++accesses[object];
  }
  // 400 of 500 accesses go to 80 hot objects, 5 to each on average; 100 go to 320 cold ones, 0.3 to each.
  std::vector<int> counts;
  for (const auto& [object, count] : accesses) counts.push_back(count);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  int hottest = 0;
  for (std::size_t i = 0; i < 80; ++i) hottest += counts[i];
  EXPECT_NEAR(hottest, 400, 12);
}

TEST(Objects, HotShareOfTheAccessesIsExact) {
  // One hot object of ten: its accesses can be counted.
  std::map<std::uint64_t, int> accesses;
  for (const Request& request : requests_of(generate("objects", {{"objects", std::int64_t{10}},
                                                                 {"hot", 0.1},
                                                                 {"create", false},
                                                                 {"read", 0.5},
                                                                 {"object", WeightedSizes{{128 * kKiB, 1.0}}}})))
    ++accesses[request.offset];
  int most = 0;
  for (const auto& [object, count] : accesses) most = std::max(most, count);
  EXPECT_EQ(most, 400);
}

TEST(Desktop, DaysSessionsAndTheShareOfWrites) {
  constexpr std::uint64_t kDay = 86'400'000'000'000'000;
  const auto all = requests_of(generate("desktop", {}));
  double written = 0;
  double total = 0;
  std::uint64_t longest_idle = 0;
  std::set<std::uint64_t> days;
  std::vector<double> sizes(3);
  for (std::size_t i = 0; i < all.size(); ++i) {
    total += static_cast<double>(all[i].length);
    if (all[i].kind == RequestKind::Write) written += static_cast<double>(all[i].length);
    days.insert(all[i].arrival_ps / kDay);
    ++sizes[all[i].length == 4096 ? 0 : all[i].length == 16384 ? 1 : 2];
    if (i > 0) longest_idle = std::max(longest_idle, all[i].arrival_ps - all[i - 1].arrival_ps);
  }
  EXPECT_EQ(days.size(), 10);
  EXPECT_NEAR(written / total, 0.3, 0.02);
  EXPECT_NEAR(sizes[0] / static_cast<double>(all.size()), 0.5, 0.03);
  EXPECT_GT(longest_idle, kDay / 24);
}

TEST(Desktop, TheWorkingSetDrifts) {
  // Files of 1 MiB, 64 in use, a quarter replaced a day, no cold ones: after four days none of the first is left.
  const auto all = requests_of(generate("desktop", {{"working_set", bytes(64 * kMiB)},
                                                    {"drift", 0.25},
                                                    {"cold", 0.0},
                                                    {"theta", 0.0},
                                                    {"session", std::int64_t{20'000'000'000'000'000}},
                                                    {"days", std::int64_t{6}}}));
  std::map<std::uint64_t, std::set<std::uint64_t>> files;
  for (const Request& request : all) files[request.arrival_ps / 86'400'000'000'000'000].insert(request.offset / kMiB);
  const auto common = [&](std::uint64_t a, std::uint64_t b) {
    std::size_t n = 0;
    for (const std::uint64_t file : files[a]) n += files[b].count(file);
    return n;
  };
  for (std::uint64_t day = 0; day < 6; ++day) EXPECT_EQ(files[day].size(), 64) << day;
  EXPECT_EQ(common(0, 1), 48);
  EXPECT_EQ(common(0, 2), 32);
  EXPECT_EQ(common(1, 4), 16);
  EXPECT_EQ(common(0, 4), 0);
  EXPECT_EQ(common(1, 5), 0);
}

// A day generated alone equals that day among others, whichever day is the first.
TEST(Desktop, DaysByThemselves) {
  constexpr std::uint64_t kDay = 86'400'000'000'000'000;
  const auto days = [](std::int64_t first, std::int64_t count) {
    return requests_of(generate("desktop", {{"first_day", first}, {"days", count}, {"drift", 0.3}}));
  };
  const auto all = days(0, 4);
  std::vector<Request> joined;
  for (std::int64_t day = 0; day < 4; ++day)
    for (Request request : days(day, 1)) {
      EXPECT_LT(request.arrival_ps, kDay);
      request.arrival_ps += static_cast<std::uint64_t>(day) * kDay;
      joined.push_back(request);
    }
  const auto same = [](const Request& a, const Request& b) {
    return a.offset == b.offset && a.length == b.length && a.kind == b.kind && a.arrival_ps == b.arrival_ps;
  };
  ASSERT_EQ(joined.size(), all.size());
  EXPECT_TRUE(std::equal(all.begin(), all.end(), joined.begin(), same));
  EXPECT_GT(all.size(), 4000U);
  const auto last_two = days(2, 2);
  EXPECT_EQ(last_two.back().offset, all.back().offset);
  EXPECT_EQ(last_two.back().arrival_ps + 2 * kDay, all.back().arrival_ps);
}

}  // namespace
}  // namespace flashloom::studies_test
