// The formats that traces_test.cpp does not have, on lines worked by hand, and laws of all formats.
#include <gtest/gtest.h>

#include <set>

#include "tests/workloads/input_files.hpp"
#include "tests/workloads/traces/trace_samples.hpp"

namespace flashloom::trace_formats_test {
namespace {

constexpr RequestKind R = RequestKind::Read;
constexpr RequestKind W = RequestKind::Write;
constexpr RequestKind F = RequestKind::Flush;
constexpr std::uint64_t kUs = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000'000;

/// Kind, offset, length, arrival, stream.
using Expected = std::tuple<RequestKind, std::uint64_t, std::uint64_t, std::uint64_t, unsigned>;

std::vector<Expected> requests_of(std::string_view bytes, const TraceOptions& options = {}) {
  std::vector<Expected> requests;
  for (const Request& r : all_requests(*open_bytes(bytes, options)))
    requests.emplace_back(r.kind, r.offset, r.length, r.arrival_ps, r.stream);
  return requests;
}

TEST(SpcTraces, SectorsBytesAndSeconds) {
  const std::string text = "0,20941264,8192,W,0.551706\n1,20939840,512,r,0.554041,x,y\n23,0,4096,R,1.551706\n";
  EXPECT_EQ(requests_of(text), (std::vector<Expected>{{W, 20941264ULL * 512, 8192, 0, 0},
                                                      {R, 20939840ULL * 512, 512, 2335 * kUs, 1},
                                                      {R, 0, 4096, kSecond, 23}}));
  EXPECT_EQ(std::get<1>(requests_of(text, {"umass", {{"lba_bytes", "4096"}}})[0]), 20941264ULL * 4096);
}

TEST(CloudPhysicsCsv, OperationCodesAndOtherCommands) {
  EXPECT_EQ(requests_of("version,time,op,size,lbn\n"
                        "1,5633898,2a,512,42932745\n1,5633899,28,6656,40409911\n1,5633899,12,96,0\n1,5633899,28,0,5\n"
                        "1,5633900,35,0,0\n1,5633901,88,4096,8\n1,5633901,8A,4096,16\n"),
            (std::vector<Expected>{{W, 42932745ULL * 512, 512, 0, 0},
                                   {R, 40409911ULL * 512, 6656, kSecond, 0},
                                   {F, 0, 0, 2 * kSecond, 0},
                                   {R, 4096, 4096, 3 * kSecond, 0},
                                   {W, 8192, 4096, 3 * kSecond, 0}}));
}

TEST(TencentTraces, SecondsAndSectors) {
  EXPECT_EQ(requests_of("1538323200,12910952,128,0,1063\n1538323202,6160447,8,1,7\n"),
            (std::vector<Expected>{{R, 12910952ULL * 512, 65536, 0, 1063 % 256},
                                   {W, 6160447ULL * 512, 4096, 2 * kSecond, 7}}));
}

// Sizes of two digits are also SCSI operation codes, and types look like sizes; still all the lines are requests, with
// times in the same second, counted from the epoch or from 0.
TEST(TencentTraces, AreNoCloudPhysics) {
  for (const char* const second : {"1538323200", "0", "7"}) {
    std::string text;
    for (int line = 0; line < 78; ++line)
      text += std::string(second) + "," + std::to_string(line * 8008) + "," + (line % 3 == 0 ? "8" : "28") + "," +
              std::to_string(line % 2) + ",1063\n";
    EXPECT_EQ(requests_of(text).size(), 78) << second;
  }
}

TEST(AlibabaTraces, BytesAndMicroseconds) {
  const std::vector<Expected> expected{{R, 12910592, 4096, 0, 64}, {W, 8292630528, 16384, 69 * kUs, 419 % 256}};
  const std::string text = "64,R,12910592,4096,1577808000000043\n419,W,8292630528,16384,1577808000000112\n";
  EXPECT_EQ(requests_of(text), expected);
  EXPECT_EQ(requests_of("device_id,opcode,offset,length,timestamp\n" + text), expected);
}

TEST(RawKeys, AreReadsOfPages) {
  EXPECT_EQ(requests_of("17\n2\n17\n"),
            (std::vector<Expected>{{R, 17 * 4096, 4096, 0, 0}, {R, 8192, 4096, 0, 0}, {R, 17 * 4096, 4096, 0, 0}}));
  EXPECT_EQ(requests_of("17\n", {"keys", {{"page_bytes", "512"}}}), (std::vector<Expected>{{R, 17 * 512, 512, 0, 0}}));
  EXPECT_FALSE(open_bytes("17\n")->timed());
}

TEST(Vscsi, BothVersionsByTheirContent) {
  for (const unsigned version : {1U, 2U}) {
    const std::string bytes = vscsi(version, 0x2a, 512, 42932745, 5633898229538) +
                              vscsi(version, 0x28, 6656, 3, 5633898229540) + vscsi(version, 0x12, 96, 0, 1) +
                              vscsi(version, 0x28, 0, 7, 2) + vscsi(version, 0x91, 0, 0, 5633898229541) +
                              vscsi(version, 0xaa, 1024, 1ULL << 40, 5633898229542);
    for (const std::string& content : {bytes, gzip(bytes), zstd(bytes), xz(bytes)})
      EXPECT_EQ(requests_of(content), (std::vector<Expected>{{W, 42932745ULL * 512, 512, 0, 0},
                                                             {R, 1536, 6656, 2 * kUs, 0},
                                                             {F, 0, 0, 3 * kUs, 0},
                                                             {W, 1ULL << 49, 1024, 4 * kUs, 0}}));
  }
}

TEST(Vscsi, PositionsAndErrorsNameTheRecord) {
  const std::string good = vscsi(1, 0x2a, 512, 1, 1) + vscsi(1, 0x12, 96, 0, 2) + vscsi(1, 0x28, 512, 2, 3);
  const auto source = open_bytes(good);
  Request request;
  for (const std::uint64_t record : {1U, 3U}) {
    ASSERT_TRUE(source->next(request));
    EXPECT_EQ(source->position().line, record);
    EXPECT_EQ(source->position().unit, PositionUnit::Record);
  }
  const auto error = [](const std::string& bytes) {
    return error_of([&] { all_requests(*open_bytes(bytes, {"vscsi", {}})); });
  };
  EXPECT_STREQ(error(good + "12345").what(), "memory: record 4: the file ends inside a record: 5 of 32 bytes");
  EXPECT_STREQ(error(good + vscsi(2, 0x28, 512, 1, 4)).what(), "memory: record 4: version is 0, not 1");
  EXPECT_STREQ(error(good + vscsi(1, 0x28, 512, 1ULL << 60, 4)).what(),
               "memory: record 4: lbn is too large: 1152921504606846976");
  EXPECT_STREQ(error(vscsi(1, 0x12, 96, 0, 2)).what(), "memory: no requests");
}

TEST(Fiu, NamesWithBlanksAndPaddingZeroes) {
  using std::string_literals::operator""s;
  EXPECT_EQ(requests_of("89966522969723 4270 rpc.mountd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"
                        "89966522969823 4253 Web Content x 16 1 R 6 3 88b93b628d84082186026d9da044f173\n"s +
                        std::string(1000, '\0')),
            (std::vector<Expected>{{W, 18579576ULL * 512, 4096, 0, 0}, {R, 8192, 512, 100'000, 3}}));
}

TEST(Systor, HeaderEmptyResponseAndOrderOfCompletions) {
  const std::string text =
      "Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,899056122368,131072\n"
      "1456095145.126285000,,W,2,4256049987072,512\n1456095145.133076001,0.1,R,6,0,4096\n";
  const auto source = open_bytes(text);
  all_requests(*source);
  EXPECT_EQ(source->clamped_times(), 1U);
  EXPECT_EQ(
      requests_of(text),
      (std::vector<Expected>{{R, 899056122368, 131072, 0, 0}, {W, 4256049987072, 512, 0, 2}, {R, 0, 4096, 1000, 6}}));
}

TEST(DiskMon, TabsAndTrailingBlanks) {
  EXPECT_EQ(requests_of("0\t0.047339\t0.00019073\t0\tRead\t1320146\t8\t\n1\t0.531680\t0.0\t1\tWrite\t0\t24\n"),
            (std::vector<Expected>{{R, 1320146ULL * 512, 4096, 0, 0}, {W, 0, 12288, 484341 * kUs, 1}}));
}

TEST(Arc, ReadsWithoutTimes) {
  const std::string text = "230027 8 0 0\n1842745 64 0 1\n1 1 50 2\n";
  EXPECT_FALSE(open_bytes(text)->timed());
  EXPECT_EQ(requests_of(text),
            (std::vector<Expected>{
                {R, 230027ULL * 512, 4096, 0, 0}, {R, 1842745ULL * 512, 32768, 0, 0}, {R, 512, 512, 0, 0}}));
}

TEST(Nexus5, TimeGoesOnWhenTheClockIsSet) {
  const std::string text =
      "0\t\t8\t\t4096\t\t4\t\t1.5\t\t1.6\t\t1.7\t\t1.8\n8 1 512 5 2.0 2.1 2.2 2.3\n"
      "0 8 4096 4 1398396748.0 1398396748.1 1398396748.2 1398396748.3\n"
      "0 8 4096 1 1398396750.0 1398396750.1 1398396750.2 1398396750.3\n"
      "0 8 4096 1 3.0 3.1 3.2 3.3\n0 8 4096 0 3.25 3.5 3.5 3.5\n";
  const auto source = open_bytes(text);
  all_requests(*source);
  EXPECT_EQ(source->clamped_times(), 2U);
  EXPECT_EQ(requests_of(text), (std::vector<Expected>{{R, 0, 4096, 0, 0},
                                                      {W, 4096, 512, kSecond / 2, 0},
                                                      {R, 0, 4096, kSecond / 2, 0},
                                                      {W, 0, 4096, kSecond * 5 / 2, 0},
                                                      {W, 0, 4096, kSecond * 5 / 2, 0},
                                                      {R, 0, 4096, kSecond * 11 / 4, 0}}));
}

// Every format has a sample and is detected by it. No other format is: no other score is even near.
TEST(AllFormats, AreToldApart) {
  std::set<std::string> seen;
  for (const SampleTrace& sample : sample_traces()) {
    SCOPED_TRACE(sample.format);
    seen.insert(sample.format);
    EXPECT_FALSE(requests_of(sample.bytes).empty());
    for (const TraceFormat& format : trace_formats()) {
      const int score = format.score(trace_sample(sample.bytes));
      if (format.name == sample.format)
        EXPECT_GE(score, kLowestTraceScore) << format.name;
      else
        EXPECT_LT(score, kLowestTraceScore / 2) << format.name;
    }
  }
  for (const TraceFormat& format : trace_formats()) EXPECT_TRUE(seen.contains(format.name)) << format.name;
}

TEST(AllFormats, CompressionAndSourceOfTheBytesMakeNoDifference) {
  const InputFiles files;
  for (const SampleTrace& sample : sample_traces()) {
    SCOPED_TRACE(sample.format);
    const auto expected = requests_of(sample.bytes);
    for (const std::string& content : {gzip(sample.bytes), zstd(sample.bytes), xz(sample.bytes)})
      EXPECT_EQ(requests_of(content), expected);
    EXPECT_EQ(all_requests(*open_trace(files.write("t", sample.bytes))).size(), expected.size());
  }
}

int always(const TraceSample& sample) { return sample.bytes.starts_with("both") ? 90 : 0; }

void tie() {  // in a process of its own, as a registration stays
  for (const char* const name : {"zz_first", "zz_second"})
    TraceFormatRegistration{{.name = name,
                             .aliases = {},
                             .summary = "for this test",
                             .parameters = {},
                             .score = &always,
                             .make = trace_formats().front().make}};
  std::fputs(error_of([] { open_bytes("both\n"); }).what(), stderr);
  std::exit(0);
}

// Found by fuzzing: a format that looks at a missing field says that it does not fit, and throws no error.
TEST(AllFormats, AMissingFieldIsNoErrorOfDetection) {
  EXPECT_EQ(error_of([] { open_bytes("1,2.5,,512,8\n1,2.6,,512,8\n"); }).line(), 1U);
}

TEST(AllFormatsDeathTest, ATieIsAnErrorThatNamesTheFormats) {
  EXPECT_EXIT(tie(), testing::ExitedWithCode(0),
              "memory:1: the beginning fits several trace formats; say by --format which one: zz_first, zz_second");
}

}  // namespace
}  // namespace flashloom::trace_formats_test
