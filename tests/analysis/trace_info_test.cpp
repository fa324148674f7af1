#include "analysis/trace_info.hpp"

#include <gtest/gtest.h>

#include <set>

#include "analysis/page_set.hpp"
#include "tests/workloads/input_files.hpp"
#include "workloads/random.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom::trace_info_test {
namespace {

TraceInfo info_of(const std::string& text) {
  const InputFiles files;
  return analyse_trace(*open_trace(files.write("t.trace", text)));
}

// Times in microseconds; pages: R 0,1 | W 1 | W 1,2 | R 2,3 | trim | W 5..6 (6000 bytes from 20480) | sync
constexpr const char* kWorked =
    "fio version 3 iolog\n0 f add\n100 f read 0 8192\n101 f write 4096 4096\n103 f write 8192 1024\n"
    "103 f write 4096 8192\n113 f read 8192 8192\n113 f trim 40960 8192\n213 f write 20480 6000\n1100 f sync 0 0\n";

TEST(TraceInfo, WorkedByHand) {
  const TraceInfo info = info_of(kWorked);
  EXPECT_EQ(info.requests, 8U);
  EXPECT_EQ(info.reads, 2U);
  EXPECT_EQ(info.writes, 4U);
  EXPECT_EQ(info.trims, 1U);
  EXPECT_EQ(info.flushes, 1U);
  EXPECT_EQ(info.read_bytes, 16384U);
  EXPECT_EQ(info.write_bytes, 4096U + 1024 + 8192 + 6000);
  EXPECT_EQ(info.trim_bytes, 8192U);
  EXPECT_EQ(info.footprint_bytes, 6 * 4096U);          // pages 0 1 2 3 5 6
  EXPECT_EQ(info.written_footprint_bytes, 4 * 4096U);  // pages 1 2 5 6
  EXPECT_EQ(info.end_bytes, 49152U);
  EXPECT_EQ(info.sizes.min_bytes, 1024U);
  EXPECT_EQ(info.sizes.max_bytes, 8192U);
  EXPECT_DOUBLE_EQ(info.sizes.mean_bytes, 35696.0 / 6);
  EXPECT_EQ(info.sizes.buckets[10], 1U);
  EXPECT_EQ(info.sizes.buckets[12], 2U);  // 4096 and 6000
  EXPECT_EQ(info.sizes.buckets[13], 3U);
  EXPECT_DOUBLE_EQ(info.sequential_share, 2.0 / 6);  // the second write and the second read
  EXPECT_DOUBLE_EQ(info.overwrite_share, 2.0 / 6);   // page writes 1 | 2 | 1 2 | 5 6
  EXPECT_DOUBLE_EQ(info.inter_arrival.mean_ns, 1'000'000.0 / 7);
  EXPECT_NEAR(info.inter_arrival.p50_ns, 2'000, 2'000 * 0.016);  // gaps 0 0 1 2 10 100 887 us
  EXPECT_DOUBLE_EQ(info.inter_arrival.p99_ns, 887'000);
  EXPECT_DOUBLE_EQ(info.inter_arrival.max_ns, 887'000);
  EXPECT_DOUBLE_EQ(info.duration_s, 1e-3);
  EXPECT_EQ(info.out_of_order_times, 0U);
}

TEST(TraceInfo, CountsClampedTimes) {
  EXPECT_EQ(info_of("1.0 0 0 8 0\n3.0 0 0 8 0\n2.0 0 0 8 0\n").out_of_order_times, 1U);
}

TEST(TraceInfo, OneRequestHasNoInterArrival) {
  const TraceInfo info = info_of("1.0 0 0 8 0\n");
  EXPECT_EQ(info.inter_arrival.max_ns, 0.0);
  EXPECT_EQ(info.duration_s, 0.0);
  EXPECT_EQ(info.overwrite_share, 0.0);
}

TEST(TraceInfo, JsonAndText) {
  const TraceInfo info = info_of(kWorked);
  const auto json = to_json(info, "t.trace");
  EXPECT_EQ(json["schema"], "flashloom.trace_info/1");
  EXPECT_EQ(json["trace"], "t.trace");
  EXPECT_EQ(json["requests"], 8);
  EXPECT_EQ(json["written_footprint_bytes"], 16384);
  EXPECT_EQ(json["sizes"]["histogram"].dump(),
            R"([{"from_bytes":1024,"requests":1},{"from_bytes":4096,"requests":2},{"from_bytes":8192,"requests":3}])");
  EXPECT_EQ(json["inter_arrival_ns"]["max"], 887'000.0);
  EXPECT_EQ(json.begin().key(), "schema");
  const std::string text = to_text(info, "t.trace");
  for (const char* part :
       {"t.trace\n", "requests           8\n", "writes             4 (50.0 %), 18.86 KiB\n",
        "footprint          24.00 KiB, written 16.00 KiB\n", "max 887.00 us\n", "from 8.00 KiB: 3 (50.0 %)\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(PageSet, AgreesWithASet) {
  Random random(11);
  PageSet pages;
  std::set<std::uint64_t> model;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t base = random.below(4) << 50U;
    const std::uint64_t first = base + random.below(20'000);
    const std::uint64_t count = random.below(i % 50 == 0 ? 9000 : 100);
    std::uint64_t added = 0;
    for (std::uint64_t page = first; page < first + count; ++page) added += model.insert(page).second ? 1U : 0U;
    ASSERT_EQ(pages.add(first, count), added);
  }
  EXPECT_EQ(pages.size(), model.size());
}

}  // namespace
}  // namespace flashloom::trace_info_test
