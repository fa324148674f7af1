// Hand-worked traces of every format.
#include <gtest/gtest.h>

#include "tests/workloads/input_files.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom::traces_test {
namespace {

struct Expected {
  RequestKind kind;
  std::uint64_t offset;
  std::uint64_t length;
  std::uint64_t arrival_ps;
  unsigned stream = 0;
  bool fua = false;
};

void expect_requests(RequestSource& source, const std::vector<Expected>& expected) {
  const std::vector<Request> requests = all_requests(source);
  ASSERT_EQ(requests.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE("request " + std::to_string(i));
    EXPECT_EQ(requests[i].kind, expected[i].kind);
    EXPECT_EQ(requests[i].offset, expected[i].offset);
    EXPECT_EQ(requests[i].length, expected[i].length);
    EXPECT_EQ(requests[i].arrival_ps, expected[i].arrival_ps);
    EXPECT_EQ(requests[i].stream, expected[i].stream);
    EXPECT_EQ(requests[i].fua, expected[i].fua);
  }
}

constexpr RequestKind R = RequestKind::Read;
constexpr RequestKind W = RequestKind::Write;
constexpr RequestKind T = RequestKind::Trim;
constexpr RequestKind F = RequestKind::Flush;

constexpr const char* kMsr =
    "128166386783630075,hm,0,Write,3164164096,40960,2896\n"
    "128166386783630309,hm,1,Read,4096,512,2663\n"
    "\n"
    "128166386793630075, hm, 0, read, 0, 1, 0\n";
const std::vector<Expected> kMsrRequests{
    {W, 3164164096, 40960, 0}, {R, 4096, 512, 23'400'000, 1}, {R, 0, 1, 1'000'000'000'000}};

TEST(Traces, Msr) {
  const InputFiles files;
  for (const std::string& content :
       {std::string(kMsr), gzip(kMsr), zstd(kMsr), xz(kMsr),
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + std::string(kMsr)})
    expect_requests(*open_trace(files.write("trace", content)), kMsrRequests);
}

TEST(Traces, DiskSimMilliseconds) {
  const InputFiles files;
  const std::string text = "640.875000\t0\t522424\t16\t1\n640.875001 2 10 1 0\r\n1640.875 0 0 8 3\n \t\n";
  const std::vector<Expected> expected{
      {R, 522424ULL * 512, 8192, 0}, {W, 5120, 512, 1000, 2}, {R, 0, 4096, 1'000'000'000'000}};
  for (const std::string& content : {text, gzip(text), zstd(text), xz(text)})
    expect_requests(*open_trace(files.write("t", content)), expected);
}

TEST(Traces, DiskSimNanosecondsAndOtherUnits) {
  const InputFiles files;
  const std::string path = files.write("t", "938513000 4 100 16 0\n938828000 3 200 8 1\n");
  const auto with = [&](std::uint64_t second) {
    return std::vector<Expected>{{W, 51200, 8192, 0, 4}, {R, 102400, 4096, second, 3}};
  };
  expect_requests(*open_trace(path), with(315'000'000));
  expect_requests(*open_trace(path, {"mqsim", {}}), with(315'000'000));
  expect_requests(*open_trace(path, {"disksim", {{"time_unit", "ms"}}}), with(315'000'000'000'000));
  const std::string seconds = files.write("s", "1 0 0 8 1\n3 0 0 8 1\n");
  expect_requests(*open_trace(seconds, {"", {{"time_unit", "s"}}}), {{R, 0, 4096, 0}, {R, 0, 4096, 2'000'000'000'000}});
}

TEST(Traces, FioIologVersion2) {
  const InputFiles files;
  const std::string text =
      "fio version 2 iolog\n/dev/a add\n/dev/b add\n/dev/a open\n/dev/a read 4096 8192\n/dev/a wait 150 0\n"
      "/dev/b write 0 512\n/dev/a wait 50 0\n/dev/a sync 0 0\n/dev/b datasync\n/dev/a trim 65536 4096\n/dev/a close\n";
  const std::vector<Expected> expected{{R, 4096, 8192, 0},
                                       {W, 0, 512, 150'000'000, 1},
                                       {F, 0, 0, 200'000'000},
                                       {F, 0, 0, 200'000'000, 1},
                                       {T, 65536, 4096, 200'000'000}};
  for (const std::string& content : {text, gzip(text), zstd(text), xz(text)})
    expect_requests(*open_trace(files.write("t", content)), expected);
}

TEST(Traces, FioIologVersion3) {
  const InputFiles files;
  const std::string text =
      "fio version 3 iolog\n20 f add\n108 f open\n114 f read 0 4096\n263 f write 45056 4096\n317 f sync 45056 0\n"
      "1114 f trim 0 8192\n1200 f close\n";
  const std::vector<Expected> expected{
      {R, 0, 4096, 0}, {W, 45056, 4096, 149'000'000}, {F, 0, 0, 203'000'000}, {T, 0, 8192, 1'000'000'000}};
  for (const std::string& content : {text, gzip(text), zstd(text), xz(text)})
    expect_requests(*open_trace(files.write("t", content)), expected);
}

constexpr const char* kBlkparse =
    "Input file sda.blktrace.0 added\n"
    "  8,16   3        4     0.000011950  3645  Q   R 8 + 16 [a name]\n"
    "  8,16   3        5     0.000026421  3645  D   R 8 + 16 [a name]\n"
    "  8,16   3        0     0.000030000     0  m   N cfq workload slice:100\n"
    "  8,16   3        6     0.000126421  3645  D  WS 100 + 1 [java]\n"
    "  8,16   3        7     0.000200000     0  C   R 8 + 16 [0]\n"
    "  8,16   3        8     0.000226421  3645  D  WFS 0 + 8 [jbd2]\n"
    "  8,16   3        9     0.000326421  3645  D  FN [kworker]\n"
    "  8,16   3       10     0.000426421  3645  D  FWFS 24 + 8 [jbd2]\n"
    "  8,16   3       11     0.000526421  3645  D   D 2048 + 2048 [fstrim]\n"
    "  8,16   3       12     0.000626421  3645  D   N 0 (12 00) [smartd]\n"
    "CPU0 (8,16):\n"
    " Reads Queued:           0,        0KiB\t Writes Queued:           0,        0KiB\n"
    "\n"
    "Total (8,16):\n"
    "Events (8,16): 29662 entries\n";

TEST(Traces, Blkparse) {
  const InputFiles files;
  const std::vector<Expected> expected{{R, 4096, 8192, 0},
                                       {W, 51200, 512, 100'000'000},
                                       {W, 0, 4096, 200'000'000, 0, true},
                                       {F, 0, 0, 300'000'000},
                                       {F, 0, 0, 400'000'000},
                                       {W, 12288, 4096, 400'000'000, 0, true},
                                       {T, 1048576, 1048576, 500'000'000}};
  const std::string text = kBlkparse;
  for (const std::string& content : {text, gzip(text), zstd(text), xz(text)})
    expect_requests(*open_trace(files.write("t", content)), expected);
  const std::string path = files.write("t", text);
  expect_requests(*open_trace(path, {"", {{"action", "Q"}}}), {{R, 4096, 8192, 0}});
  expect_requests(*open_trace(path, {"blktrace", {{"action", "C"}}}), {{R, 4096, 8192, 0}});
}

// Linux 6.16 marks atomic writes with U; zones have Z and a letter: an append is a write, others move no blocks.
TEST(Traces, BlkparseOfNewerKernels) {
  const InputFiles files;
  expect_requests(*open_trace(files.write("t",
                                          "8,16 3 5 0.1 1 D WFSU 8 + 16 [a]\n8,16 3 6 0.2 1 D ZA 64 + 8 [a]\n"
                                          "8,16 3 7 0.3 1 D ZR 64 + 0 [a]\n8,16 3 8 0.4 1 D RU 8 + 8 [a]\n")),
                  {{W, 4096, 8192, 0, 0, true}, {W, 32768, 4096, 100'000'000'000}, {R, 4096, 4096, 300'000'000'000}});
}

TEST(Traces, BlkparseWallClockStampIsClamped) {
  const InputFiles files;
  const auto source = open_trace(files.write("t",
                                             "8,16 3 5 0.5 1 D R 8 + 16 [a]\n8,16 3 5 1.5 1 D R 8 + 16 [a]\n"
                                             "8,16 1 6 1266874889.708668759 1 D R 16 + 8 [a]\n"));
  expect_requests(*source,
                  {{R, 4096, 8192, 0}, {R, 4096, 8192, 1'000'000'000'000}, {R, 8192, 4096, 1'000'000'000'000}});
  EXPECT_EQ(source->clamped_times(), 1U);
}

TEST(Traces, EarlierTimesAreRaisedAndCounted) {
  const InputFiles files;
  const auto source = open_trace(files.write("t", "5.0 0 0 8 1\n7.0 0 0 8 1\n6.0 0 0 8 1\n4.0 0 0 8 1\n8.5 0 0 8 1\n"));
  constexpr std::uint64_t kMs = 1'000'000'000;
  expect_requests(*source, {{R, 0, 4096, 0},
                            {R, 0, 4096, 2 * kMs},
                            {R, 0, 4096, 2 * kMs},
                            {R, 0, 4096, 2 * kMs},
                            {R, 0, 4096, 3 * kMs + kMs / 2}});
  EXPECT_EQ(source->clamped_times(), 2U);
}

TEST(Traces, PositionsAreThoseOfTheLines) {
  const InputFiles files;
  const std::string path = files.write("t", kMsr);
  const auto source = open_trace(path);
  Request request;
  for (const std::uint64_t line : {1U, 2U, 4U}) {
    ASSERT_TRUE(source->next(request));
    EXPECT_EQ(source->position().line, line);
    EXPECT_EQ(source->position().file, path);
  }
}

TEST(Traces, FormatsAreListedInOrder) {
  std::vector<std::string> names;
  for (const TraceFormat& format : trace_formats()) {
    names.push_back(format.name);
    EXPECT_FALSE(format.summary.empty());
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"blkparse", "disksim", "fio_iolog", "msr"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(Traces, ADuplicateNameIsFatal) {
  TraceFormat twice = trace_formats().front();
  EXPECT_THROW(TraceFormatRegistration{twice}, std::logic_error);
  twice.name = "new";  // its aliases are still taken
  EXPECT_THROW(TraceFormatRegistration{twice}, std::logic_error);
}

}  // namespace
}  // namespace flashloom::traces_test
