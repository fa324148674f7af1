#include "controllers/host/job_mix.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace flashloom::job_mix_test {
namespace {

// Gives `requests` requests, reads and writes in turn, at offsets 0, 1, 2, ...
class Turns final : public RequestSource {
 public:
  explicit Turns(std::uint64_t requests) : requests_(requests) {}
  bool next(Request& request) override {
    if (at_ == requests_) return false;
    request = {.offset = at_, .length = 1, .kind = at_ % 2 == 0 ? RequestKind::Read : RequestKind::Write};
    ++at_;
    return true;
  }

 private:
  std::uint64_t requests_;
  std::uint64_t at_ = 0;
};

std::vector<HostJob> jobs(std::initializer_list<std::uint64_t> lengths) {
  std::vector<HostJob> list;
  for (const std::uint64_t length : lengths) {
    HostJob& job = list.emplace_back();
    job.source = std::make_unique<Turns>(length);
    job.offset = list.size() * 1000;
  }
  return list;
}

std::vector<std::uint64_t> take(JobMix& mix, std::uint64_t requests) {
  mix.allow(requests);
  std::vector<std::uint64_t> offsets;
  for (Request request; mix.next(request);) offsets.push_back(request.offset);
  return offsets;
}

TEST(JobMix, OneJobAtItsPlaceOnTheDevice) {
  auto one = jobs({3});
  JobMix mix(one);
  EXPECT_EQ(take(mix, 2), (std::vector<std::uint64_t>{1000, 1001}));
  EXPECT_EQ(take(mix, 2), (std::vector<std::uint64_t>{1002}));
  EXPECT_EQ(mix.taken(), 3);
  EXPECT_EQ(mix.reads(), 2);
  EXPECT_EQ(mix.bytes_read(), 2);
  EXPECT_EQ(mix.bytes_written(), 1);
}

TEST(JobMix, WithoutSharesOneAfterTheOther) {
  auto two = jobs({2, 2});
  JobMix mix(two);
  EXPECT_EQ(take(mix, 9), (std::vector<std::uint64_t>{1000, 1001, 2000, 2001}));
}

TEST(JobMix, EachGetsItsShareOfEveryStretch) {
  auto two = jobs({10'000, 10'000});
  JobMix mix(two);
  mix.set_shares({0.75, 0.25});
  for (std::uint64_t stretch = 1; stretch <= 20; ++stretch) {
    take(mix, 100);
    EXPECT_NEAR(static_cast<double>(mix.taken(0)), 75.0 * static_cast<double>(stretch), 1) << stretch;
  }
  mix.set_shares({0.5, 0.5});
  const std::uint64_t before = mix.taken(0);
  take(mix, 1000);
  EXPECT_NEAR(static_cast<double>(mix.taken(0) - before), 500, 2);
}

TEST(JobMix, OneThatEndsLeavesItsShareToTheOthers) {
  auto two = jobs({10, 1000});
  JobMix mix(two);
  mix.set_shares({0.5, 0.5});
  EXPECT_EQ(take(mix, 500).size(), 500);
  EXPECT_EQ(mix.taken(0), 10);
  EXPECT_EQ(mix.taken(1), 490);
}

TEST(JobMix, ReadsThatNobodyRemembersAreTakenAndLeftOut) {
  auto one = jobs({10});
  JobMix mix(one);
  mix.leave_out_reads(true);
  EXPECT_EQ(take(mix, 5), (std::vector<std::uint64_t>{1001, 1003}));
  EXPECT_EQ(mix.taken(), 5);
  EXPECT_EQ(take(mix, 50), (std::vector<std::uint64_t>{1005, 1007, 1009}));
  EXPECT_EQ(mix.taken(), 10);
}

// Reads without end, of which the source passes over three at a time.
class ReadsByThree final : public RequestSource {
 public:
  bool next(Request& request) override {
    request = {.offset = at_++, .length = 4, .kind = RequestKind::Read};
    return true;
  }
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override {
    const std::uint64_t passed = std::min<std::uint64_t>(most, 3);
    at_ += passed;
    bytes += 4 * passed;
    return passed;
  }

