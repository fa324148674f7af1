// The compact form: the requests that are written come out again, and no damage passes.
#include <gtest/gtest.h>
#include <rapidcheck.h>

// These two need the headers before them.
#include <rapidcheck/gtest.h>

#include "tests/support/request_sources.hpp"
#include "tests/workloads/input_files.hpp"
#include "tests/workloads/traces/trace_samples.hpp"
#include "workloads/random.hpp"
#include "workloads/traces/native.hpp"

namespace flashloom::native_trace_test {
namespace {

bool same(const Request& a, const Request& b) {
  return a.kind == b.kind && a.offset == b.offset && a.length == b.length && a.arrival_ps == b.arrival_ps &&
         a.fua == b.fua && a.stream == b.stream && a.directive == b.directive && a.identifier == b.identifier &&
         a.writer == b.writer;
}

/// Requests like real ones (blocks, runs, bursts) mixed with extreme ones; with `marked` some carry a placement and a
/// writer.
std::vector<Request> random_requests(Random& random, std::size_t count, bool marked = false) {
  std::vector<Request> requests;
  std::uint64_t now = 0;
  std::uint64_t end = 0;
  const std::uint64_t unit = std::uint64_t{1} << random.below(13);
  for (std::size_t i = 0; i < count; ++i) {
    Request request;
    request.kind = static_cast<RequestKind>(random.below(16) == 0 ? random.below(5) : random.below(2));
    request.stream = static_cast<std::uint8_t>(random.below(8) == 0 ? random.below(256) : 0);
    request.fua = random.below(4) == 0;
    if (random.below(3) != 0) now += random.below(64) == 0 ? random.next() >> 20U : random.below(1000) * 100'000;
    request.arrival_ps = now;
    if (request.kind != RequestKind::Flush) {
      request.length = (1 + random.below(64)) * unit;
      request.offset = random.below(3) == 0 ? end : random.below(1U << 20U) * unit;
      if (random.below(64) == 0) {
        request.length = 1 + random.below(std::uint64_t{1} << 32);
        request.offset = ~std::uint64_t{0} - request.length - random.below(5);
      }
      if (request.offset > ~std::uint64_t{0} - request.length) request.offset = 0;
      end = request.offset + request.length;
    }
    if (marked && random.below(4) != 0) {
      request.directive = static_cast<RequestDirective>(random.below(3));
      request.identifier = static_cast<std::uint16_t>(random.below(65536));
      request.writer = static_cast<std::uint16_t>(random.below(3) == 0 ? random.below(65536) : 7);
    }
    requests.push_back(request);
  }
  return requests;
}

void expect_round_trip(const std::vector<Request>& requests) {
  ListSource source(requests);
  const std::string bytes = native_trace(source);
  const std::vector<Request> back = all_requests(*open_bytes(bytes));
  ASSERT_EQ(back.size(), requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) ASSERT_TRUE(same(back[i], requests[i])) << i;
}

RC_GTEST_PROP(NativeTrace, WhatGoesInComesOut, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  // Counts around the size of a block, where the coding starts anew.
  const auto count = static_cast<std::size_t>(*rc::gen::element(1, 2, 100, 4095, 4096, 4097, 9000));
  expect_round_trip(random_requests(random, count, random.chance(0.5)));
}

// A block without marks has the same bytes as before marks existed.
TEST(NativeTrace, MarksAreInBlocksThatHaveThem) {
  Random random(4);
  std::vector<Request> requests = random_requests(random, 2 * native::kBlockRequests);
  ListSource plain(requests);
  const std::string before = native_trace(plain);
  requests.back().writer = 300;
  ListSource marked(requests);
  const std::string after = native_trace(marked);
  EXPECT_EQ(after.size(), before.size() + native::kBlockRequests + 2);  // a byte per request, and the number
  const std::size_t first = std::mismatch(before.begin(), before.end(), after.begin()).first - before.begin();
  EXPECT_GT(first, before.size() / 3) << "in the first block";
  expect_round_trip(requests);
}

TEST(NativeTrace, RoundTripOfEveryFormat) {
  for (const SampleTrace& sample : sample_traces()) {
    SCOPED_TRACE(sample.format);
    const auto source = open_bytes(sample.bytes);
    const std::string bytes = native_trace(*source);
    const auto back = open_bytes(bytes);
    EXPECT_EQ(back->timed(), source->timed());
    const auto original = open_bytes(sample.bytes);
    Request a;
    Request b;
    while (original->next(a)) {
      ASSERT_TRUE(back->next(b));
      EXPECT_TRUE(same(a, b));
    }
    EXPECT_FALSE(back->next(b));
  }
}

TEST(NativeTrace, RoundTripOfEveryPublicTrace) {
  const auto directory = trace_directory();
  if (directory.empty()) GTEST_SKIP() << "no public traces: set FLASHLOOM_TRACES";
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".zst")) continue;
    SCOPED_TRACE(path);
    ++traces;
    const std::string bytes = native_trace(*open_trace(path));
    const auto back = open_bytes(bytes);
    const auto original = open_trace(path);
    EXPECT_EQ(back->timed(), original->timed());
    Request a;
    Request b;
    std::uint64_t requests = 0;
    while (original->next(a)) {
      ASSERT_TRUE(back->next(b));
      ASSERT_TRUE(same(a, b)) << requests;
      ++requests;
    }
    EXPECT_FALSE(back->next(b));
    EXPECT_LT(bytes.size(), 100 + requests * 16);
  }
  EXPECT_GE(traces, 20);
}

