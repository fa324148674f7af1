// Malformed traces: each names its file, its line and what is wrong; and mutated ones never do worse than that.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/workloads/input_files.hpp"
#include "workloads/random.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

struct Malformed {
  const char* name;
  const char* format;
  const char* text;
  std::uint64_t line;
  const char* message;  // a part of it
};

#define MSR_LINE "128166386783630075,hm,0,Write,3164164096,40960,2896\n"
#define BLK_LINE "8,16 3 5 0.000026421 3645 D R 8 + 16 [a]\n"
#define IOLOG2 "fio version 2 iolog\nf add\n"
#define IOLOG3 "fio version 3 iolog\n1 f add\n"

const Malformed kCases[] = {
    {"MsrMissingField", "msr", MSR_LINE "128166386783630075,hm,0,Write,3164164096,40960\n", 2, "found 6"},
    {"MsrExtraField", "msr", MSR_LINE MSR_LINE "1,hm,0,Write,1,1,1,1\n", 3, "found more"},
    {"MsrTimestampNotANumber", "msr", MSR_LINE "12x,hm,0,Write,0,4096,1\n", 2,
     "timestamp is not a whole number: \"12x\""},
    {"MsrUnknownOperation", "msr", MSR_LINE "\n128166386783630075,hm,0,Wirte,0,4096,1\n", 3, "\"Wirte\""},
    {"MsrNegativeOffset", "msr", MSR_LINE "128166386783630075,hm,0,Write,-4096,4096,1\n", 2, "offset is negative"},
    {"MsrOffsetOverflow", "msr", "1,hm,0,Write,18446744073709551616,4096,1\n", 1, "offset is too large"},
    {"MsrZeroSize", "msr", MSR_LINE "128166386783630075,hm,0,Write,0,0,1\n", 2, "zero length"},
    {"MsrEndBeyond64Bits", "msr", "1,hm,0,Write,18446744073709551615,1,1\n", 1, "beyond 64 bits"},
    {"MsrHugeSize", "msr", "1,hm,0,Write,0,4294967297,1\n", 1, "longer than 4 GiB"},
    {"MsrEmptySize", "msr", "1,hm,0,Write,0,,1\n", 1, "size is missing"},
    {"MsrBadResponse", "msr", "1,hm,0,Write,0,1,x\n", 1, "response time"},
    {"MsrFarTime", "msr", "1,hm,0,Write,0,1,1\n999999999999999999,hm,0,Write,0,1,1\n", 2, "213 days"},
    {"MsrHeaderOnly", "msr", "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n", 0, "no requests"},
    {"DiskSimMissingField", "disksim", "1.0 0 8 8 1\n2.0 0 8 8\n", 2, "found 4"},
    {"DiskSimExtraField", "disksim", "1.0 0 8 8 1 1\n", 1, "found more"},
    {"DiskSimTimeNotANumber", "disksim", "1.0 0 8 8 1\n1.0.0 0 8 8 1\n", 2, "time is not a number"},
    {"DiskSimNegativeTime", "disksim", "1.0 0 8 8 1\n-1.0 0 8 8 1\n", 2, "time is negative"},
    {"DiskSimZeroSectors", "disksim", "1.0 0 8 8 1\n2.0 0 8 0 1\n", 2, "zero length"},
    {"DiskSimSectorOverflow", "disksim", "1.0 0 36028797018963968 8 1\n", 1, "first sector is too large"},
    {"DiskSimBadFlag", "disksim", "1.0 0 8 8 R\n", 1, "flags is not a whole number"},
    {"DiskSimFarTime", "disksim", "1.0 0 8 8 1\n18446744075.0 0 8 8 1\n", 2, "213 days"},
    {"DiskSimEmpty", "disksim", "", 0, "no requests"},
    {"IologWrongVersion", "fio_iolog", "fio version 4 iolog\n", 1, "expected \"fio version 2 iolog\""},
    {"Iolog2UnknownAction", "fio_iolog", IOLOG2 "f raed 0 4096\n", 3, "unknown action \"raed\""},
    {"Iolog2MissingLength", "fio_iolog", IOLOG2 "f read 0\n", 3, "length is missing"},
    {"Iolog2ZeroLength", "fio_iolog", IOLOG2 "f read 0 4096\nf write 0 0\n", 4, "zero length"},
    {"Iolog2ExtraField", "fio_iolog", IOLOG2 "f read 0 4096 1\n", 3, "more fields"},
    {"Iolog2NoAction", "fio_iolog", IOLOG2 "f\n", 3, "expected a file name and an action"},
    {"Iolog2WaitsOverflow", "fio_iolog", IOLOG2 "f wait 18446744073709551615 0\nf wait 1 0\n", 4, "waits add up"},
    {"Iolog2OnlyManagement", "fio_iolog", IOLOG2 "f open\nf close\n", 0, "no requests"},
    {"Iolog3Wait", "fio_iolog", IOLOG3 "2 f wait 100 0\n", 3, "unknown action \"wait\" of version 3"},
    {"Iolog3BadTimestamp", "fio_iolog", IOLOG3 "x f read 0 4096\n", 3, "timestamp is not"},
    {"Iolog3NegativeOffset", "fio_iolog", IOLOG3 "2 f read -1 4096\n", 3, "offset is negative"},
    {"BlkparseNotAnEvent", "blkparse", BLK_LINE "rubbish\n", 2, "major,minor"},
    {"BlkparseShort", "blkparse", BLK_LINE "8,16 3 5 0.1\n", 2, "expected device, cpu"},
    {"BlkparseNoRwbs", "blkparse", BLK_LINE "8,16 3 5 0.1 1 D\n", 2, "RWBS"},
    {"BlkparseBadRwbs", "blkparse", BLK_LINE "8,16 3 5 0.1 1 D X 8 + 8 [a]\n", 2, "unknown RWBS: \"X\""},
    {"BlkparseNoExtent", "blkparse", BLK_LINE "8,16 3 5 0.1 1 D R 8 8 [a] b\n", 2, "first_sector + sectors"},
    {"BlkparseZeroSectors", "blkparse", BLK_LINE "8,16 3 5 0.1 1 D R 8 + 0 [a]\n", 2, "zero length"},
    {"BlkparseBadTime", "blkparse", BLK_LINE "8,16 3 5 1e5 1 D R 8 + 8 [a]\n", 2, "time is not a number"},
    {"BlkparseNoIssueEvents", "blkparse", "8,16 3 5 0.1 1 Q R 8 + 8 [a]\n", 0, "no D events, but other ones"},
};

