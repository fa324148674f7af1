#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/workloads/generators/generator_support.hpp"

namespace flashloom::mix_test {
namespace {

constexpr std::int64_t kMany = 200'000;

TEST(Mix, KindsAndSizesHaveTheirShares) {
  const auto all = requests_of(generate(
      "mix",
      {{"read", 0.5}, {"trim", 0.1}, {"size", WeightedSizes{{4096, 6}, {16384, 3}, {65536, 1}}}, {"requests", kMany}}));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kMany));
  std::vector<double> kinds(3);
  std::vector<double> sizes(3);
  for (const Request& request : all) {
    ++kinds[static_cast<std::size_t>(request.kind)];
    ++sizes[request.length == 4096 ? 0 : request.length == 16384 ? 1 : 2];
    EXPECT_EQ(request.offset % 4096, 0);
  }
  EXPECT_LT(std::abs(chi_square_z(kinds, {0.5, 0.4, 0.1})), 4);
  EXPECT_LT(std::abs(chi_square_z(sizes, {0.6, 0.3, 0.1})), 4);
}

TEST(Mix, WriteZeroesHaveTheirShare) {
  std::vector<double> kinds(5);
  for (const Request& request :
       requests_of(generate("mix", {{"read", 0.4}, {"trim", 0.1}, {"zeroes", 0.2}, {"requests", kMany}})))
    ++kinds[static_cast<std::size_t>(request.kind)];
  EXPECT_EQ(kinds[static_cast<std::size_t>(RequestKind::Flush)], 0);
  kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(RequestKind::Flush));
  EXPECT_LT(std::abs(chi_square_z(kinds, {0.4, 0.3, 0.1, 0.2})), 4);
  EXPECT_THROW(generate("mix", {{"read", 0.7}, {"trim", 0.2}, {"zeroes", 0.2}}), GeneratorError);
}

// In each stretch of reads next() leaves out those that were passed over, and nothing else.
TEST(Mix, WhatComesBehindReadsThatWerePassedOverIsTheSame) {
  const std::vector<Values> mixes = {{{"read", 1.0}, {"distribution", std::string("zipf")}},
                                     {{"read", 1.0}, {"distribution", std::string("hot_cold")}, {"random", 0.5}},
                                     {{"read", 0.9},
                                      {"random", 0.3},
                                      {"size", WeightedSizes{{4096, 2}, {12288, 1}}},
                                      {"flush_every", std::int64_t{3}}},
                                     {{"read", 0.7}, {"trim", 0.1}, {"random", 0.0}, {"fua", 0.5}}};
  for (Values values : mixes) {
    values["requests"] = std::int64_t{4000};
    const std::vector<Request> all = requests_of(generate("mix", values, 16 * kMiB));
    const GeneratedWorkload passed = generate("mix", values, 16 * kMiB);
    std::uint64_t at = 0;
    Request request;
    for (std::uint64_t most = 1;; most = most * 3 % 101) {
      std::uint64_t bytes = 0;
      std::uint64_t expected = 0;
      const std::uint64_t reads = passed.source->pass_reads(most, bytes);
      ASSERT_LE(reads, most);
      for (const std::uint64_t end = at + reads; at < end; ++at) {
        ASSERT_EQ(all[at].kind, RequestKind::Read);
        expected += all[at].length;
      }
      EXPECT_EQ(bytes, expected);
      if (reads < most && at < all.size()) {
        EXPECT_NE(all[at].kind, RequestKind::Read);
      }
      if (!passed.source->next(request)) break;
      ASSERT_LT(at, all.size());
      EXPECT_EQ(request.kind, all[at].kind);
      EXPECT_EQ(request.offset, all[at].offset);
      EXPECT_EQ(request.length, all[at].length);
      EXPECT_EQ(request.fua, all[at].fua);
      ++at;
    }
    EXPECT_EQ(at, all.size());
  }
}

// Each read of an open loop has its arrival time, so none can be passed over.
TEST(Mix, ReadsOfAnOpenLoopAreNotPassedOver) {
  std::uint64_t bytes = 0;
  EXPECT_EQ(generate("mix", {{"read", 1.0}, {"rate", 1000.0}, {"requests", kMany}}).source->pass_reads(5, bytes), 0);
}

TEST(Mix, UniformPlaces) {
  std::vector<double> counts(256);
  for (const Request& request : requests_of(generate("mix", {{"requests", kMany}}, kMiB)))
    ++counts[request.offset / 4096];
  EXPECT_LT(std::abs(chi_square_z(counts, std::vector<double>(256, 1.0 / 256))), 4);
}

TEST(Mix, ZipfPlacesWithAndWithoutScatter) {
  std::vector<double> probabilities;
  double sum = 0;
  for (int k = 1; k <= 256; ++k) sum += std::pow(k, -1.1);
  for (int k = 1; k <= 256; ++k) probabilities.push_back(std::pow(k, -1.1) / sum);
  for (const bool scatter : {false, true}) {
    std::vector<double> counts(256);
    const Values values = {
        {"distribution", std::string("zipf")}, {"theta", 1.1}, {"scatter", scatter}, {"requests", kMany}};
    for (const Request& request : requests_of(generate("mix", values, kMiB))) ++counts[request.offset / 4096];
    EXPECT_EQ(std::is_sorted(counts.begin(), counts.begin() + 8, std::greater<>()), !scatter);
    // Scattered places have the same popularities in another order. Sorting biases the tail, so only the head is
    // compared.
    std::sort(counts.begin(), counts.end(), std::greater<>());
    for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(counts[i] / kMany, probabilities[i], 0.05 * probabilities[i]);
  }
}

