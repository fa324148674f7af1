// A trace of any length needs constant memory, and no allocation a request.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>

#include "tests/workloads/input_files.hpp"
#include "tests/workloads/traces/trace_samples.hpp"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

// Count for the whole test program. Out of line: GCC calls it a mismatch if it inlines only one of a pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace flashloom::constant_memory_test {
namespace {

/// A long trace that is stored nowhere: `head` once, then `piece` again and again, `bytes` in all.
class Repeated final : public ByteStream {
 public:
  Repeated(std::string head, std::string piece, std::uint64_t bytes)
      : head_(std::move(head)), piece_(std::move(piece)), pieces_(bytes / piece_.size()) {}

  std::size_t read(char* to, std::size_t size) override {
    std::string& from = head_.empty() ? piece_ : head_;
    if (head_.empty() && pieces_ == 0) return 0;
    const std::size_t got = from.copy(to, size, at_);
    at_ += got;
    if (at_ == from.size()) {
      at_ = 0;
      if (head_.empty())
        --pieces_;
      else
        head_.clear();
    }
    return got;
  }

 private:
  std::string head_;
  std::string piece_;
  std::uint64_t pieces_;
  std::size_t at_ = 0;
};

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

struct Consumption {
  std::uint64_t requests = 0;
  std::uint64_t allocations = 0;  // after the first 100,000 requests
  std::uint64_t growth = 0;       // of resident memory since then, at most, bytes
};

Consumption consume(RequestSource& source) {
  constexpr std::uint64_t kBatch = 100'000;
  Consumption consumed;
  std::uint64_t resident = 0;
  std::uint64_t mark = 0;
  Request request;
  while (source.next(request)) {
    if (++consumed.requests % kBatch != 0) continue;
    const bool warm = consumed.requests > kBatch;
    if (warm) consumed.allocations += allocations - mark;
    const std::uint64_t now = resident_bytes();
    if (!warm) resident = now;
    consumed.growth = std::max(consumed.growth, now > resident ? now - resident : 0);
    mark = allocations;  // reading the resident memory allocates, too
  }
  return consumed;
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

struct LongTrace {
  std::string format;
  std::string head;
  std::string line;
};

std::vector<LongTrace> long_traces() {
  return {{"arc", "", "230027 8 0 0\n"},
          {"blkparse", "", "8,16 3 5 0.000026421 3645 D WS 8 + 16 [a]\n"},
          {"cpcsv", "version,time,op,size,lbn\n", "1,5633898,2a,512,42932745\n"},
          {"disksim", "", "640.875000\t0\t522424\t16\t1\n"},
          {"diskmon", "", "0\t0.047339\t0.00019073\t0\tRead\t1320146\t8\t\n"},
          {"fio_iolog", "fio version 2 iolog\n/dev/a_name_longer_than_a_small_string add\n",
           "/dev/a_name_longer_than_a_small_string read 4096 8192\n"},
          {"fiu", "", "89966522969723 4270 rpc.mountd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"},
          {"msr", "", "128166386783630075,hm,0,Write,3164164096,40960,2896\n"},
          {"nexus5", "", "0\t\t8\t\t4096\t\t4\t\t1.740780627\t\t1.740812815\t\t1.740851877\t\t1.741075471\n"},
          {"spc", "", "0,20941264,8192,W,0.551706\n"},
          {"systor", "", "1456095145.133076000,0.000806000,R,0,899056122368,131072\n"},
          {"vscsi", "", vscsi(1, 0x2a, 512, 42932745, 5633898229538)}};
}

void expect_constant(const Consumption& consumed, const std::string& what) {
  EXPECT_GT(consumed.requests, 300'000U) << what;
  EXPECT_EQ(consumed.allocations, 0U) << what;
  EXPECT_LT(consumed.growth, kMiB) << what;
}

TEST(ConstantMemory, EveryReader) {
  for (const LongTrace& trace : long_traces()) {
    std::string piece;
    while (piece.size() < 100'000) piece += trace.line;
    const auto source = open_trace(
        TraceInput{trace.format, std::make_unique<Repeated>(trace.head, piece, 400'000 * trace.line.size())});
    expect_constant(consume(*source), trace.format);
  }
}

// Hundreds of megabytes of text from compressed streams of many members.
TEST(ConstantMemory, LongCompressedTraces) {
  constexpr std::uint64_t kLines = 40'000;
  std::string piece;
  for (std::uint64_t i = 0; i < kLines; ++i)
    piece += "640.875000 0 " + std::to_string(i * 7919 % 1'000'003) + " 16 1\n";
  const std::pair<std::string, std::uint64_t> streams[] = {
      {zstd(piece), 300'000'000}, {gzip(piece), 60'000'000}, {xz(piece), 20'000'000}};
  for (const auto& [member, bytes] : streams) {
    const std::uint64_t copies = bytes / piece.size();
    const auto source = open_trace(TraceInput{"long", std::make_unique<Repeated>("", member, copies * member.size())});
    const Consumption consumed = consume(*source);
    EXPECT_EQ(consumed.requests, copies * kLines);
    EXPECT_EQ(consumed.allocations, 0U);
    EXPECT_LT(consumed.growth, 2 * kMiB);
  }
}

// Conversion to the compact form and back, both without growth.
TEST(ConstantMemory, Conversion) {
  class Counting final : public std::streambuf {
   public:
    std::streamsize xsputn(const char*, std::streamsize size) override { return size; }
    int overflow(int c) override { return c == EOF ? 0 : c; }
  } nowhere;
  std::ostream out(&nowhere);
  class Watched final : public RequestSource {  // counts what the writer allocates between requests
   public:
    bool next(Request& request) override {
      request = {};
      request.length = 4096;
      request.offset = requests * 7919 % 1'000'003 * 4096;
      request.arrival_ps = requests * 1'000'000;
      if (requests == 100'000) mark = allocations;
      return ++requests <= 2'000'000;
    }
    std::uint64_t requests = 0;
    std::uint64_t mark = 0;
  } source;
  const std::uint64_t before = resident_bytes();
  EXPECT_EQ(write_native_trace(source, out), 2'000'000U);
  EXPECT_EQ(allocations - source.mark, 0U);
  EXPECT_LT(resident_bytes() - before, 2 * kMiB);

  Watched again;
  const std::string bytes = native_trace(again);
  expect_constant(consume(*open_bytes(bytes)), "flashloom");
}

}  // namespace
}  // namespace flashloom::constant_memory_test
