#include "sc_main/program/sample/merge_results.hpp"

#include <gtest/gtest.h>

namespace flashloom::merge_results_test {
namespace {

using Json = nlohmann::ordered_json;

Json result(double seconds, std::uint64_t writes, double joules, double waf, double busy) {
  return {{"simulated_s", 5.0},
          {"window",
           {{"begin_s", 5.0},
            {"end_s", 5.0 + seconds},
            {"read", {{"ios", 0}, {"bytes", 0}}},
            {"write", {{"ios", writes}, {"bytes", writes * 4096}}}}},
          {"flash_queues",
           {{"longest", writes / 10},
            {"programs", {{"host", {{"commands", writes}, {"mean_ns", joules}, {"max_ns", joules * 3}}}}}}},
          {"ftl",
           {{"waf", waf},
            {"waf_data", waf},
            {"gc_runs", writes / 2},
            {"read_only", false},
            {"free_blocks_min", 7 - writes / 100}}},
          {"buffer", {{"dirty_bytes_at_end", writes}}},
          {"energy",
           {{"total_j", joules},
            {"average_w", 0.0},
            {"peak_w", joules},
            {"j_per_gb", 0.0},
            {"j_per_io", 0.0},
            {"components", Json::array({{{"name", "die0"}, {"kind", "nand"}, {"j", joules}}})}}},
          {"utilization", {{"dies", Json::array({{{"idle", 1 - busy}, {"program", busy}}})}}}};
}

TEST(MergeResults, OneWindowOfWeightOneIsItself) {
  const Json one = result(2, 100, 8, 2.5, 0.25);
  const Json merged = merge_results({{1, one}});
  EXPECT_EQ(merged["flash_queues"], one["flash_queues"]);
  EXPECT_EQ(merged["ftl"], one["ftl"]);
  EXPECT_EQ(merged["utilization"], one["utilization"]);
  EXPECT_EQ(merged["window"]["end_s"], 2.0);
  EXPECT_EQ(merged["simulated_s"], 2.0);
  EXPECT_EQ(merged["energy"]["average_w"], 4.0);
  EXPECT_EQ(merged["energy"]["j_per_io"], 0.08);
}

// A window of one second with 100 writes counts three times, one of three seconds with 200 writes once.
TEST(MergeResults, ByHand) {
  const Json merged = merge_results({{3, result(1, 100, 8, 2, 0.2)}, {1, result(3, 200, 40, 3, 0.6)}});
  EXPECT_EQ(merged["simulated_s"], 6.0);
  EXPECT_EQ(merged["window"]["write"]["ios"], 500);
  EXPECT_EQ(merged["ftl"]["gc_runs"], 250);
  EXPECT_DOUBLE_EQ(merged["ftl"]["waf"].get<double>(), (3 * 100 * 2 + 200 * 3) / 500.0);
  EXPECT_EQ(merged["ftl"]["free_blocks_min"], 5);
  EXPECT_EQ(merged["flash_queues"]["longest"], 20);
  const Json& programs = merged["flash_queues"]["programs"]["host"];
  EXPECT_EQ(programs["commands"], 500);
  EXPECT_DOUBLE_EQ(programs["mean_ns"].get<double>(), (3 * 100 * 8 + 200 * 40) / 500.0);
  EXPECT_EQ(programs["max_ns"], 120.0);
  EXPECT_EQ(merged["buffer"]["dirty_bytes_at_end"], 200);
  EXPECT_EQ(merged["energy"]["total_j"], 64.0);
  EXPECT_DOUBLE_EQ(merged["energy"]["average_w"].get<double>(), 64.0 / 6);
  EXPECT_DOUBLE_EQ(merged["energy"]["j_per_gb"].get<double>(), 64.0 / (500 * 4096 / 1e9));
  EXPECT_EQ(merged["energy"]["peak_w"], 40.0);
  EXPECT_EQ(merged["energy"]["components"][0]["j"], 64.0);
  EXPECT_DOUBLE_EQ(merged["utilization"]["dies"][0]["program"].get<double>(), (3 * 0.2 + 3 * 0.6) / 6);
}

TEST(MergeResults, WhatOnlySomeHaveIsKept) {
  Json first = result(1, 100, 8, 2, 0.2);
  Json second = result(1, 100, 8, 2, 0.2);
  first["flash_queues"]["programs"]["gc"] = {{"commands", 10}, {"mean_ns", 4.0}, {"max_ns", 5.0}};
  first["reliability"] = {
      {"errors_per_codeword", Json::array({{{"errors", 0}, {"codewords", 7}}, {{"errors", 2}, {"codewords", 1}}})}};
  second["reliability"] = {
      {"errors_per_codeword", Json::array({{{"errors", 1}, {"codewords", 3}}, {{"errors", 2}, {"codewords", 5}}})}};
  const Json merged = merge_results({{1, first}, {2, second}});
  EXPECT_EQ(merged["flash_queues"]["programs"]["gc"]["commands"], 10);
  EXPECT_EQ(merged["flash_queues"]["programs"]["gc"]["mean_ns"], 4.0);
  EXPECT_EQ(merged["reliability"]["errors_per_codeword"], Json::array({{{"errors", 0}, {"codewords", 7}},
                                                                       {{"errors", 2}, {"codewords", 11}},
                                                                       {{"errors", 1}, {"codewords", 6}}}));
}

TEST(MergeResults, Rules) {
  EXPECT_EQ(merge_rule("host.read.ios"), MergeRule::Sum);
  EXPECT_EQ(merge_rule("energy.components.residency_s.program"), MergeRule::Sum);
  EXPECT_EQ(merge_rule("utilization.channels.data"), MergeRule::ByTime);
  EXPECT_EQ(merge_rule("network.wait_mean_ns"), MergeRule::ByCount);
  EXPECT_EQ(merge_rule("network.wait_max_ns"), MergeRule::Highest);
  EXPECT_EQ(merge_rule("ftl.free_blocks_min"), MergeRule::Lowest);
  EXPECT_EQ(merge_rule("cpu.cores.points.clock_hz"), MergeRule::First);
  EXPECT_EQ(merge_rule("buffer.destaging_bytes_at_end"), MergeRule::Last);
}

}  // namespace
}  // namespace flashloom::merge_results_test
