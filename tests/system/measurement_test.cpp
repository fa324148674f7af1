// Which part of a run is measured, by job and by group of jobs, with ramps.
#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom::measurement_test {
namespace {

DeviceConfig device() {
  return preset("calibration", {"nand.blocks=16", "nand.pages=32", "ftl.over_provisioning=1.0", "precondition.fill=1.0",
                                "host.queues=2"});
}

std::vector<Request> of(RequestKind kind, std::uint64_t n) {
  std::vector<Request> requests(n);
  for (std::uint64_t i = 0; i < n; ++i) requests[i] = {.offset = i * 4096, .length = 4096, .kind = kind};
  return requests;
}

TEST(Measurement, JobsAreReportedApartAndAddUp) {
  const Json host = simulate(device(), {{of(RequestKind::Read, 40), 1, 0, "reader"},
                                        {of(RequestKind::Write, 30), 2, 1, "one", "writers"},
                                        {of(RequestKind::Write, 20), 2, 0, "two", "writers"}})["host"];
  ASSERT_EQ(host["jobs"].size(), 2);
  const Json& reader = host["jobs"][0];
  const Json& writers = host["jobs"][1];
  EXPECT_EQ(reader["name"], "reader");
  EXPECT_EQ(reader["jobs"], 1);
  EXPECT_EQ(reader["queues"], Json::array({0}));
  EXPECT_EQ(reader["read"]["ios"], 40);
  EXPECT_EQ(reader["write"]["ios"], 0);
  EXPECT_EQ(writers["name"], "writers");
  EXPECT_EQ(writers["jobs"], 2);
  EXPECT_EQ(writers["queues"], Json::array({1, 0}));
  EXPECT_EQ(writers["write"]["bytes"], 50 * 4096);
  EXPECT_EQ(writers["requests"], 50);
  EXPECT_EQ(host["read"]["latency_ns"], reader["read"]["latency_ns"]);
  EXPECT_EQ(host["write"]["clat_ns"], writers["write"]["clat_ns"]);
  EXPECT_EQ(host["requests"], 90);
  // Rates are over each job's own time.
  EXPECT_DOUBLE_EQ(reader["read"]["iops"].get<double>() * reader["end_s"].get<double>(), 40);
  EXPECT_DOUBLE_EQ(host["read"]["iops"].get<double>() * host["end_s"].get<double>(), 40);
}

TEST(Measurement, WhatArrivesInTheRampIsNotMeasured) {
  const std::vector<Request> reads = of(RequestKind::Read, 40);
  const Json whole = simulate(device(), {{reads}});
  const Picoseconds each = whole["latency_ps"]["read"][0];
  ASSERT_EQ(whole["end_ps"], 40 * each);
  EXPECT_EQ(whole["host"]["unmeasured"], 0);
  // Request n arrives at n x each.
  for (const auto& [ramp, measured] : {std::pair{10 * each, 30}, {10 * each + 1, 29}, {41 * each, 0}}) {
    const Json result = simulate(device(), {{reads, 1, 0, "reader", "", ramp}});
    const Json& host = result["host"];
    EXPECT_EQ(host["requests"], 40);
    EXPECT_EQ(host["completions"], 40);
    EXPECT_EQ(host["read"]["ios"], measured) << ramp;
    EXPECT_EQ(host["unmeasured"], 40 - measured) << ramp;
    EXPECT_EQ(result["end_ps"], 40 * each);
    const auto window = static_cast<double>(40 * each - std::min(ramp, 40 * each)) * 1e-12;
    // The device's figures cover the same window, and still add up: 50 us at 25 mA and 3.3 V per read. The window
    // includes commands in flight at its begin, and those that complete at that instant.
    EXPECT_EQ(result["window"]["read"]["ios"], ramp == 10 * each ? 31 : ramp == 10 * each + 1 ? 30 : 0);
    EXPECT_EQ(result["flash"]["reads"]["total"]["pages"], measured == 0 ? 0 : 30);
    if (ramp == 10 * each) {
      EXPECT_NEAR(result["energy"]["operations"]["nand.read"]["j"].get<double>(), 30 * 50e-6 * 3.3 * 0.025, 1e-12);
    }
    for (const Json& component : result["energy"]["components"]) {
      double sum = 0;
      for (const auto& [state, residency] : component["residency_s"].items()) sum += residency.get<double>();
      EXPECT_NEAR(sum, window, 1e-15) << component["name"];
    }
    for (const Json& die : result["utilization"]["dies"]) {
      double sum = 0;
      for (const auto& [state, share] : die.items()) sum += share.get<double>();
      EXPECT_NEAR(sum, window == 0 ? 0 : 1, 1e-9);
    }
    EXPECT_DOUBLE_EQ(host["read"]["iops"].get<double>(), window == 0 ? 0 : measured / window) << ramp;
  }
}

TEST(Measurement, AJobBeginsAfterItsDelay) {
  const std::vector<Request> reads = of(RequestKind::Read, 10);
  const Picoseconds alone = simulate(device(), {{reads}})["end_ps"];
  for (const std::uint32_t iodepth : {1U, 0U}) {  // closed loop, and open loop, where all requests arrive at once
    TestJob late{.requests = reads, .iodepth = iodepth};
    late.start_delay = 2 * alone;
    const Json delayed = simulate(device(), {{.requests = reads}, late});
    const Json& jobs = delayed["host"]["jobs"];
    EXPECT_DOUBLE_EQ(jobs[0]["end_s"].get<double>(), static_cast<double>(alone) * 1e-12);
    EXPECT_DOUBLE_EQ(jobs[1]["begin_s"].get<double>(), static_cast<double>(2 * alone) * 1e-12);
    if (iodepth == 1) {
      EXPECT_EQ(delayed["end_ps"], 3 * alone);
      EXPECT_EQ(jobs[0]["read"]["latency_ns"], jobs[1]["read"]["latency_ns"]);
    }
  }
}

TEST(Measurement, RequestsGoOverTheQueuesOfAJobInTurn) {
  TestJob job{.requests = of(RequestKind::Read, 40), .iodepth = 8};
  job.queues = 2;
  // Each queue takes one command at a time: over two queues, two commands run at once, so the same work ends sooner.
  std::vector<std::string> narrow = {"nand.blocks=16",        "nand.pages=32", "ftl.over_provisioning=1.0",
                                     "precondition.fill=1.0", "host.queues=2", "host_interface.queue_depth=1"};
  const DeviceConfig config = preset("calibration", narrow);
  const Json both = simulate(config, {job});
  job.queues = 1;
  const Json one = simulate(config, {job});
  EXPECT_EQ(both["host"]["jobs"][0]["queues"], Json::array({0, 1}));
  EXPECT_EQ(one["host"]["jobs"][0]["queues"], Json::array({0}));
  EXPECT_LT(both["end_ps"].get<Picoseconds>(), one["end_ps"].get<Picoseconds>());
}

TEST(Measurement, AddressesCountFromTheBeginOfTheRegion) {
  std::vector<Request> writes = of(RequestKind::Write, 16);
  writes.push_back({.kind = RequestKind::Flush});
  TestJob job{.requests = writes};
  job.offset = 64 * 4096;
  std::vector<Request> moved = writes;
  for (Request& request : moved)
    if (request.kind != RequestKind::Flush) request.offset += 64 * 4096;
  const Json region = simulate(small_preset("tiny"), {job});
  EXPECT_EQ(region["digest"], simulate(small_preset("tiny"), {{moved}})["digest"]);
  EXPECT_NE(region["digest"], simulate(small_preset("tiny"), {{writes}})["digest"]);
  EXPECT_EQ(region["verify"]["mismatches"], 0);
}

}  // namespace
}  // namespace flashloom::measurement_test
