#include "models/common/lazy_arbiter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace flashloom::lazy_arbiter_test {
namespace {

struct Job {
  char name = 0;
  Picoseconds use = 0;  // of the server
  bool urgent = false;
  Picoseconds granted = kNever;
};

/// A server that jobs use one at a time, urgent ones first, and that completes them kLatency after their use.
class Server final : public LazyArbiter<Server> {
 public:
  static constexpr Picoseconds kLatency = 100;

  explicit Server(AlarmClock& clock) : LazyArbiter(clock) {}

  void arrive(Picoseconds now, Job& job) {
    decide_before(now);
    (job.urgent ? urgent_ : others_).push_back(&job);
    set_alarm(now);
  }
  void settle(Picoseconds now) { decide_before(now); }
  void cut(Picoseconds now) {
    decide_before(now);
    urgent_.clear();
    others_.clear();
    served_.clear();
    cancel_alarm();
  }
  Picoseconds too_early = 0;  ///< completions are predicted this much earlier than they are, if that is later than now
  std::vector<std::pair<char, Picoseconds>> completions;
  std::vector<Picoseconds> decisions;
  std::function<void(Picoseconds)> on_complete;

 private:
  friend LazyArbiter<Server>;

  Picoseconds next_decision() const { return urgent_.empty() && others_.empty() ? kNever : std::max(free_, decided()); }
  void decide(Picoseconds at) {
    decisions.push_back(at);
    std::deque<Job*>& from = urgent_.empty() ? others_ : urgent_;
    Job& job = *from.front();
    from.pop_front();
    job.granted = at;
    free_ = at + job.use;
    served_.push_back(&job);
  }
  Picoseconds next_completion(Picoseconds now) const {
    const Job* next;
    Picoseconds granted = std::max(free_, now);
    if (!served_.empty()) {
      next = served_.front();
      granted = next->granted;
    } else if (!urgent_.empty() || !others_.empty()) {
      next = (urgent_.empty() ? others_ : urgent_).front();
    } else {
      return kNever;
    }
    const Picoseconds exact = granted + next->use + kLatency;
    return exact - too_early > now ? exact - too_early : exact;
  }
  void complete(Picoseconds now) {
    while (!served_.empty() && served_.front()->granted + served_.front()->use + kLatency <= now) {
      completions.emplace_back(served_.front()->name, now);
      served_.pop_front();
      if (on_complete) on_complete(now);
    }
  }

  std::deque<Job*> urgent_, others_;
  std::deque<Job*> served_;  // until they are complete
  Picoseconds free_ = 0;
};

using Completions = std::vector<std::pair<char, Picoseconds>>;
using Instants = std::vector<Picoseconds>;

class LazyArbiterTest : public testing::Test {
 protected:
  void at(Picoseconds time) { sc_core::sc_start(kernel_time(time) - sc_core::sc_time_stamp()); }
  AlarmClock clock{"clock"};
  Server server{clock};
};

// At 0 comes A (uses 10), then B (20), which is urgent: B has the server in [0, 20), A after it. At 20, just when it is
// free, comes C (5), which is urgent: it has [20, 25), and A [25, 35).
TEST_F(LazyArbiterTest, ADecisionKnowsAllThatArrivedByItsInstant) {
  Job a{'A', 10, false}, b{'B', 20, true}, c{'C', 5, true};
  server.arrive(0, a);
  EXPECT_EQ(a.granted, kNever);  // who else comes at 0 is not known
  server.arrive(0, b);
  at(20);
  server.arrive(20, c);
  EXPECT_EQ(b.granted, 0u);
  EXPECT_EQ(a.granted, kNever);
  at(1000);
  EXPECT_EQ(c.granted, 20u);
  EXPECT_EQ(a.granted, 25u);
  EXPECT_EQ(server.decisions, (Instants{0, 20, 25}));
  EXPECT_EQ(server.completions, (Completions{{'B', 120}, {'C', 125}, {'A', 135}}));
  EXPECT_EQ(server.wakes(), 3u);  // only for completions
}

// A is complete at 110; B comes out of that completion, and has the server at once, in [110, 117).
TEST_F(LazyArbiterTest, WhatArrivesInACompletionIsPartOfTheSameWake) {
  Job a{'A', 10}, b{'B', 7};
  server.on_complete = [&](Picoseconds now) {
    if (b.granted == kNever) server.arrive(now, b);
  };
  server.arrive(0, a);
  at(1000);
  EXPECT_EQ(server.decisions, (Instants{0, 110}));
  EXPECT_EQ(server.completions, (Completions{{'A', 110}, {'B', 217}}));
  EXPECT_EQ(server.wakes(), 2u);
}

// Predicted 30 too early, A is looked at in vain at 80; then the bound is not later than now, and 110 is predicted.
TEST_F(LazyArbiterTest, ALowerBoundCostsAWakeAndChangesNothing) {
  Job a{'A', 10};
  server.too_early = 30;
  server.arrive(0, a);
  at(80);
  EXPECT_EQ(server.completions, Completions{});
  at(1000);
  EXPECT_EQ(server.completions, (Completions{{'A', 110}}));
  EXPECT_EQ(server.wakes(), 2u);
}

// B has the server from 50 on, but who looks at 50 does not see that yet: another job may still come at 50.
TEST_F(LazyArbiterTest, SettlingMakesTheDecisionsBefore) {
  Job a{'A', 50}, b{'B', 1};
  server.arrive(0, a);
  server.arrive(0, b);
  at(50);
  server.settle(50);
  EXPECT_EQ(server.decisions, (Instants{0}));
  at(51);
  server.settle(51);
  EXPECT_EQ(server.decisions, (Instants{0, 50}));
}

TEST_F(LazyArbiterTest, ACancelledAlarmWakesNobody) {
  Job a{'A', 10}, b{'B', 10};
  server.arrive(0, a);
  at(60);
  server.cut(60);
  at(500);
  EXPECT_EQ(server.wakes(), 0u);
  server.arrive(500, b);
  at(1000);
  EXPECT_EQ(server.completions, (Completions{{'B', 610}}));
}

}  // namespace
}  // namespace flashloom::lazy_arbiter_test
