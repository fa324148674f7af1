#include "sc_main/program/run/tenants.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "sc_main/program/run/child_process.hpp"

namespace flashloom::tenants_test {
namespace {

using Json = nlohmann::ordered_json;

Json figures(double mean, double p99, double bandwidth) {
  return {{"latency_mean_ns", mean}, {"latency_p99_ns", p99}, {"bandwidth_bytes_per_s", bandwidth}};
}

TEST(Tenants, SlowdownsAndFairnessByHand) {
  const std::vector<Tenant> tenants = {{"a", {0}}, {"b", {1}}};
  const Json result = compare_tenants(tenants, {figures(20, 90, 50), figures(40, 100, 25)},
                                      {figures(10, 30, 100), figures(10, 50, 100)});
  EXPECT_EQ(result["jobs"][0]["slowdown"], (Json{{"latency_mean", 2.0}, {"latency_p99", 3.0}, {"bandwidth", 2.0}}));
  EXPECT_EQ(result["jobs"][1]["slowdown"], (Json{{"latency_mean", 4.0}, {"latency_p99", 2.0}, {"bandwidth", 4.0}}));
  EXPECT_EQ(result["slowdown_min"], 2.0);
  EXPECT_EQ(result["slowdown_max"], 4.0);
  EXPECT_EQ(result["fairness"], 0.5);
  // (1/2 + 1/4)^2 / (2 (1/4 + 1/16))
  EXPECT_DOUBLE_EQ(result["jain"].get<double>(), 0.9);
}

TEST(Tenants, WhatHasNothingToCompareIsNull) {
  const Json result = compare_tenants({{"a", {0}}}, {figures(0, 0, 0)}, {figures(0, 0, 0)});
  EXPECT_TRUE(result["jobs"][0]["slowdown"]["latency_mean"].is_null());
  EXPECT_TRUE(result["fairness"].is_null());
  EXPECT_TRUE(result["jain"].is_null());
}

TEST(Tenants, GroupsAreOneTenant) {
  std::vector<HostJob> jobs(5);
  const char* const names[] = {"a", "b", "c", "d", "e"};
  const char* const groups[] = {"", "g", "", "g", "h"};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].name = names[i];
    jobs[i].group = groups[i];
  }
  const std::vector<Tenant> tenants = tenants_of(jobs);
  ASSERT_EQ(tenants.size(), 4);
  EXPECT_EQ(tenants[0].name, "a");
  EXPECT_EQ(tenants[1].name, "g");
  EXPECT_EQ(tenants[1].jobs, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(tenants[2].name, "c");
  EXPECT_EQ(tenants[3].name, "h");
}

TEST(ChildProcess, AnswersComeInOrderWhateverTheParallelism) {
  const auto body = [](std::size_t number) -> Json {
    if (number == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));  // ends last
    return {{"number", number}, {"text", std::string(100'000, 'x')}};             // more than a pipe holds
  };
  const auto one = in_children(5, 1, body);
  ASSERT_EQ(one.size(), 5);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i]["number"], i);
  EXPECT_EQ(in_children(5, 3, body), one);
  EXPECT_EQ(in_children(5, 100, body), one);
  EXPECT_TRUE(in_children(0, 1, body).empty());
}

TEST(ChildProcess, ErrorsAndSignalsAreTold) {
  const auto message = [](const std::function<Json(std::size_t)>& body) -> std::string {
    try {
      in_children(3, 2, body);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message([](std::size_t n) -> Json {
              if (n == 1) throw std::runtime_error("number one");
              return n;
            }),
            "number one");
  EXPECT_NE(message([](std::size_t n) -> Json {
              if (n == 2) ::kill(::getpid(), SIGKILL);
              return n;
            }).find("signal 9"),
            std::string::npos);
}

TEST(ChildPool, EachBodyBeginsWithWhatThereIsWhenItIsStarted) {
  ChildPool pool(2, ChildPool::Ends::AtOnce);
  int now = 0;
  for (; now < 5; ++now) EXPECT_EQ(pool.start([&] { return std::to_string(now); }), static_cast<std::size_t>(now));
  for (int number = 4; number >= 0; --number) {
    const ChildPool::Outcome outcome = pool.outcome(static_cast<std::size_t>(number));
    EXPECT_EQ(outcome.answer, std::to_string(number));
    EXPECT_EQ(outcome.error, "");
  }
}

TEST(ChildPool, AnEmptyAnswerIsOne) {
  ChildPool pool(1);
  const ChildPool::Outcome outcome = pool.outcome(pool.start([] { return std::string(); }));
  EXPECT_EQ(outcome.answer, "");
  EXPECT_EQ(outcome.error, "");
}

TEST(ChildPool, WhatGoesWrongInOneIsOfThatOne) {
  ChildPool pool(3, ChildPool::Ends::AtOnce);
  const std::size_t throws = pool.start([]() -> std::string { throw std::runtime_error("so it is"); });
  const std::size_t killed = pool.start([]() -> std::string {
    ::kill(::getpid(), SIGKILL);
    return {};
  });
  const std::size_t fine = pool.start([] { return std::string(200'000, 'x'); });
  EXPECT_EQ(pool.outcome(fine).answer.size(), 200'000);
  EXPECT_EQ(pool.outcome(throws).error, "so it is");
  EXPECT_EQ(pool.outcome(killed).error, "ended by signal 9");
}

TEST(ChildPool, NothingIsLeftRunning) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    ChildPool pool(1, ChildPool::Ends::AtOnce);
    pool.start([]() -> std::string {
      for (;;) ::pause();
    });
    ::close(ends[1]);  // the child now holds the only write end
  }
  char byte;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // the child ended with the pool, else this read would wait
  ::close(ends[0]);
}

}  // namespace
}  // namespace flashloom::tenants_test
