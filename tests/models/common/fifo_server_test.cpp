#include "models/common/fifo_server.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace flashloom::fifo_server_test {
namespace {

using Intervals = std::vector<std::pair<Picoseconds, Picoseconds>>;
struct Record {
  Intervals* out;
  void operator()(Picoseconds start, Picoseconds end, std::uint32_t) const { out->emplace_back(start, end); }
};
using Server = FifoServer<Record>;

Server::Job job(Picoseconds arrival, Picoseconds duration) { return {arrival, duration, 0, nullptr, 0}; }

TEST(FifoServer, ServesArrivalsInTurn) {
  Intervals busy;
  Server server{Record{&busy}};
  EXPECT_EQ(server.reserve(100, 50), 150U);
  EXPECT_EQ(server.reserve(120, 50), 200U);
  EXPECT_EQ(server.reserve(300, 10), 310U);
  EXPECT_EQ(busy, (Intervals{{100, 150}, {150, 200}, {300, 310}}));
  EXPECT_EQ(server.busy_time(), 110U);
}

TEST(FifoServer, EarlierArrivalGoesBeforePendingOnes) {
  Intervals busy;
  Server server{Record{&busy}};
  auto late = job(100, 50);
  auto later = job(120, 50);
  EXPECT_EQ(server.announce(late, 0), 150U);
  EXPECT_EQ(server.announce(later, 0), 200U);
  auto early = job(90, 20);
  EXPECT_EQ(server.announce(early, 10), 110U);
  EXPECT_EQ(late.end, 160U);
  EXPECT_EQ(later.end, 210U);
  auto between = job(110, 5);
  EXPECT_EQ(server.announce(between, 20), 165U);
  EXPECT_EQ(late.end, 160U);
  EXPECT_EQ(later.end, 215U);
  EXPECT_TRUE(busy.empty());  // no job has arrived yet
  EXPECT_FALSE(server.finished(early, 105));
  EXPECT_TRUE(server.finished(early, 110));
  EXPECT_EQ(busy, (Intervals{{90, 110}, {110, 160}, {160, 165}}));  // `between` arrives at 110
  EXPECT_TRUE(server.finished(later, 215));
  EXPECT_FALSE(server.has_pending());
}

TEST(FifoServer, TiesInOrderOfAnnouncement) {
  Intervals busy;
  Server server{Record{&busy}};
  auto a = job(50, 1);
  auto b = job(50, 2);
  auto c = job(50, 4);
  server.announce(a, 0);
  server.announce(b, 0);
  server.announce(c, 10);
  EXPECT_EQ(server.reserve(50, 8), 65U);  // after those announced before
  EXPECT_EQ(a.end, 51U);
  EXPECT_EQ(b.end, 53U);
  EXPECT_EQ(c.end, 57U);
}

TEST(FifoServer, ArrivalNowDelaysPendingOnes) {
  Intervals busy;
  Server server{Record{&busy}};
  auto a = job(50, 10);
  auto b = job(200, 10);
  server.announce(a, 0);
  server.announce(b, 0);
  EXPECT_EQ(server.reserve(40, 30), 70U);
  EXPECT_EQ(a.end, 80U);
  EXPECT_EQ(b.end, 210U);
}

TEST(FifoServer, PowerCutDropsAll) {
  Intervals busy;
  Server server{Record{&busy}};
  server.reserve(0, 100);
  auto pending = job(80, 10);
  server.announce(pending, 0);
  server.drop_all(60);
  EXPECT_EQ(pending.end, kNever);
  EXPECT_FALSE(server.has_pending());
  EXPECT_EQ(server.busy_time(), 60U);
  EXPECT_EQ(server.reserve(70, 5), 75U);
  auto next = job(90, 5);
  EXPECT_EQ(server.announce(next, 75), 95U);
}

// Against the plain definition: jobs sorted by (arrival, announcement) are served in turn.
RC_GTEST_PROP(FifoServer, EqualsFirstComeFirstServed, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 60);
  const auto spread = *rc::gen::element<Picoseconds>(3, 20, 200);
  struct Call {
    Picoseconds now;
    Server::Job job;
    bool reserve;
    Picoseconds got = 0;
    Picoseconds first = 0;
  };
  std::vector<Call> calls;
  calls.reserve(count);
  Intervals busy;
  Server server{Record{&busy}};
  Picoseconds now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now += *rc::gen::inRange<Picoseconds>(0, 12);
    const bool direct = *rc::gen::inRange(0, 3) == 0;
    const Picoseconds lead = direct ? 0 : *rc::gen::inRange<Picoseconds>(0, spread);
    calls.push_back({now, job(now + lead, *rc::gen::inRange<Picoseconds>(0, 20)), direct});
    Call& call = calls.back();
    if (direct) {
      call.got = server.reserve(now, call.job.duration);
    } else {
      call.first = server.announce(call.job, now);
    }
    // A job whose owner wakes at the predicted end is over, or its end has moved later.
    for (Call& other : calls) {
      if (!other.reserve && other.got == 0 && server.finished(other.job, now)) other.got = other.job.end;
    }
  }
  server.settle(kNever);

  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return calls[a].job.arrival < calls[b].job.arrival; });
  Picoseconds free = 0;
  Intervals expected;
  for (const std::size_t i : order) {
    const Call& call = calls[i];
    const Picoseconds start = std::max(free, call.job.arrival);
    free = start + call.job.duration;
    expected.emplace_back(start, free);
    if (call.reserve) {
      RC_ASSERT(call.got == free);
    } else {
      RC_ASSERT(call.job.end == free);
      RC_ASSERT(call.first <= free);  // a prediction only ever moves later
      RC_ASSERT(call.got == 0 || call.got == free);
    }
  }
  RC_ASSERT(busy == expected);
}

}  // namespace
}  // namespace flashloom::fifo_server_test
