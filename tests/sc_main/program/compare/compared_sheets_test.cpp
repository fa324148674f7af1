#include "sc_main/program/compare/compared_sheets.hpp"

#include <gtest/gtest.h>

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

Json figure(const char* unit, Json value, Json low = nullptr, Json high = nullptr) {
  return {{"name", "figure"}, {"unit", unit}, {"value", value}, {"low", low}, {"high", high}};
}

ComparedRun sheet(Json brief, Json values = Json::object()) {
  ComparedRun run;
  run.result = {{"schema", kSheetSchema},
                {"config", Json::object()},
                {"brief", std::move(brief)},
                {"tests", {{"tp", {{"values", std::move(values)}}}}}};
  return run;
}

TEST(ComparedSheets, RatiosHaveWhatTheIntervalsAllow) {
  const Comparison comparison =
      compare({sheet({{"read", figure("MB/s", 100, 80, 125)}}), sheet({{"read", figure("MB/s", 110, 100, 120)}}),
               sheet({{"read", figure("MB/s", 300, 250, 400)}})});
  ASSERT_EQ(comparison.metrics.size(), 1u);
  const ComparedMetric& read = comparison.metrics[0];
  EXPECT_EQ(read.unit, "B/s");
  EXPECT_DOUBLE_EQ(*read.values[0], 100e6);
  EXPECT_FALSE(read.band(0));
  EXPECT_DOUBLE_EQ(read.band(1)->p5, 100.0 / 125);
  EXPECT_DOUBLE_EQ(read.band(1)->p95, 120.0 / 80);
  EXPECT_EQ(read.verdict(1), 0);  // 0.8 to 1.5
  EXPECT_EQ(read.verdict(2), 1);  // 2 to 5
}

TEST(ComparedSheets, WhatASheetDoesNotHaveIsNoNumber) {
  const Comparison comparison =
      compare({sheet({{"interface", figure("", "SATA")}, {"power", figure("W", nullptr)}, {"life", figure("TB", 5)}}),
               sheet({{"power", figure("W", 2)}, {"price", figure("$", 9)}}, {{"128k, read; mb_s", 7}})});
  ASSERT_EQ(comparison.metrics.size(), 4u);
  EXPECT_EQ(shown(comparison.metrics[0], 0), "-");
  EXPECT_EQ(shown(comparison.metrics[1], 1), "-");
  EXPECT_EQ(shown(comparison.metrics[2], 1), "9 $");
  EXPECT_EQ(comparison.metrics[3].label, "tp: 128k, read");
  EXPECT_EQ(shown(comparison.metrics[3], 1), "7 MB/s");
  for (const ComparedMetric& metric : comparison.metrics) EXPECT_FALSE(metric.ratio(1));
}

}  // namespace
}  // namespace flashloom
