// Malformed traces: each error names the file, the line and the reason.
#include <gtest/gtest.h>

#include "tests/workloads/input_files.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom::malformed_test {
namespace {

struct Malformed {
  const char* name;
  const char* format;
  const char* text;
  std::uint64_t line;
  const char* message;  // a part of the message
};

#define MSR_LINE "128166386783630075,hm,0,Write,3164164096,40960,2896\n"
#define BLK_LINE "8,16 3 5 0.000026421 3645 D R 8 + 16 [a]\n"
#define SPC_LINE "0,20941264,8192,W,0.551706\n"
#define CPCSV_LINE "1,5633898,2a,512,42932745\n"
#define FIU_LINE "89966522969723 4270 rpc.mountd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"
#define SYSTOR_LINE "1456095145.133076000,0.000806000,R,0,899056122368,131072\n"
#define DISKMON_LINE "0\t0.047339\t0.00019073\t0\tRead\t1320146\t8\t\n"
#define NEXUS_LINE "0 8 4096 4 1.5 1.6 1.7 1.8\n"
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
    {"BlkparseBadTime", "blkparse", BLK_LINE "8,16 3 5 1e5x 1 D R 8 + 8 [a]\n", 2, "time is not a number"},
    {"SpcTooFew", "spc", SPC_LINE "0,1,512,W\n", 2, "found fewer"},
    {"SpcBadOpcode", "spc", SPC_LINE "0,1,512,X,1.0\n", 2, "operation is neither Read nor Write: \"X\""},
    {"SpcNegativeTime", "spc", SPC_LINE "0,1,512,W,-1.0\n", 2, "timestamp is negative"},
    {"SpcZeroSize", "spc", SPC_LINE SPC_LINE "0,1,0,W,1.0\n", 3, "zero length"},
    {"SpcLbaOverflow", "spc", "0,36028797018963968,512,W,1.0\n", 1, "LBA is too large"},
    {"SpcBadAsu", "spc", SPC_LINE "a,1,512,W,1.0\n", 2, "ASU is not a whole number"},
    {"AlibabaBadOpcode", "alibaba", "1,R,0,512,7\n1,T,0,512,8\n", 2, "T"},
    {"TencentBadType", "tencent", "1,0,8,0,3\n1,0,8,2,3\n", 2, "type is neither 0 (read) nor 1 (write): \"2\""},
    {"TencentNoSize", "tencent", "1,0,8,0,3\n1,0,0,0,3\n", 2, "length"},
    {"Iolog1BadDirection", "fio_iolog", "0, 0, 512\n2, 0, 512\n", 2, "rw is neither 0 (read) nor 1 (write): \"2\""},
    {"Iolog1NoLength", "fio_iolog", "0, 0, 512\n1, 0\n", 2, "(rw, offset, length), found 2"},
    {"FioLatencyLog", "", "1, 87123, 0, 4096, 0, 0\n2, 77000, 1, 4096, 8192, 0\n", 1, "write_iolog=FILE"},
    {"FioBandwidthLog", "", "500, 87123, 0, 0, 0\n1000, 77000, 0, 0, 0\n", 1, "write_iolog=FILE"},
    {"FtraceNoSectors", "ftrace", " a-1 [0] 1.5: block_rq_issue: 8,0 R 4096 () 1000 [a]\n", 1,
     "first_sector + sectors"},
    {"FtraceBadRwbs", "ftrace", " a-1 [0] 1.5: block_rq_issue: 8,0 X 4096 () 8 + 8 [a]\n", 1, "unknown RWBS: \"X\""},
    {"FtraceOnlyOthers", "ftrace", " a-1 [0] 1.5: block_rq_complete: 8,0 R () 8 + 8 [0]\n", 0, "choose by the option"},
    {"LttngNoRwbs", "lttng", "[10:00:00.5] h block_rq_issue: { sector = 8, nr_sector = 8 }\n", 1, "rwbs is missing"},
    {"LttngBadTime", "lttng", "[10:61:00.5] h block_rq_issue: { sector = 8, nr_sector = 8, rwbs = 1 }\n", 1,
     "time is no ISO 8601 time"},
    {"BiosnoopFew", "biosnoop", "0.1 a 7 sda W 8 4096 0.1\n0.2 a\n", 2, "expected TIME COMM PID"},
    {"BiosnoopBadSector", "biosnoop", "0.1 a 7 sda W x 4096 0.1\n", 1, "SECTOR is not a whole number"},
    {"EtwShort", "etw", "DiskRead, 1, p ( 1), 2, 0x1, 0x0, 0x200\n", 1, "ends before its DiskNum"},
    {"EtwBadOffset", "etw", "DiskRead, 1, p ( 1), 2, 0x1, 0xz, 0x200, 1, 0\n", 1, "ByteOffset is not a whole number"},
    {"EtwNoDisk", "etw", "BeginHeader\nEndHeader\n", 0, "no DiskRead, DiskWrite or DiskFlush events"},
    {"ThesiosFarOffset", "thesios", "aa,67108864,a,1,C,E,READ,O,0,0,512,0,0,1.0,0,0,0\n", 1, "option file_mib"},
    {"CsvNoOffset", "csv", "operation,length_bytes\nr,4096\n", 1, "no column offset_bytes or offset_sectors"},
    {"CsvNoOperation", "csv", "offset_bytes,length_bytes\n0,4096\n", 1, "no column operation"},
    {"CsvUnknown", "csv", "operation,offset_bytes,length_bytes,placment\n", 1,
     "unknown column \"placment\"; valid: time_s"},
    {"CsvQuote", "csv", "operation,offset_bytes,length_bytes\nr,\"0,512\n", 2, "quotation mark is not closed"},
    {"CsvColumn", "csv", "operation,offset_bytes,length_bytes\nr,x,512\n", 2, "column 2: offset is not a whole"},
    {"CsvTwice", "csv", "operation,offset_bytes,length_bytes,offset_sectors\n", 1, "says again"},
    {"CsvFew", "csv", "operation,offset_bytes,length_bytes\nr,0,512\nr,0\n", 3,
     "(operation,offset_bytes,length_bytes)"},
    {"CsvOperation", "csv", "operation,offset_bytes,length_bytes\nr,0,512\nx,0,512\n", 3,
     "unknown operation \"x\"; valid: read"},
    {"CsvPlacement", "csv", "operation,offset_bytes,length_bytes,placement\nw,0,512,65536\n", 2,
     "placement is above 65535"},
    {"CsvBoth", "csv", "operation,offset_bytes,length_bytes,placement,write_stream\nw,0,512,1,1\n", 2,
     "both a placement"},
    {"KeysTwo", "keys", "7\n7 8\n", 2, "(key), found more"},
    {"KeysFar", "keys", "7\n18446744073709551615\n", 2, "key"},
    {"CpCsvTooFew", "cpcsv", CPCSV_LINE "1,5633898,2a,512\n", 2, "(version,time,op,size,lbn), found 4"},
    {"CpCsvBadOp", "cpcsv", CPCSV_LINE "1,5633898,zz,512,1\n", 2, "op is not a whole number: \"zz\""},
    {"CpCsvBadLbn", "cpcsv", CPCSV_LINE "1,5633898,2a,512,x\n", 2, "lbn is not a whole number"},
    {"CpCsvHeaderLater", "cpcsv", CPCSV_LINE "version,time,op,size,lbn\n", 2, "version is not a whole number"},
    {"CpCsvHugeSize", "cpcsv", CPCSV_LINE "1,5633898,2a,4294967297,1\n", 2, "longer than 4 GiB"},
    {"CpCsvOnlyOthers", "cpcsv", "1,5633898,12,96,0\n", 0, "no requests"},
    {"FiuTooFew", "fiu", FIU_LINE "1 2 p 8 8 W 6 0\n", 2, "expected timestamp pid process"},
    {"FiuBadOperation", "fiu", FIU_LINE "1 2 p 8 8 Q 6 0 d6\n", 2, "neither Read nor Write"},
    {"FiuBadLba", "fiu", FIU_LINE "1 2 p x 8 W 6 0 d6\n", 2, "lba is not a whole number"},
    {"FiuFractionalTime", "fiu", FIU_LINE "1.5 2 p 8 8 W 6 0 d6\n", 2, "timestamp is not a whole number"},
    {"SystorTooFew", "systor", SYSTOR_LINE "1.0,0.1,R,0,0\n", 2, "found 5"},
    {"SystorNoType", "systor", SYSTOR_LINE "1.0,0.1,,0,0,512\n", 2, "neither Read nor Write: \"\""},
    {"SystorBadResponse", "systor", SYSTOR_LINE "1.0,x,R,0,0,512\n", 2, "Response is not a number"},
    {"SystorZeroSize", "systor", SYSTOR_LINE "1.0,0.1,R,0,0,0\n", 2, "zero length"},
    {"DiskMonTooMany", "diskmon", DISKMON_LINE "1 0.1 0.0 0 Read 8 8 8\n", 2, "found more"},
    {"DiskMonBadOperation", "diskmon", DISKMON_LINE "1 0.1 0.0 0 Raed 8 8\n", 2, "\"Raed\""},
    {"DiskMonBadDuration", "diskmon", DISKMON_LINE "1 0.1 ? 0 Read 8 8\n", 2, "duration is not a number"},
    {"DiskMonZeroSectors", "diskmon", DISKMON_LINE "1 0.1 0.0 0 Read 8 0\n", 2, "zero length"},
    {"ArcTooFew", "arc", "1 1 0 0\n2 1 0\n", 2, "found 3"},
    {"ArcNegativeBlock", "arc", "1 1 0 0\n-2 1 0 1\n", 2, "first block is negative"},
    {"ArcNoBlocks", "arc", "1 1 0 0\n2 0 0 1\n", 2, "zero length"},
    {"ArcBlockOverflow", "arc", "1 1 0 0\n36028797018963968 1 0 1\n", 2, "first block is too large"},
    {"Nexus5BytesDiffer", "nexus5", NEXUS_LINE "0 8 4095 4 1 1 1 1\n", 2, "bytes are not sectors times 512: 4095"},
    {"Nexus5TooFew", "nexus5", NEXUS_LINE "0 8 4096 4 1 1 1\n", 2, "found 7"},
    {"Nexus5BadTime", "nexus5", NEXUS_LINE "0 8 4096 4 1 1 x 1\n", 2, "time is not a number"},
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
  EXPECT_EQ(
      error.message(),
      "unknown trace format \"msrc\"; valid: alibaba, arc, biosnoop, blk_io_trace, blkparse, cpcsv, csv, diskmon, "
      "disksim, etw, fio_iolog, fiu, flashloom, ftrace, keys, lttng, msr, nexus5, oracle_general, spc, systor, "
      "tencent, "
      "thesios, vscsi");
}

TEST(OpenTrace, WhatFitsNoFormatListsTheFormats) {
  const InputFiles files;
  const WorkloadError error = error_of([&] { open_trace(files.write("t", "hello\nworld\n")); });
  EXPECT_EQ(error.line(), 1U);
  EXPECT_NE(error.message().find("Columns of the first line: 1 \"hello\"; "), std::string::npos) << error.what();
  EXPECT_NE(error.message().find("name a format by --format: alibaba, arc, biosnoop"), std::string::npos);
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

}  // namespace
}  // namespace flashloom::malformed_test