 private:
  std::uint64_t at_ = 0;
};

TEST(JobMix, ReadsThatASourcePassesOverCountAsTaken) {
  auto one = jobs({0});
  one.front().source = std::make_unique<ReadsByThree>();
  JobMix mix(one);
  mix.leave_out_reads(true);
  EXPECT_TRUE(take(mix, 10).empty());
  EXPECT_EQ(mix.taken(), 10);
  EXPECT_EQ(mix.taken(0), 10);
  EXPECT_EQ(mix.reads(), 10);
  EXPECT_EQ(mix.bytes_read(), 40);
  mix.leave_out_reads(false);
  EXPECT_EQ(take(mix, 2), (std::vector<std::uint64_t>{1010, 1011}));
}

// Gives `requests` requests; each `every`th is a write (0: none). With `passes` it passes over reads up to the next
// write.
class SomeReads final : public RequestSource {
 public:
  SomeReads(std::uint64_t requests, std::uint64_t every, bool passes)
      : requests_(requests), every_(every), passes_(passes) {}

  bool next(Request& request) override {
    if (at_ == requests_) return false;
    request = {.offset = at_, .length = 4, .kind = writes() ? RequestKind::Write : RequestKind::Read};
    ++at_;
    return true;
  }
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override {
    std::uint64_t passed = 0;
    for (; passes_ && passed < most && at_ < requests_ && !writes(); ++passed) ++at_;
    bytes += 4 * passed;
    return passed;
  }

 private:
  bool writes() const { return every_ != 0 && at_ % every_ == every_ - 1; }

  std::uint64_t requests_;
  std::uint64_t every_;
  bool passes_;
  std::uint64_t at_ = 0;
};

// Jobs that only read, that write now and then, that end early, and that end amid a plan: the requests and their counts
// are those of sources that pass over nothing.
TEST(JobMix, ReadsThatSeveralSourcesPassOverChangeNothingElse) {
  struct Job {
    std::uint64_t requests, every;
    double share;
  };
  const std::vector<std::vector<Job>> mixes = {{{100'000, 0, 0.5}, {100'000, 0, 0.3}, {100'000, 0, 0.2}},
                                               {{2'000, 0, 0.5}, {100'000, 700, 0.3}, {1'500, 0, 0.2}},
                                               {{50'000, 3, 0.1}, {50'000, 0, 0.9}},
                                               {{3'000, 0, 0}, {3'000, 900, 0}},
                                               {{100'000, 0, 0.0003}, {100'000, 0, 0.6}, {5'000, 0, 0.3997}},
                                               {{10, 0, 0.4}, {10, 0, 0.6}}};
  for (const std::vector<Job>& mix : mixes) {
    const auto given = [&mix](bool passes) {
      std::vector<HostJob> made(mix.size());
      for (std::size_t job = 0; job < mix.size(); ++job)
        made[job].source = std::make_unique<SomeReads>(mix[job].requests, mix[job].every, passes);
      return made;
    };
    auto passed_jobs = given(true), plain_jobs = given(false);
    JobMix passed(passed_jobs), plain(plain_jobs);
    std::vector<double> shares;
    for (const Job& job : mix) shares.push_back(job.share);
    for (JobMix* const each : {&passed, &plain}) {
      each->set_shares(shares);
      each->leave_out_reads(true);
    }
    for (const std::uint64_t stretch : {1, 5'000, 3, 1024, 2048, 1, 40'000}) {
      ASSERT_EQ(take(passed, stretch), take(plain, stretch));
      for (std::size_t job = 0; job < mix.size(); ++job) ASSERT_EQ(passed.taken(job), plain.taken(job)) << job;
      ASSERT_EQ(passed.taken(), plain.taken());
      ASSERT_EQ(passed.reads(), plain.reads());
      ASSERT_EQ(passed.bytes_read(), plain.bytes_read());
    }
  }
}

}  // namespace
}  // namespace flashloom::job_mix_test