class MalformedTraces : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedTraces, FileLineAndReason) {
  const InputFiles files;
  const Malformed& c = GetParam();
  const std::string path = files.write("bad.trace", c.text);
  const WorkloadError error = error_of([&] {
    const auto source = open_trace(path, {c.format, {}});
    Request request;
    while (source->next(request)) {
    }
  });
  EXPECT_EQ(error.file(), path);
  EXPECT_EQ(error.line(), c.line) << error.what();
  EXPECT_NE(error.message().find(c.message), std::string::npos) << error.what();
}

INSTANTIATE_TEST_SUITE_P(All, MalformedTraces, testing::ValuesIn(kCases),
                         [](const auto& trace) { return std::string(trace.param.name); });

TEST(OpenTrace, UnknownFormatListsTheValidOnes) {
  const InputFiles files;
  const WorkloadError error = error_of([&] { open_trace(files.write("t", MSR_LINE), {"msrc", {}}); });
  EXPECT_EQ(error.message(),
            "unknown trace format \"msrc\"; valid: arc, blkparse, cpcsv, diskmon, disksim, fio_iolog, fiu, flashloom, "
            "msr, nexus5, spc, systor, vscsi");
}

TEST(OpenTrace, WhatFitsNoFormatListsTheFormats) {
  const InputFiles files;
  const WorkloadError error = error_of([&] { open_trace(files.write("t", "hello\nworld\n")); });
  EXPECT_EQ(error.line(), 1U);
  EXPECT_NE(error.message().find("name one of: arc, blkparse, cpcsv, diskmon"), std::string::npos);
}

TEST(OpenTrace, EmptyAndMissingFiles) {
  const InputFiles files;
  EXPECT_EQ(error_of([&] { open_trace(files.write("t", "\n \n")); }).message(), "empty file: no requests");
  EXPECT_EQ(error_of([&] { open_trace("missing.csv"); }).message(), "no such file");
}

TEST(OpenTrace, OptionsThatTheFormatDoesNotHave) {
  const InputFiles files;
  const std::string path = files.write("t", MSR_LINE);
  EXPECT_EQ(error_of([&] {
              open_trace(path, {"", {{"time_unit", "ms"}}});
            }).message(),
            "trace format \"msr\" has no option \"time_unit\"; valid: none");
  EXPECT_EQ(error_of([&] {
              open_trace(path, {"disksim", {{"time_unit", "us"}}});
            }).message(),
            "option time_unit = \"us\" of trace format \"disksim\"; valid: auto, ns, ms, s");
}

