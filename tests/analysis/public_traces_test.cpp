// Every public trace against every column of its line in SOURCES.md. There, a page is 4 KiB, "pages" are the distinct
// pages that reads and writes touch, and GB are decimal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "analysis/trace_info.hpp"
#include "tests/workloads/input_files.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom::public_traces_test {
namespace {

struct PublicTrace {
  const char* file;
  const char* format;
  std::uint64_t requests;
  const char* write_percent;  // "n/a": the format has no operations, all are reads
  double read_gb;
  double write_gb;
  std::uint64_t pages;
  std::uint64_t written_pages;
  const char* time_unit = "";  // an option that some formats need
};

const PublicTrace kTraces[] = {
    {"msr_rsrch_1_full.csv.zst", "msr", 13780, "99.7", 0.001, 0.171, 28775, 28769},
    {"msr_wdev_1_full.csv.zst", "msr", 1055, "100.0", 0.000, 0.006, 369, 369},
    {"msr_wdev_3_full.csv.zst", "msr", 682, "98.4", 0.001, 0.003, 316, 133},
    {"msr_src1_0_10000.csv.zst", "msr", 10000, "100.0", 0.000, 0.070, 12664, 12664},
    {"msr_hm_0_part.csv.zst", "msr", 7016, "17.0", 0.078, 0.007, 13523, 1171},
    {"cloudPhysicsIO.vscsi.zst", "vscsi", 113872, "58.7", 1.797, 2.409, 269210, 208696},
    {"cloudPhysicsIO.csv.zst", "cpcsv", 113872, "58.7", 1.797, 2.409, 269210, 208696},
    {"msprod_MSNFS_30s.trace.zst", "disksim", 149999, "13.0", 2.438, 0.184, 538027, 43513},
    {"umass_fin1_head_ssdsim.ascii.zst", "disksim", 10000, "59.2", 0.025, 0.030, 7142, 3621, "ns"},
    {"mqsim_wsrch-small.trace.zst", "disksim", 24783, "0.0", 0.382, 0.000, 92259, 4, "ns"},
    {"mqsim_tpcc-small.trace.zst", "disksim", 6999, "37.4", 0.036, 0.023, 20422, 7859, "ns"},
    {"fiu_cheetah_10k.blkparse.zst", "fiu", 9998, "11.0", 0.036, 0.005, 9202, 894},
    {"nexus5_Booting.log.zst", "nexus5", 18417, "33.1", 0.772, 0.234, 232499, 47470},
    {"desktop.disksim.zst", "disksim", 32527, "61.7", 0.040, 0.098, 38901, 21073},
    {"jpeg_copy.disksim.zst", "disksim", 47120, "25.0", 0.288, 0.290, 183491, 81111},
    {"pcmark.disksim.zst", "disksim", 56088, "25.4", 3.297, 3.092, 581569, 131491},
    {"diskmon_sys1.trace.zst", "diskmon", 58818, "49.7", 0.498, 0.906, 174758, 146638},
    {"ycsb_ext4.blkparse.zst", "blkparse", 9887, "8.6", 1.048, 0.252, 317163, 61395},
    {"blkparse_sample_evelii.txt.zst", "blkparse", 1694, "0.0", 0.198, 0.000, 48347, 0},
    {"ssdext_postmark.disksim.zst", "disksim", 62257, "16.8", 5.236, 8.937, 1533388, 1532457},
    {"ssdext_iozone100K.disksim.zst", "disksim", 100000, "100.0", 0.000, 36.856, 271320, 271320},
    {"systor17_sample1000.csv.zst", "systor", 999, "17.3", 0.036, 0.003, 9831, 746},
    {"arc_OLTP.lis.zst", "arc", 914145, "n/a", 0.468, 0, 23361, 0},
    {"arc_P3.lis.zst", "arc", 238578, "n/a", 2.003, 0, 102348, 0},
};

std::string name_of(const testing::TestParamInfo<PublicTrace>& trace) {
  std::string name = trace.param.file;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class PublicTraces : public testing::TestWithParam<PublicTrace> {
 protected:
  void SetUp() override {
    const auto directory = trace_directory();
    if (directory.empty()) GTEST_SKIP() << "no public traces: set FLASHLOOM_TRACES";
    path_ = (directory / GetParam().file).string();
    ASSERT_TRUE(std::filesystem::exists(path_)) << path_;
  }
  std::string path_;
};

TEST_P(PublicTraces, CountsOfSources) {
  const PublicTrace& expected = GetParam();
  for (const std::string format : {"", expected.format}) {
    TraceOptions options{.format = format};
    if (!format.empty() && *expected.time_unit != '\0') options.parameters["time_unit"] = expected.time_unit;
    const TraceInfo info = analyse_trace(*open_trace(path_, options));
    EXPECT_EQ(info.requests, expected.requests);
    EXPECT_EQ(info.footprint_bytes, expected.pages * 4096);
    EXPECT_EQ(info.written_footprint_bytes, expected.written_pages * 4096);
    EXPECT_NEAR(static_cast<double>(info.read_bytes) / 1e9, expected.read_gb, 0.00051);
    EXPECT_NEAR(static_cast<double>(info.write_bytes) / 1e9, expected.write_gb, 0.00051);
    const bool has_operations = std::string(expected.write_percent) != "n/a";
    EXPECT_EQ(info.timed, has_operations);
    if (!has_operations) {
      EXPECT_EQ(info.reads, expected.requests);
      continue;
    }
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.1f",
                  100.0 * static_cast<double>(info.writes) / static_cast<double>(info.requests));
    EXPECT_STREQ(percent, expected.write_percent);
    EXPECT_GT(info.duration_s, 0.0);
    EXPECT_LT(info.duration_s, 8 * 86400.0);
  }
}

// A trace scores 100 with its own format and 0 with every other.
TEST_P(PublicTraces, OnlyTheirOwnFormatFits) {
  PeekedStream bytes(open_byte_stream(path_), TraceSample::kBytes);
  const TraceSample sample = trace_sample(bytes.head());
  for (const TraceFormat& format : trace_formats())
    if (format.name == GetParam().format)
      EXPECT_EQ(format.score(sample), 100) << format.name;
    else
      EXPECT_EQ(format.score(sample), 0) << format.name;
}

INSTANTIATE_TEST_SUITE_P(All, PublicTraces, testing::ValuesIn(kTraces), name_of);

TEST(PublicTraceTable, HasEveryFileThatSourcesNames) {
  const auto directory = trace_directory();
  if (directory.empty()) GTEST_SKIP() << "no public traces: set FLASHLOOM_TRACES";
  std::ifstream file(directory / "SOURCES.md");
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (!line.starts_with("| ") || line.find(".zst") == std::string::npos) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    ++rows;
    EXPECT_TRUE(std::any_of(std::begin(kTraces), std::end(kTraces), [&](const auto& t) { return name == t.file; }))
        << name;
  }
  EXPECT_GE(rows, 20);
}

// Both encodings of the CloudPhysics piece hold the same requests; the CSV truncates times to seconds.
TEST(PublicTraceTable, CloudPhysicsEncodingsAgree) {
  const auto directory = trace_directory();
  if (directory.empty()) GTEST_SKIP() << "no public traces: set FLASHLOOM_TRACES";
  const auto binary = open_trace((directory / "cloudPhysicsIO.vscsi.zst").string());
  const auto text = open_trace((directory / "cloudPhysicsIO.csv.zst").string());
  constexpr double kSecond = 1e12;
  Request a;
  Request b;
  std::uint64_t requests = 0;
  while (binary->next(a)) {
    ASSERT_TRUE(text->next(b));
    ASSERT_EQ(a.kind, b.kind);
    ASSERT_EQ(a.offset, b.offset);
    ASSERT_EQ(a.length, b.length);
    ASSERT_NEAR(static_cast<double>(a.arrival_ps), static_cast<double>(b.arrival_ps), kSecond);
    ++requests;
  }
  EXPECT_FALSE(text->next(b));
  EXPECT_EQ(requests, 113872U);
}

}  // namespace
}  // namespace flashloom::public_traces_test
