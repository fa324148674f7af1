// Tables whose columns the option columns names: format csv, table_layout, table_fields, column_guess, iso_time.
#include <gtest/gtest.h>

#include "tests/workloads/input_files.hpp"
#include "tests/workloads/traces/trace_samples.hpp"
#include "workloads/traces/column_guess.hpp"
#include "workloads/traces/iso_time.hpp"

namespace flashloom::table_trace_test {
namespace {

constexpr RequestKind R = RequestKind::Read;
constexpr RequestKind W = RequestKind::Write;
constexpr std::uint64_t kSecond = 1'000'000'000'000;

/// Kind, offset, length, arrival.
using Expected = std::tuple<RequestKind, std::uint64_t, std::uint64_t, std::uint64_t>;
using All = std::vector<Expected>;

All requests_of(std::string_view text, const std::string& columns) {
  All requests;
  for (const Request& r : all_requests(*open_bytes(text, {"", {{"columns", columns}}})))
    requests.emplace_back(r.kind, r.offset, r.length, r.arrival_ps);
  return requests;
}

WorkloadError refusal(std::string_view text, const std::string& columns) {
  return error_of([&] { requests_of(text, columns); });
}

const All kTwo{{R, 4096, 512, 0}, {W, 8192, 1024, kSecond}};

TEST(Table, SeparatorsAreFound) {
  for (const std::string_view separator : {",", "\t", ";", "|", "  ", " , "}) {
    std::string text;
    for (const std::string_view field : {"5.0", "Read", "8", "1\n6.0", "Write", "16", "2\n"}) {
      text += field;
      if (!field.ends_with('\n')) text += separator;
    }
    EXPECT_EQ(requests_of(text, "time=1,op=2,offset=3*512,size=4*512"), kTwo) << separator;
    EXPECT_EQ(requests_of(text, "size=4*512+offset=3*512+op=2+time=1*s"), kTwo) << separator;
  }
  EXPECT_EQ(
      requests_of("5 r,8,1\n6 w,16,2\n", "separator=comma,op=1:5 r=read:6 w=write,offset=2*512,size=3*512").size(), 2U);
}

TEST(Table, HeaderBomLineEndsCommentsAndSkippedLines) {
  const std::string columns = "time=1,op=2,offset=3*512,size=4*512";
  for (const std::string& begin : {std::string(), std::string("a,b,c,d\n"),
                                   std::string("\xef\xbb\xbf"
                                               "a,b,c,d\r\n"),
                                   std::string("# a comment\n\na,b,c,d\n")}) {
    EXPECT_EQ(requests_of(begin + "5,r,8,1\r\n6,w,16,2", columns), kTwo) << begin;
    EXPECT_EQ(requests_of(gzip(begin + "5,r,8,1\r\n6,w,16,2"), columns), kTwo) << begin;
  }
  EXPECT_EQ(requests_of("1,r,0,1\n2,r,0,1\n5,r,8,1\n6,w,16,2\n", columns + ",skip=2"), kTwo);
  EXPECT_EQ(requests_of("1,r,0,1\n5,r,8,1\n6,w,16,2\n", columns + ",header=yes"), kTwo);
}

TEST(Table, NamesOfTheHeaderQuotedFieldsAndAnIndex) {
  const std::string text =
      ",File,When,Kind,LBA,\"Size, sectors\"\n0,\"a, \"\"b\"\"\",5,\"Read\",8,1\n1,c,6,WRITE,\"16\",2\n";
  EXPECT_EQ(requests_of(text, "time=when,op=Kind,offset=LBA*512,size=6*512"), kTwo);
  EXPECT_EQ(requests_of(text, "time=When\nop=Kind\noffset=LBA*512\nsize=Size, sectors*512\n"), kTwo);
  const WorkloadError error = refusal(text, "time=then,op=Kind,offset=LBA,size=6");
  EXPECT_NE(error.message().find("the header has no \"then\"; it has 1 \"\", 2 \"File\", 3 \"When\""),
            std::string::npos)
      << error.what();
}

TEST(Table, RefusalsNameTheCause) {
  const std::string columns = "time=when,op=kind,offset=lba,size=n";
  EXPECT_NE(refusal("when,kind,lba,n\n\"5,r,8,1\n", columns).message().find("mark is not closed"), std::string::npos);
  std::string preamble;
  while (preamble.size() < std::size_t{80} << 10U) preamble += "as measured\n";
  const std::string numbers = "time=1,op=2,offset=3*512,size=4*512";
  for (const std::string& open : {columns, numbers, numbers + ",separator=comma"})
    EXPECT_NE(refusal(preamble + "5,r,8,1\n", open + ",skip=9000").message().find("skip: nothing is left"),
              std::string::npos);
  EXPECT_EQ(requests_of(preamble + "5,r,8,1\n6,w,16,2\n",
                        numbers + ",separator=comma,header=no,skip=" + std::to_string(preamble.size() / 12)),
            kTwo);
}

TEST(Table, UnitsOfTimeAndDates) {
  const std::string rest = ",op==r,offset==0,size==512";
  for (const auto& [first, second, columns] : {std::tuple{"1709251199000000", "1709251200000000", "time=1*us"},
                                               {"0", "1e3", "time=1*ms"},
                                               {"133536792000000000", "133536792010000000", "time=1*1e-7"},
                                               {"0.5", "1.5", "time=1"},
                                               {"0", "1e9", "time=1*ns"},
                                               {"1e-05", "1.00001", "time=1*s"},
                                               {"0", "0.5", "time=1*2"},
                                               {"2024-02-29T23:59:59.75Z", "2024-03-01 00:00:00,75", "time=1"},
                                               {"2024-02-29T23:59:59+01:00", "2024-02-29T20:00:00-0300", "time=1"},
                                               {"2024-02-29T23:59:59 UTC", "2024-03-01", "time=1*us"}}) {
    const All all =
        requests_of(std::string(first) + "|x\n" + second + "|x\n", std::string("separator=pipe,") + columns + rest);
    EXPECT_EQ(all, (All{{R, 0, 512, 0}, {R, 0, 512, kSecond}})) << first;
  }
  EXPECT_FALSE(open_bytes("r 0 512\n", {"", {{"columns", "op=1,offset=2,size=3"}}})->timed());
}

TEST(IsoTime, WhatIsNoTimeIsRefused) {
  for (const char* const wrong :
       {"2024-02-30", "2024-13-01", "2024-01-01T24:00:00", "2024-01-01T10:00", "2024-01-01T10:00:00.",
        "2024-01-01T10:00:00+1", "2024-01-01X10:00:00", "2024-01/01", "1969-12-31T23:59:59"})
    EXPECT_THROW(parse_iso_time(wrong, "time", kSecond), FieldError) << wrong;
  EXPECT_EQ(parse_iso_time("1970-01-02", "time", kSecond).ticks, 86400U);
  EXPECT_EQ(parse_iso_time("1970-01-01T01:00:00.25+01:00", "time", 1000).ticks, 250'000'000U);
}

TEST(Table, OperationsAreWords) {
  const std::string columns = ",offset=2,size=3";
  EXPECT_EQ(requests_of("RD 0 512\nWR 0 512\nread 0 512\nnop x\n1.0 0 512\n",
                        "op=1:rd=read:WR=write:nop=-:1=write" + columns + ",separator=blanks")
                .size(),
            4U);
  EXPECT_NE(refusal("RD 0 512\n", "op=1" + columns).message().find("unknown operation \"RD\"; valid: read, write"),
            std::string::npos);
}

// As pandas writes a table with gaps.
TEST(Table, FloatsExponentsAndNan) {
  EXPECT_EQ(
      requests_of(",t,op,off,len,who\n0,5.0,r,4096.0,512.0,nan\n1,6.0,w,8.192e3,1024.0,db\n2,6.0,flush,nan,NaN,\n",
                  "time=t,op=op,offset=off,size=len,writer=who"),
      (All{{R, 4096, 512, 0}, {W, 8192, 1024, kSecond}, {RequestKind::Flush, 0, 0, kSecond}}));
  const WorkloadError time = refusal("t,op,off,len\n1,r,0,512\nnan,r,0,512\n", "time=t,op=op,offset=off,size=len");
  EXPECT_EQ(time.line(), 3U);
  EXPECT_EQ(time.message(), "column 1: time is not a number: \"nan\"");
  for (const char* const line : {"r,0,nan", "r,0,", "w,,4096", "w,nan,4096"})
    EXPECT_NE(
        refusal(std::string("op,off,len\n") + line + "\n", "op=op,offset=off,size=len").message().find("is missing"),
        std::string::npos)
        << line;
  // The first line is no header, though its offset is wrong.
  EXPECT_NE(refusal("R,abc,4096\nR,4096,4096\n", "op=1,offset=2,size=3").message().find("column 2"), std::string::npos);
}

TEST(Table, ErrorsNameLineAndColumn) {
  const std::string columns = "op=1,offset=2,size=3";
  EXPECT_STREQ(refusal("r,0,512\nr,x,512\n", columns).what(),
               "memory:2: column 2: offset is not a whole number: \"x\"");
  EXPECT_STREQ(refusal("r,0,512\nr,0\n", columns).what(), "memory:2: column 3 is missing: the line has 2");
  EXPECT_STREQ(refusal("r,0,512\nr,-1,512\n", columns).what(), "memory:2: column 2: offset is negative: \"-1\"");
  for (const auto& [wrong, message] : {std::pair{"op=1,offset=2", "size is not said"},
                                       {"op=1,offset=2,size=3,size=4", "size: is said twice"},
                                       {"op=0,offset=2,size=3", "columns count from 1"},
                                       {"op=1,offset=2,length=3", "unknown name \"length\"; valid: time, op"},
                                       {"op=1,offset=2*0,size=3", "the factor is the bytes"},
                                       {"op=1,offset=2*k,size=3", "not a whole number"},
                                       {"op=1,offset=2,size=3,time=1*h", "unit \"h\"; valid: s, ms"},
                                       {"op=1:a=b,offset=2,size=3", "unknown operation \"b\""},
                                       {"op=1:a,offset=2,size=3", "is not WORD=OPERATION"},
                                       {"op=1,offset,size=3", "\"offset\" is not NAME=COLUMN"},
                                       {"op=1,offset=2,size=3,separator=:", "valid: comma, tab"},
                                       {"op=1,offset=2,size=3,header=1", "valid: yes, no"},
                                       {"op=1,offset=2,size=,", "size: says nothing"},
                                       {"op=1*2,offset=2,size=3", "takes no factor"},
                                       {"op=1,offset=2,size=999", "columns count from 1"},
                                       {",", "op is not said"}})
    EXPECT_NE(refusal("r,0,512\n", wrong).message().find(message), std::string::npos)
        << wrong << ": " << refusal("r,0,512\n", wrong).message();
  EXPECT_EQ(refusal("", columns).message(), "empty file: no requests");
  EXPECT_EQ(refusal("op,offset,size\n", columns).message(), "no requests");
}

TEST(Table, OptionsOfOneFormatAlone) {
  EXPECT_NE(error_of([] {
              open_bytes("r,0,512\n", {"msr", {{"columns", "op=1"}}});
            })
                .message()
                .find("no option"),
            std::string::npos);
}

std::string guess(std::string_view text) {
  const std::string seen = seen_columns(trace_sample(text));
  const std::string begin = "as --columns ";
  return seen.substr(seen.find(begin) + begin.size());
}

// What the message proposes reads the file.
TEST(ColumnGuess, IsRightForTheUsualTables) {
  for (const auto& [text, expected] :
       {std::pair<std::string, std::string>{"Time,Op,LBA,Sectors\n0.5,R,100,8\n0.7,W,200,16\n",
                                            "time=1,op=2,offset=3*512,size=4*512"},
        {"1709251199000000 W 8192 4096\n1709251199000007 R 81920 8192\n", "time=1*us,op=2,offset=3,size=4"},
        {"2024-01-01T00:00:00;host;r;819200;4096\n2024-01-01T00:00:01;host;w;4096000;512\n",
         "time=1,op=3,offset=4,size=5"},
        {"timestamp_ms\ttype\toffset_bytes\tsize_bytes\n1\tread\t4096\t512\n3\twrite\t0\t512\n",
         "time=1*ms,op=2,offset=3,size=4"}}) {
    EXPECT_EQ(guess(text), expected) << text;
    EXPECT_EQ(requests_of(text, guess(text)).size(), 2U) << text;
  }
  EXPECT_EQ(guess("ts,op,offset,size\n1,RD,0,512\n2,WR,4096,512\n"), "time=1,op=2:RD=?:WR=?,offset=3,size=4");
  EXPECT_EQ(seen_columns(trace_sample(std::string_view("a\0b\n", 4))), "");
}

}  // namespace
}  // namespace flashloom::table_trace_test
