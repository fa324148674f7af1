// The formats of events that kernels record, worked by hand: ftrace, lttng, biosnoop, etw, blk_io_trace; thesios,
// oracle_general, and version 1 of fio_iolog.
#include <gtest/gtest.h>

#include "tests/workloads/input_files.hpp"
#include "tests/workloads/traces/trace_samples.hpp"

namespace flashloom::event_traces_test {
namespace {

constexpr RequestKind R = RequestKind::Read;
constexpr RequestKind W = RequestKind::Write;
constexpr RequestKind T = RequestKind::Trim;
constexpr RequestKind F = RequestKind::Flush;
constexpr std::uint64_t kUs = 1'000'000;
constexpr std::uint64_t kMs = 1'000 * kUs;

/// Kind, offset, length, arrival, writer, FUA.
using Expected = std::tuple<RequestKind, std::uint64_t, std::uint64_t, std::uint64_t, unsigned, bool>;

std::vector<Expected> requests_of(std::string_view bytes, const TraceOptions& options = {}) {
  std::vector<Expected> requests;
  for (const Request& r : all_requests(*open_bytes(bytes, options)))
    requests.emplace_back(r.kind, r.offset, r.length, r.arrival_ps, r.writer, r.fua);
  return requests;
}

// Lines as trace-cmd report, perf script and a kernel since 6.9 write them.
constexpr const char* kFtrace =
    "# tracer: nop\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
    " kworker/0:1-100   [000] .... 10.000000: block_bio_queue: 8,0 R 1000 + 8 [kworker/0:1]\n"
    " kworker/0:1-100   [000] .... 10.000100: block_rq_issue: 8,0 R 4096 () 1000 + 8 [kworker/0:1]\n"
    " a-7   [001] d..1 10.000150: sched_switch: prev_comm=a prev_pid=7\n"
    " <idle>-0     [007] ..s. 10.000200: block_rq_complete: 8,0 R () 1000 + 8 [0]\n"
    "dd 12345 [001] 10.000300: block:block_rq_issue: 8,0 WFS 4096 () 16 + 8 be,0,4 [a b]\n"
    " kworker/7:1H-250   [007] .... 10.000400: block_rq_issue: 8,0 FF 0 () 0 + 0 [kworker/7:1H]\n"
    " kworker/7:1H-250   [007] .... 10.000500: block_rq_issue: 8,0 N 0 () 0 + 0 [kworker/7:1H]\n"
    " a-7   [007] .... 10.000600: block_rq_issue: 8,0 DS 1048576 () 2048 + 2048 none,0,0 [a b]\n";

TEST(Ftrace, TextOfSeveralPrograms) {
  EXPECT_EQ(requests_of(kFtrace), (std::vector<Expected>{{R, 512000, 4096, 0, 1, false},
                                                         {W, 8192, 4096, 200 * kUs, 2, true},
                                                         {F, 0, 0, 300 * kUs, 3, false},
                                                         {T, 1048576, 1048576, 500 * kUs, 2, false}}));
  for (const char* const action : {"Q", "C"})
    EXPECT_EQ(requests_of(kFtrace, {"", {{"action", action}}}),
              (std::vector<Expected>{{R, 512000, 4096, 0, action[0] == 'Q' ? 1U : 0U, false}}));
}

TEST(Lttng, BitsOfRwbsAndMidnight) {
  const std::string begin = " (+0.1) host block_rq_issue: { cpu_id = 0 }, { dev = 265289728, sector = ";
  EXPECT_EQ(requests_of("[23:59:59.500000000]" + begin + "8, nr_sector = 8, bytes = 0, rwbs = 33, comm = \"a, b\" }\n" +
                        "[00:00:00.500000000]" + begin + "16, nr_sector = 1, bytes = 0, rwbs = 4, comm = \"c\" }\n" +
                        "[00:00:00.600000000] (+0.1) host sched_switch: { cpu_id = 0 }, { prev_comm = \"a\" }\n" +
                        "[00:00:00.750000000]" + begin +
                        "18446744073709551615, nr_sector = 0, bytes = 0, rwbs = 256, comm = \"c\" }\n" +
                        "[00:00:01.500000000]" + begin + "32, nr_sector = 2, bytes = 0, rwbs = 513, comm = \"c\" }\n"),
            (std::vector<Expected>{{W, 4096, 4096, 0, 1, false},
                                   {R, 8192, 512, 1000 * kMs, 2, false},
                                   {F, 0, 0, 1250 * kMs, 2, false},
                                   {W, 16384, 1024, 2000 * kMs, 2, true}}));
  for (const char* const clock : {"2024-02-29 23:59:59.5", "1709251199.5"})
    EXPECT_EQ(requests_of("[" + std::string(clock) + "]" + begin + "8, nr_sector = 8, rwbs = 2 }\n"),
              (std::vector<Expected>{{T, 4096, 4096, 0, 0, false}}));
}

TEST(Biosnoop, ArrivesWhenItIsIssued) {
  const std::string text =
      "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)\n"
      "0.000000    Web Content    1950   xvda1   W 16         4096      0.01    0.50\n"
      "0.010000    sync           1950   xvdb    R 8          512       0.11    1.00\n"
      "0.020000    sync           1950   xvdb    FF 0          0         0.11    1.00\n";
  EXPECT_EQ(requests_of(text),
            (std::vector<Expected>{
                {W, 8192, 4096, 0, 1, false}, {R, 4096, 512, 9500 * kUs, 2, false}, {F, 0, 0, 19500 * kUs, 2, false}}));
  EXPECT_EQ(std::get<3>(requests_of(text, {"", {{"action", "C"}}})[1]), 10 * kMs);
}

TEST(Etw, HexadecimalExtentsAndCompletions) {
  for (const SampleTrace& sample : sample_traces()) {
    if (sample.format != "etw") continue;
    EXPECT_EQ(requests_of(sample.bytes), (std::vector<Expected>{{R, 0x1000, 0x2000, 0, 1, false},
                                                                {W, 0x7f00000200, 4096, 2250 * kUs, 2, false},
                                                                {F, 0, 0, 3400 * kUs, 2, false}}));
    EXPECT_EQ(std::get<3>(requests_of(sample.bytes, {"", {{"action", "C"}}})[1]), 2 * kMs);
  }
}

TEST(BlkIoTrace, BothByteOrders) {
  for (const bool big : {false, true}) {
    EXPECT_EQ(requests_of(blk_io_trace(big)), (std::vector<Expected>{{R, 4096, 8192, 0, 1, false},
                                                                     {F, 0, 0, kUs, 1, false},
                                                                     {W, 8192, 512, kUs, 1, true},
                                                                     {T, 1048576, 4096, 2 * kUs, 2, false},
                                                                     {F, 0, 0, 3 * kUs, 2, false}}));
    for (const char* const action : {"Q", "C"})
      EXPECT_EQ(requests_of(blk_io_trace(big), {"", {{"action", action}}}).size(), 1U);
    const auto error = [](const std::string& bytes) {
      return std::string(error_of([&] { all_requests(*open_bytes(bytes)); }).what());
    };
    EXPECT_EQ(error(blk_io_trace(big) + "1234"), "memory: record 9: the file ends inside a record: 4 of 48 bytes");
    EXPECT_EQ(error(blk_io_record(big, 1, 0, 0, 512, 0x410007, 1, {}, 8)),
              "memory: record 1: version 8 of blktrace, not 7");
    EXPECT_EQ(error(blk_io_record(big, 1, 0, 0, 512, 0x110001, 1)),
              "memory: no D events, but other ones: choose by the option action (D, Q or C)");
  }
}

TEST(OracleGeneral, ObjectsArePages) {
  const std::string trace = oracle_general(7, 17, 4096, 3) + oracle_general(7, 99, 0, -1) +
                            oracle_general(9, 17, 1, 4) + oracle_general(9, 17, 1, -1);
  EXPECT_EQ(requests_of(trace), (std::vector<Expected>{{R, 17 * 4096, 4096, 0, 0, false},
                                                       {R, 17 * 4096, 4096, 2000 * kMs, 0, false},
                                                       {R, 17 * 4096, 4096, 2000 * kMs, 0, false}}));
  EXPECT_EQ(requests_of(oracle_general(0, ~0ULL, 1, -1)).size(), 1U);  // a hash: the page lies within 64 bits
}

TEST(Thesios, FilesHavePlacesAndHitsDoNotReachTheDisk) {
  std::string text;
  for (const SampleTrace& sample : sample_traces())
    if (sample.format == "thesios") text = sample.bytes + sample.bytes;  // the header comes again
  constexpr std::uint64_t kFile = 64ULL << 20U;
  const std::vector<Expected> all = requests_of(text);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], (Expected{R, 0, 1050624, 0, 0, false}));
  EXPECT_EQ(all[1], (Expected{W, kFile + 461618, 100, 1000 * kMs, 0, false}));
  EXPECT_EQ(std::get<1>(all[2]), 0U);
  EXPECT_EQ(requests_of(text, {"", {{"level", "server"}}}).size(), 6U);
}

