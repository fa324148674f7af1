#include "sc_main/program/sample/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace flashloom::calibration_test {
namespace {

using Sums = Calibration::Sums;

// Windows of 100 requests in strata of 1000.
std::vector<Calibration::Window> windows(const std::vector<double>& work) {
  std::vector<Calibration::Window> list;
  for (const double each : work) list.push_back({{100, each}, 1000});
  return list;
}

TEST(Calibration, WithoutWorkEachStandsForItsStratum) {
  const Calibration calibration(windows({0, 0, 0, 0}), {4000, 0}, 0.95);
  EXPECT_FALSE(calibration.calibrated());
  for (const double weight : calibration.weights()) EXPECT_DOUBLE_EQ(weight, 10);
  const Interval interval = calibration.ratio({{10, 100}, {12, 100}, {14, 100}, {12, 100}}, {6, 200});
  // (10 (10 + 12 + 14 + 12) + 6) / (10 x 400 + 200)
  EXPECT_DOUBLE_EQ(interval.estimate, 486.0 / 4200);
  EXPECT_LT(interval.low, interval.estimate);
}

// By hand: residuals of 1, -1, 1, -1 around 12, each with the weight 10. Each residual is a quarter of what their mean
// goes by, so they are 4/3 without it; the variance is half the sum of three squared differences of 8/3; a tenth of
// each stratum was seen; Student's t has 2 degrees of freedom.
TEST(Calibration, ErrorByHand) {
  const Calibration calibration(windows({0, 0, 0, 0}), {4000, 0}, 0.95);
  const Interval interval = calibration.ratio({{13, 100}, {11, 100}, {13, 100}, {11, 100}}, {});
  EXPECT_DOUBLE_EQ(interval.estimate, 0.12);
  EXPECT_NEAR(interval.high - 0.12, 4.302653 * 10 * std::sqrt(32.0 / 3 * 0.9) / 4000, 1e-8);
}

// One window of twelve holds all of the excess: residuals of -1 and one of 11 make two differences of 12, and each
// square counts with half of the squares' sum. That is as well known as from two thirds of six windows: Student's t of
// 4 degrees of freedom in place of 7.33.
TEST(Calibration, ErrorOfWhichOneWindowHasMost) {
  std::vector<Sums> sums(12, {10, 100});
  sums[5].numerator = 22;
  const Calibration calibration(windows(std::vector<double>(12, 0.0)), {12'000, 0}, 0.95);
  const Interval interval = calibration.ratio(sums, {});
  EXPECT_DOUBLE_EQ(interval.estimate, 0.11);
  EXPECT_NEAR(interval.high - 0.11, 2.776445 * 10 * std::sqrt(144 * 144.0 / 121 * 0.9) / 12'000, 1e-8);
}

TEST(Calibration, WeightsReproduceRequestsAndWork) {
  const std::vector<double> work{40, 60, 50, 55, 45, 70, 30, 52, 48, 50};
  const Calibration calibration(windows(work), {10'000, 5200}, 0.95);
  ASSERT_TRUE(calibration.calibrated());
  double requests = 0;
  double done = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    requests += calibration.weights()[i] * 100;
    done += calibration.weights()[i] * work[i];
  }
  EXPECT_NEAR(requests, 10'000, 1e-6);
  EXPECT_NEAR(done, 5200, 1e-6);
}

TEST(Calibration, WhatWorkExplainsIsNoError) {
  const std::vector<double> work{40, 60, 50, 55, 45, 70, 30, 52, 48, 50};
  const Calibration calibration(windows(work), {10'000, 5200}, 0.95);
  std::vector<Sums> times;
  for (const double each : work) times.push_back({3 + 2 * each, 100});  // 0.03 a request, 2 a unit of work
  const Interval interval = calibration.ratio(times, {});
  EXPECT_NEAR(interval.estimate, 0.03 + 2 * 0.52, 1e-9);
  EXPECT_NEAR(interval.high, interval.low, 1e-9);
}

// Reads, their bytes and a clock explain what requests and work do not; a quantity that adds nothing new changes
// nothing.
TEST(Calibration, WeightsReproduceAllThatIsKnown) {
  std::vector<Calibration::Window> list;
  for (int i = 0; i < 20; ++i)
    list.push_back({{.requests = 100,
                     .work = 40.0 + i % 7,
                     .read = 1000.0 * (i % 3),
                     .clock = 1 + 0.1 * (i % 5),
                     .reads = 20.0 + i % 4},
                    1000});
  const KnownWork run{.requests = 20'000, .work = 8600, .read = 210'000, .clock = 245, .reads = 4320};
  const Calibration calibration(list, run, 0.95);
  KnownWork sum;
  for (std::size_t i = 0; i < list.size(); ++i)
    for (const auto of : KnownWork::kAll) sum.*of += calibration.weights()[i] * list[i].known.*of;
  for (const auto of : KnownWork::kAll) EXPECT_NEAR(sum.*of, run.*of, 1e-6 * run.*of);
  for (auto& window : list) window.known.read = 10 * window.known.work;
  KnownWork without = run;
  without.read = 10 * without.work;
  const Calibration again(list, without, 0.95);
  for (auto& window : list) window.known.read = 0;
  without.read = 0;
  EXPECT_NEAR(again.weights()[3], Calibration(list, without, 0.95).weights()[3], 1e-6);
}

// The windows have far less work than the run, so that few would have to stand for many: weights go by requests alone.
TEST(Calibration, WeightsThatWouldChangeTooMuchStay) {
  const std::vector<double> work{40, 60, 50, 55, 45, 70, 30, 52, 48, 50};
  const Calibration calibration(windows(work), {10'000, 6900}, 0.95);
  EXPECT_FALSE(calibration.calibrated());
  for (const double weight : calibration.weights()) EXPECT_DOUBLE_EQ(weight, 10);
}

// The run's own work is uncertain, too: 30 around the known 520. A figure that follows work, 2 a unit, has the same
// chance in it; a figure that does not follow work has none. Student's t of 2/3 (10 - 2) degrees of freedom is 2.5230.
TEST(Calibration, WhatIsKnownOfTheRunWithinChance) {
  const std::vector<double> work{40, 60, 50, 55, 45, 70, 30, 52, 48, 50};
  const Calibration calibration(windows(work), {10'000, 5200}, 0.95, {.work = 30});
  std::vector<Sums> times;
  std::vector<Sums> requests;
  for (const double each : work) {
    times.push_back({3 + 2 * each, 100});
    requests.push_back({300, 100});
  }
  const Interval interval = calibration.ratio(times, {});
  EXPECT_NEAR(interval.estimate, 0.03 + 2 * 0.52, 1e-9);
  EXPECT_NEAR(interval.high - interval.estimate, 2.5230 * 2 * 30 / 10'000, 2e-6);
  EXPECT_NEAR(calibration.ratio(requests, {}).high, 3, 1e-9);
  EXPECT_NEAR(calibration.missing_work(), 0, 1e-9);
}

// All windows are alike, and each has 2 % less work than the run: no weights can correct that, and missing_work() tells
// it.
TEST(Calibration, WorkThatWindowsLackIsMissing) {
  const Calibration calibration(windows(std::vector<double>(10, 49)), {10'000, 5000}, 0.95);
  EXPECT_FALSE(calibration.calibrated());
  EXPECT_NEAR(calibration.missing_work(), 0.02, 1e-12);
}

TEST(Calibration, TooFewWindowsBoundNothing) {
  EXPECT_FALSE(Calibration(windows({0, 0}), {2000, 0}, 0.95).ratio({{1, 100}, {2, 100}}, {}).bounded);
}

TEST(Calibration, WhatWasSeenWholeHasNoError) {
  std::vector<Calibration::Window> whole;
  for (int i = 0; i < 5; ++i) whole.push_back({{100, 0}, 100});
  const Interval interval =
      Calibration(whole, {500, 0}, 0.95).ratio({{1, 100}, {2, 100}, {3, 100}, {4, 100}, {5, 100}}, {});
  EXPECT_DOUBLE_EQ(interval.estimate, 0.03);
  EXPECT_NEAR(interval.high, interval.low, 1e-12);
}

// 1000 runs of 30 windows with random sums: as many of their intervals hold the true mean as they claim. The count is
// binomial (1000, 0.95): 929 to 971 are three standard deviations.
TEST(Calibration, IntervalsCoverAsOftenAsTheySay) {
  std::mt19937_64 random(1);
  std::gamma_distribution<double> skewed(4, 25);
  std::normal_distribution<double> noise(0, 5);
  int means = 0;
  int medians = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<Sums> sums;
    std::vector<LatencyHistogram> latencies(30);
    std::vector<double> none(30, 0.0);
    for (int i = 0; i < 30; ++i) {
      sums.push_back({skewed(random), 100});
      const double level = 1e6 + 1e4 * noise(random);  // of a window
      for (int request = 0; request < 100; ++request)
        latencies[static_cast<std::size_t>(i)].add(static_cast<std::uint64_t>(level + 1e5 * noise(random) / 5));
    }
    std::vector<Calibration::Window> shares;
    for (int i = 0; i < 30; ++i) shares.push_back({{100, 0}, 1e6});  // almost nothing of the strata was seen
    const Calibration calibration(shares, {30e6, 0}, 0.95);
    const Interval mean = calibration.ratio(sums, {});
    if (mean.low <= 1 && 1 <= mean.high) ++means;
    const Interval median = calibration.percentiles(latencies, {}, {0.5}).front();
    if (median.low <= 1e6 && 1e6 <= median.high) ++medians;
  }
  EXPECT_GE(means, 929);
  EXPECT_LE(means, 971);
  EXPECT_GE(medians, 929);  // buckets widen the intervals
}

// Runs of 16 strata of 200 stretches, with a window in each. Weights go by three quantities that vary between
// stretches, one of them rarely by much, and the result scatters with that one. With normal errors 95 intervals in a
// hundred would hold the sum; with residuals as small as weights leave them 86 do.
TEST(Calibration, IntervalsKnowThatWeightsFollowFewWindows) {
  std::mt19937_64 random(1);
  std::gamma_distribution<double> work(4, 10);
  std::lognormal_distribution<double> read(0, 0.7);
  std::normal_distribution<double> noise(0, 1);
  constexpr int kStretches = 200;
  int held = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<Calibration::Window> list;
    std::vector<Sums> sums;
    KnownWork all;
    double sum = 0;
    for (int stretch = 0; stretch < 16 * kStretches; ++stretch) {
      const KnownWork known{.requests = 100, .work = work(random), .read = 100 * read(random)};
      const double time = 10 + 0.5 * known.work + known.read * (0.1 + 0.05 * noise(random)) + noise(random);
      for (const auto of : KnownWork::kAll) all.*of += known.*of;
      sum += time;
      if (stretch % kStretches != kStretches / 2) continue;
      list.push_back({known, 100.0 * kStretches});
      sums.push_back({time, 100});
    }
    const Interval interval = Calibration(list, all, 0.95).ratio(sums, {});
    if (interval.low <= sum / all.requests && sum / all.requests <= interval.high) ++held;
  }
  EXPECT_GE(held, 890);
  EXPECT_LE(held, 971);
}

// Runs of 20 windows of 50 latencies, ten of which lie above p99. From the variance of so few the interval would be too
// narrow at its upper end whenever by chance even fewer lie there.
TEST(Calibration, IntervalsOfATail) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> latency(1e-6);
  const double p99 = -std::log(0.01) * 1e6;
  int held = 0, bounded = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<LatencyHistogram> windows(20);
    for (LatencyHistogram& window : windows)
      for (int request = 0; request < 50; ++request) window.add(static_cast<std::uint64_t>(latency(random)));
    const Calibration calibration(std::vector<Calibration::Window>(20, {{.requests = 50}, 1e6}), {.requests = 20e6},
                                  0.95);
    const Interval interval = calibration.percentiles(windows, {}, {0.5, 0.9, 0.95, 0.99}).back();
    if (!interval.bounded) continue;
    ++bounded;
    if (interval.low <= p99 && p99 <= interval.high) ++held;
  }
  EXPECT_GE(bounded, 900);
  EXPECT_GE(held, 0.95 * bounded);
}

TEST(Calibration, ATailOfWhichNothingWasSeenIsNotBounded) {
  std::vector<LatencyHistogram> latencies(10);
  for (std::size_t i = 0; i < 10; ++i)
    for (std::uint64_t request = 0; request < 100; ++request) latencies[i].add(1000 + request * 10 + i);
  const Calibration calibration(windows(std::vector<double>(10, 0.0)), {10'000, 0}, 0.95);
  EXPECT_TRUE(calibration.percentiles(latencies, {}, {0.9}).front().bounded);
  // one request in a thousand lies above
  EXPECT_FALSE(calibration.percentiles(latencies, {}, {0.999}).front().bounded);
}

// In the first case one request in ten of every window is slow; in the second all of one window and one in 200 of the
// others, 5.5 % in all. The one window does not say how many such stretches there are where no window was.
TEST(Calibration, ATailThatOneWindowHasSeenIsNotBounded) {
  std::vector<LatencyHistogram> everywhere(20), in_one(20);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::uint64_t request = 0; request < 1000; ++request) {
      everywhere[i].add(request % 10 == 0 ? 100'000 + i * 1000 + request : 1000);
      in_one[i].add(i == 7 || request % 200 == 0 ? 100'000 + request : 1000);
    }
  const Calibration calibration(windows(std::vector<double>(20, 0.0)), {20'000, 0}, 0.95);
  EXPECT_TRUE(calibration.percentiles(everywhere, {}, {0.95}).front().bounded);
  EXPECT_FALSE(calibration.percentiles(in_one, {}, {0.95}).front().bounded);
}

// Half of the windows see a phase in which everything takes twice as long: the interval is as wide as that is
// uncertain, ten times as wide as without the phase.
TEST(Calibration, PhasesWidenTheInterval) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.01);
  const auto width = [&](double slow) {
    std::vector<Sums> sums;
    for (int i = 0; i < 40; ++i) sums.push_back({100 * noise(random) * (random() % 2 == 0 ? slow : 1), 100});
    const Interval interval = Calibration(windows(std::vector<double>(40, 0.0)), {40'000, 0}, 0.95).ratio(sums, {});
    return (interval.high - interval.low) / interval.estimate;
  };
  EXPECT_GT(width(2), 10 * width(1));
}

}  // namespace
}  // namespace flashloom::calibration_test