TEST(Mix, HotPlacesTakeTheirShare) {
  const Values values = {{"distribution", std::string("hot_cold")},
                         {"hot_space", 0.25},
                         {"hot_access", 0.9},
                         {"scatter", false},
                         {"requests", kMany}};
  std::vector<double> counts(256);
  for (const Request& request : requests_of(generate("mix", values, kMiB))) ++counts[request.offset / 4096];
  std::vector<double> probabilities(256, 0.1 / 192);
  std::fill(probabilities.begin(), probabilities.begin() + 64, 0.9 / 64);
  EXPECT_LT(std::abs(chi_square_z(counts, probabilities)), 4);
}

TEST(Mix, SequentialRequestsGoOnWhereTheLastOneEnded) {
  const auto all = requests_of(
      generate("mix", {{"random", 0.0}, {"size", WeightedSizes{{4096, 1}, {12288, 1}}}, {"requests", kMany}}, kMiB));
  std::uint64_t end = 0;
  for (const Request& request : all) {
    EXPECT_EQ(request.offset, end + request.length > kMiB ? 0 : end);
    end = request.offset + request.length;
  }
}

TEST(Mix, RunsAreGeometric) {
  const auto all = requests_of(generate("mix", {{"random", 0.25}, {"requests", kMany}}, 1024 * kMiB));
  std::vector<double> lengths(8);  // the last bin: 8 and more
  std::size_t run = 1;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].offset == all[i - 1].offset + 4096) {
      ++run;
    } else {
      ++lengths[std::min<std::size_t>(run, 8) - 1];
      run = 1;
    }
  }
  std::vector<double> probabilities;
  for (int i = 0; i < 7; ++i) probabilities.push_back(0.25 * std::pow(0.75, i));
  probabilities.push_back(std::pow(0.75, 7));
  EXPECT_LT(std::abs(chi_square_z(lengths, probabilities)), 4);
}

TEST(Mix, FlushesFollowWrites) {
  const auto all = requests_of(
      generate("mix", {{"read", 0.5}, {"flush_every", std::int64_t{3}}, {"fua", 1.0}, {"requests", kMany}}));
  int writes = 0;
  for (const Request& request : all) {
    if (request.kind == RequestKind::Flush) {
      EXPECT_EQ(writes, 3);
      writes = 0;
    }
    if (request.kind == RequestKind::Write) ++writes;
    EXPECT_EQ(request.fua, request.kind == RequestKind::Write);
    EXPECT_LE(writes, 3);
  }
}

TEST(Mix, ARateMakesAnOpenLoop) {
  EXPECT_FALSE(generate("mix", {}).timed);
  GeneratedWorkload workload = generate("mix", {{"rate", 10'000.0}, {"requests", kMany}});
  EXPECT_TRUE(workload.timed);
  std::vector<double> gaps;
  std::uint64_t last = 0;
  for (const Request& request : requests_of(std::move(workload))) {
    gaps.push_back(static_cast<double>(request.arrival_ps - last));
    last = request.arrival_ps;
  }
  EXPECT_LT(kolmogorov(gaps, [](double x) { return 1 - std::exp(-x / 1e8); }), kKolmogorovLimit);
}

TEST(Bursts, FixedPeriodsAndGapsByHand) {
  // 3 ms ON, 7 ms OFF, one request a millisecond: each ON period has three, at its begin and each millisecond after.
  const auto all = requests_of(generate("bursts", {{"on", std::int64_t{3'000'000'000}},
                                                   {"off", std::int64_t{7'000'000'000}},
                                                   {"rate", 1000.0},
                                                   {"arrivals", std::string("fixed")},
                                                   {"requests", std::int64_t{7}}}));
  std::vector<std::uint64_t> ms;
  for (const Request& request : all) {
    EXPECT_EQ(request.arrival_ps % 1'000'000'000, 0);
    ms.push_back(request.arrival_ps / 1'000'000'000);
  }
  EXPECT_EQ(ms, (std::vector<std::uint64_t>{0, 1, 2, 10, 11, 12, 20}));
}

TEST(Bursts, NothingArrivesInOff) {
  const auto all = requests_of(generate("bursts", {{"requests", kMany}}));  // 10 ms ON, 90 ms OFF, 50,000 a second
  std::vector<double> phases;
  for (const Request& request : all) {
    phases.push_back(static_cast<double>(request.arrival_ps % 100'000'000'000));
    ASSERT_LT(phases.back(), 1e10);
  }
  EXPECT_LT(kolmogorov(phases, [](double x) { return x / 1e10; }), kKolmogorovLimit);
  EXPECT_NEAR(static_cast<double>(all.back().arrival_ps) * 1e-12, kMany / 50'000.0 * 10, 0.5);
}

TEST(Bursts, RandomPeriodsKeepTheMeanRate) {
  for (const char* const law : {"exponential", "pareto"}) {
    const auto all = requests_of(generate("bursts", {{"on", std::int64_t{1'000'000'000}},
                                                     {"off", std::int64_t{9'000'000'000}},
                                                     {"on_distribution", std::string(law)},
                                                     {"off_distribution", std::string(law)},
                                                     {"shape", 2.5},
                                                     {"requests", std::int64_t{1'000'000}}}));
    const double rate = 1e6 / (static_cast<double>(all.back().arrival_ps) * 1e-12);
    EXPECT_NEAR(rate, 5000, 200) << law;
  }
}

}  // namespace
}  // namespace flashloom::mix_test
