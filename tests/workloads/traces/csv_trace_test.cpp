// Traces with named columns, and the files and processes that other formats name.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/request_sources.hpp"
#include "tests/workloads/traces/trace_samples.hpp"

namespace flashloom::csv_trace_test {
namespace {

std::vector<Request> requests_of(const std::string& text) { return all_requests(*open_bytes(text)); }

std::vector<std::uint16_t> writers_of(const std::string& text) {
  std::vector<std::uint16_t> writers;
  for (const Request& request : requests_of(text)) writers.push_back(request.writer);
  return writers;
}

TEST(CsvTrace, EveryColumnInAnyOrder) {
  const std::vector<Request> all = requests_of(
      "writer,length_sectors,-,time_ms,offset_bytes,operation,fua,placement,stream\n"
      "wal,8,?,100,4096,Write,1,7,3\n"
      "sst,1,?,100.5,512,w,0,,4\n"
      ",16,?,101,0,trim,0,,0\n"
      "wal,,,102,,flush,0,,0\n");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].kind, RequestKind::Write);
  EXPECT_EQ(all[0].offset, 4096U);
  EXPECT_EQ(all[0].length, 4096U);
  EXPECT_EQ(all[0].arrival_ps, 0U);
  EXPECT_TRUE(all[0].fua);
  EXPECT_EQ(all[0].stream, 3U);
  EXPECT_EQ(all[0].directive, RequestDirective::DataPlacement);
  EXPECT_EQ(all[0].identifier, 7U);
  EXPECT_EQ(all[0].writer, 1U);
  EXPECT_EQ(all[1].arrival_ps, 500'000'000U);
  EXPECT_EQ(all[1].directive, RequestDirective::None);
  EXPECT_EQ(all[1].writer, 2U);
  EXPECT_EQ(all[2].kind, RequestKind::Trim);
  EXPECT_EQ(all[2].writer, 0U);
  EXPECT_EQ(all[3].kind, RequestKind::Flush);
  EXPECT_EQ(all[3].length, 0U);
  EXPECT_EQ(all[3].writer, 1U);
}

// As pandas.DataFrame.to_csv writes columns of floats.
TEST(CsvTrace, FloatsAndExponents) {
  const std::vector<Request> all = requests_of(
      "time_s,operation,offset_bytes,length_bytes\n0,r,0.0,4096.0\n1e-05,r,4.096e3,512.\n1.25E+1,w,8e3,1.6384e+04\n");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].arrival_ps, 10'000'000U);
  EXPECT_EQ(all[1].offset, 4096U);
  EXPECT_EQ(all[1].length, 512U);
  EXPECT_EQ(all[2].arrival_ps, 12'500'000'000'000U);
  EXPECT_EQ(all[2].offset, 8000U);
  EXPECT_EQ(all[2].length, 16384U);
  for (const char* wrong : {"1e", "1e5.5", "e5", "1e99", "--1", "1.5"})
    EXPECT_THROW(requests_of("operation,offset_bytes,length_bytes\nr," + std::string(wrong) + ",512\n"), WorkloadError)
        << wrong;
}

TEST(CsvTrace, WithoutTimesAndWithStreams) {
  const auto source =
      open_bytes(std::string("operation,offset_sectors,length_bytes,write_stream\nw,2,512,9\nr,0,512,\n"));
  EXPECT_FALSE(source->timed());
  const std::vector<Request> all = all_requests(*source);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].offset, 1024U);
  EXPECT_EQ(all[0].directive, RequestDirective::Streams);
  EXPECT_EQ(all[0].identifier, 9U);
}

TEST(WritersOfTraces, AreFilesAndProcessesByName) {
  EXPECT_EQ(writers_of("8,16 3 5 0.1 3645 D R 8 + 16 [a b]\n8,16 3 6 0.2 36 D W 100 + 1 [java]\n"
                       "8,16 3 9 0.3 1 D FN [java]\n8,16 3 9 0.4 9 D W 8 + 16 [a b]\n8,16 3 9 0.5 9 D W 8 + 16\n"),
            (std::vector<std::uint16_t>{1, 2, 2, 1, 0}));
  EXPECT_EQ(writers_of("89966522969723 4270 rpc.mountd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"
                       "89966527950584 4253 a b c 508516672 8 R 6 1 88b93b628d84082186026d9da044f173\n"
                       "89966527950585 9999 rpc.mountd 0 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"),
            (std::vector<std::uint16_t>{1, 2, 1}));
  EXPECT_EQ(writers_of("fio version 2 iolog\nf add\nf read 4096 8192\ng write 0 512\nf write 0 512\n"),
            (std::vector<std::uint16_t>{1, 2, 1}));
}

}  // namespace
}  // namespace flashloom::csv_trace_test
