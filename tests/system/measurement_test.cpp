// What of a run is measured, and for whom: jobs, groups of jobs, ramps.
#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom {
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
    EXPECT_DOUBLE_EQ(host["read"]["iops"].get<double>(), window == 0 ? 0 : measured / window) << ramp;
  }
}

}  // namespace
}  // namespace flashloom