TEST(OpenTrace, FractionAfterWholeTimesAsksForTheUnit) {
  const InputFiles files;
  std::string text;
  for (int i = 0; i < 40; ++i) text += std::to_string(i) + " 0 8 8 1\n";
  const std::string path = files.write("t", text + "41.5 0 8 8 1\n");
  const auto run = [&](const TraceOptions& options) { return all_requests(*open_trace(path, options)).size(); };
  const WorkloadError error = error_of([&] { run({}); });
  EXPECT_EQ(error.line(), 41U);
  EXPECT_NE(error.message().find("time_unit"), std::string::npos);
  EXPECT_EQ(run({"", {{"time_unit", "ms"}}}), 41U);
}

TEST(OpenTrace, TruncatedCompressedTraceIsNeverAShortOne) {
  const InputFiles files;
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += std::to_string(i * 1000) + " 0 " + std::to_string(i * 7919 % 100003) + " 8 1\n";
  for (const std::string& whole : {gzip(text), zstd(text), xz(text)}) {
    const std::string path = files.write("t", whole.substr(0, whole.size() - 2));
    const WorkloadError error = error_of([&] { all_requests(*open_trace(path)); });
    EXPECT_NE(error.message().find("truncated"), std::string::npos) << error.what();
    EXPECT_GE(error.line(), 1U);
  }
}

/// One to four small damages: a byte changed, deleted, doubled, a piece cut or repeated, a number blown up.
std::string mutated(std::string text, Random& random) {
  for (std::uint64_t count = 1 + random.below(4); count != 0 && !text.empty(); --count) {
    const auto at = static_cast<std::size_t>(random.below(text.size()));
    const auto length = static_cast<std::size_t>(random.below(24));
    switch (random.below(7)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, 1);
        break;
      case 2:
        text.insert(at, 1, text[at]);
        break;
      case 3:
        text.erase(at, length);
        break;
      case 4:
        text.insert(at, text.substr(static_cast<std::size_t>(random.below(text.size())), length));
        break;
      case 5:
        text.insert(at, "99999999999999999999", static_cast<std::size_t>(random.below(21)));
        break;
      default:
        text[at] = "\0\n\r\t ,+-.0"[random.below(11)];
        break;
    }
  }
  return text;
}

struct Seed {
  const char* format;
  const char* text;
};

class MutatedTraces : public testing::TestWithParam<Seed> {};

TEST_P(MutatedTraces, GiveRequestsOrAnErrorThatNamesTheFile) {
  const int kInputs = std::getenv("FLASHLOOM_LONG") != nullptr ? 1'000'000 : 10'000;
  const InputFiles files;
  Random random(20261121);
  int errors = 0;
  for (int i = 0; i < kInputs; ++i) {
    std::string text = mutated(GetParam().text, random);
    const bool compressed = i % 16 == 0;
    if (compressed) text = mutated(random.below(2) == 0 ? zstd(text) : gzip(text), random);
    const std::string path = files.write("t", text);
    try {
      const auto source = open_trace(path, {GetParam().format, {}});
      Request request;
      std::uint64_t last = 0;
      std::size_t requests = 0;
      while (source->next(request)) {
        ASSERT_GE(request.arrival_ps, last);
        ASSERT_EQ(request.length == 0, request.kind == RequestKind::Flush);
        ASSERT_GE(request.offset + request.length, request.offset);
        last = request.arrival_ps;
        ASSERT_LE(++requests, text.size() + 100'000);
      }
      ASSERT_NE(requests, 0U);
    } catch (const WorkloadError& error) {
      ++errors;
      ASSERT_EQ(error.file(), path);
    }
  }
  // The mutator must reach both ends: most inputs damaged enough to be refused, some still valid.
  EXPECT_GT(errors, kInputs / 10);
  EXPECT_LT(errors, kInputs - kInputs / 20);
}

INSTANTIATE_TEST_SUITE_P(
    All, MutatedTraces,
    testing::Values(Seed{"msr", MSR_LINE "128166386783630309,hm,1,Read,4096,512,2663\n"
                                         "128166386793630075,hm,0,Read,0,1,0\n"},
                    Seed{"disksim", "640.875000\t0\t522424\t16\t1\n640.875001 2 10 1 0\n1640.875 0 0 8 3\n"},
                    Seed{"fio_iolog", IOLOG2 "f read 4096 8192\nf wait 150 0\nf write 0 512\nf sync\nf trim 0 4096\n"},
                    Seed{"blkparse", BLK_LINE "8,16 3 6 0.0001 36 D FWFS 100 + 1 [java]\n8,16 3 9 0.02 1 D FN [k]\n"
                                              "8,16 3 7 0.0002 0 C R 8 + 16 [0]\nCPU0 (8,16):\nTotal (8,16):\n"}),
    [](const auto& seed) { return std::string(seed.param.format); });

}  // namespace
}  // namespace flashloom