TEST(FioIolog, Version1HasNoTimes) {
  const std::string text = "0, 4096, 8192\n1,0,512\n";
  EXPECT_FALSE(open_bytes(text)->timed());
  EXPECT_EQ(requests_of(text), (std::vector<Expected>{{R, 4096, 8192, 0, 0, false}, {W, 0, 512, 0, 0, false}}));
}

TEST(Rwbs, UnknownFlagsAreCountedAndUnknownOperationsRefused) {
  const auto notes = std::make_shared<TraceNotes>();
  const std::string text = "8,16 3 5 0.1 1 D WQxSQ 8 + 16 [a]\n8,16 3 6 0.2 1 D RAM 64 + 8 [a]\n";
  EXPECT_EQ(requests_of(text, {"", {}, notes}).size(), 2U);
  EXPECT_EQ(notes->unknown_flags, 3U);
  EXPECT_EQ(note_text(*notes), "unknown RWBS flags ignored: Q, x");
  EXPECT_EQ(note_text({}), "");
  EXPECT_NE(error_of([] { requests_of("8,16 3 5 0.1 1 D QW 8 + 16 [a]\n"); }).message().find("unknown RWBS: \"QW\""),
            std::string::npos);
}

}  // namespace
}  // namespace flashloom::event_traces_test