TEST(NativeTrace, LayoutOfAnExampleByHand) {
  Request write;
  write.kind = RequestKind::Write;
  write.offset = 8192;
  write.length = 4096;
  Request read = write;  // 300 ps later, of the same length, where the write ended
  read.kind = RequestKind::Read;
  read.offset = 12288;
  read.arrival_ps = 300;
  ListSource source({write, read});
  const std::string bytes = native_trace(source);
  using std::string_literals::operator""s;
  EXPECT_EQ(bytes.substr(0, 12), "\x89"s + "FLT\r\n\x1a\n" + "\x01\x00\x00\x00"s);
  EXPECT_EQ(bytes.substr(16, 8), "\x0a\x00\x00\x00\x02\x00\x00\x00"s);  // 10 bytes of payload, 2 requests
  // time unit 300 = 0xac 0x02, address unit 4096 = 0x80 0x20, start 0; the write: kind 1, same time as the block;
  // length 1, offset +2 (zigzag 4); the read: kind 0, same length, sequential; 1 time unit
  EXPECT_EQ(bytes.substr(28, 10),
            "\xac\x02\x80\x20\x00"
            "\x41\x01\x04"
            "\x30\x01"s);
  EXPECT_EQ(bytes.substr(38, 8), "\x08\x00\x00\x00\x00\x00\x00\x00"s);  // the end: 8 bytes, no requests
  EXPECT_EQ(bytes.substr(50), "\x02\x00\x00\x00\x00\x00\x00\x00"s);
}

TEST(NativeTrace, EveryTruncationIsFound) {
  Random random(1);
  ListSource source(random_requests(random, 5000));
  const std::string bytes = native_trace(source);
  const std::size_t step = bytes.size() / 997;
  for (std::size_t size = 0; size < bytes.size(); size += size < 64 || size + 64 > bytes.size() ? 1 : step)
    EXPECT_THROW(all_requests(*open_bytes(std::string_view(bytes).substr(0, size), {"flashloom", {}})), WorkloadError)
        << size;
}

TEST(NativeTrace, EveryChangedByteIsFoundWithItsPlace) {
  Random random(2);
  ListSource source(random_requests(random, 4100, true));  // two blocks
  const std::string bytes = native_trace(source);
  for (std::size_t at = 0; at < bytes.size(); at += at < 64 || at + 64 > bytes.size() ? 1 : 61) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1U << random.below(8)));
    const WorkloadError error = error_of([&] { all_requests(*open_bytes(damaged, {"flashloom", {}})); });
    EXPECT_TRUE(error.line() == 0 || error.line() == 1 || error.line() == 4097 || error.line() == 4101) << error.what();
    EXPECT_EQ(error.line() == 0, at < native::kHeaderBytes) << error.what();
  }
}

TEST(NativeTrace, ErrorsSayWhatIsWrong) {
  Random random(3);
  ListSource source(random_requests(random, 10));
  const std::string bytes = native_trace(source);
  const auto error = [](const std::string& text) {
    return std::string(error_of([&] { all_requests(*open_bytes(text, {"flashloom", {}})); }).what());
  };
  EXPECT_EQ(error("hello, world, hello"), "memory: no Flashloom trace: its first bytes are others");
  EXPECT_EQ(error(bytes.substr(0, bytes.size() - 20)),
            "memory: record 11: truncated: the file ends without the mark of its end");
  EXPECT_EQ(error(bytes + "x"), "memory: record 11: bytes after the end of the trace");
  std::string damaged = bytes;
  damaged[40] ^= 1;
  EXPECT_EQ(error(damaged), "memory: record 1: the block is corrupt: checksum differs");
  const std::string twice = bytes.substr(0, bytes.size() - 20) + bytes.substr(16);  // the first block twice
  EXPECT_NE(error(twice).find("record 11: the block begins before the end of the one before"), std::string::npos)
      << error(twice);
  std::string newer = bytes.substr(0, 12);
  newer[8] = 2;
  newer += RecordText().add(native::crc32(newer.data(), 12)).text() + bytes.substr(16);
  EXPECT_EQ(error(newer), "memory: Flashloom trace of version 2, flags 0; this program reads version 1");
}

TEST(NativeTrace, RefusesWhatNoSourceMayYield) {
  std::ostringstream out;
  NativeTraceWriter writer(out, true);
  Request request;
  EXPECT_THROW(writer.write(request), std::invalid_argument);  // a read of nothing
  request.length = 4096;
  request.arrival_ps = 10;
  writer.write(request);
  request.arrival_ps = 9;
  EXPECT_THROW(writer.write(request), std::invalid_argument);
  request.arrival_ps = 10;
  request.kind = RequestKind::Flush;
  EXPECT_THROW(writer.write(request), std::invalid_argument);
}

}  // namespace
}  // namespace flashloom::native_trace_test
