// Damaged inputs of every trace format, plain and compressed: the reader gives requests that keep the promises of a
// source, or an error that names the file and a line of it; it never crashes or hangs.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/workloads/input_files.hpp"
#include "tests/workloads/mutator.hpp"
#include "tests/workloads/traces/trace_samples.hpp"
#include "workloads/fio/job_file.hpp"
#include "workloads/traces/native.hpp"

namespace flashloom::reader_fuzz_test {
namespace {

/// Corrects the checksums of a damaged compact trace, so that the damage reaches the decoder.
void restore_sums(std::string& trace) {
  auto* const bytes = reinterpret_cast<unsigned char*>(trace.data());
  const auto store = [&](std::size_t at, std::uint32_t sum) { boost::endian::store_little_u32(bytes + at, sum); };
  if (trace.size() < native::kHeaderBytes) return;
  store(12, native::crc32(bytes, 12));
  for (std::size_t at = native::kHeaderBytes; at + native::kBlockHeadBytes <= trace.size();) {
    const std::size_t payload = at + native::kBlockHeadBytes;
    const std::size_t size = boost::endian::load_little_u32(bytes + at);
    if (size > trace.size() - payload) return;
    store(at + 8, native::crc32(bytes + payload, size, native::crc32(bytes + at, 8)));
    at = payload + size;
  }
}

/// Reads all requests, which must keep a source's promises. The reader may throw an error with a line.
void expect_promises_kept(std::string_view bytes, const std::string& format) {
  constexpr std::size_t kMostRequests = 2'000'000;  // more than any input of these tests holds
  const auto source = open_bytes(bytes, {format, {}}, "fuzz");
  Request request;
  std::uint64_t last = 0;
  std::size_t requests = 0;
  while (source->next(request)) {
    ASSERT_GE(request.arrival_ps, last);
    ASSERT_EQ(request.length == 0, request.kind == RequestKind::Flush);
    ASSERT_GE(request.offset + request.length, request.offset);
    ASSERT_LE(source->position().line, bytes.size() * 1000);
    last = request.arrival_ps;
    ASSERT_LE(++requests, kMostRequests);
  }
  ASSERT_NE(requests, 0U);
}

/// The result of reading all, `batch` requests a call (0: each by next()): the requests, and where and why it ends.
std::string reading(std::string_view bytes, const std::string& format, std::size_t batch) {
  std::string all;
  try {
    const auto source = open_bytes(bytes, {format, {}}, "fuzz");
    std::vector<Request> requests(std::max<std::size_t>(batch, 1));
    const auto read = [&] {
      return batch == 0 ? std::size_t{source->next(requests[0])} : source->next_batch(requests);
    };
    for (std::size_t n = read(); n != 0; n = read())
      for (std::size_t i = 0; i < n; ++i) {
        const Request& request = requests[i];
        for (const std::uint64_t field :
             {request.offset, request.length, request.arrival_ps, std::uint64_t(request.kind),
              std::uint64_t{request.fua}, std::uint64_t{request.stream}})
          all += std::to_string(field) + " ";
      }
  } catch (const WorkloadError& error) {
    return error.what();
  }
  return all;
}

class FuzzedTraces : public testing::TestWithParam<std::string> {};

TEST_P(FuzzedTraces, GiveRequestsOrAnErrorWithItsPlace) {
  std::vector<std::string> seeds;
  std::vector<std::string> all;
  for (const SampleTrace& sample : sample_traces()) {
    all.push_back(sample.bytes);
    if (sample.format == GetParam()) seeds.push_back(sample.bytes);
  }
  ASSERT_FALSE(seeds.empty());
  const int inputs = fuzzed_inputs();
  Mutator mutate(all);
  int errors = 0;
  int with_place = 0;
  for (int i = 0; i < inputs; ++i) {
    std::string text = mutate(seeds[static_cast<std::size_t>(i) % seeds.size()]);
    if (GetParam() == "flashloom" && i % 4 != 0) restore_sums(text);
    const std::string plain = text;
    if (i % 16 == 0) text = mutate(i % 48 == 0 ? zstd(text) : i % 48 == 16 ? gzip(text) : xz(text));
    try {
      expect_promises_kept(text, i % 8 == 3 ? "" : GetParam());
    } catch (const WorkloadError& error) {
      ++errors;
      if (error.line() != 0) ++with_place;
      ASSERT_EQ(error.file(), "fuzz");
      if (i % 16 != 0) {
        ASSERT_LE(error.line(), plain.size() + 1);
      }
    }
    if (HasFatalFailure()) FAIL() << "input " << i;
    const std::string one_by_one = reading(text, GetParam(), 0);
    ASSERT_EQ(reading(text, GetParam(), 1 + static_cast<std::size_t>(i) % 7), one_by_one) << "input " << i;
  }
  // The mutator must reach both ends: many inputs are damaged enough to be refused, some are still valid.
  EXPECT_GT(errors, inputs / 10);
  EXPECT_LT(errors, inputs - inputs / 50);
  EXPECT_GT(with_place, inputs / 20);
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const SampleTrace& sample : sample_traces()) names.push_back(sample.format);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, FuzzedTraces, testing::ValuesIn(format_names()),
                         [](const auto& format) { return format.param; });

// A damaged job file gives jobs, or an error that names the file.
TEST(FuzzedJobFiles, GiveJobsOrAnErrorThatNamesTheFile) {
  const std::string seed =
      "; a comment\n[global]\nrw=randrw\nbs=4k,8k\nsize=64m\niodepth=16\nrandom_distribution=zipf:1.1\n"
      "[first]\nrwmixread=70\nrate_iops=1000\nruntime=10s\n[second]\nstonewall\nrw=write\nbssplit=4k/60:64k/40\n"
      "numjobs=2\nstartdelay=1s\noffset=1g\nthinktime=10us\nfsync=32\n";
  const InputFiles files;
  Mutator mutate({seed, "[x]\nrw=trimwrite\nbsrange=1k-8k\nzonemode=none\nsize=10%\nio_size=1g\nloops=3\n"});
  const int inputs = fuzzed_inputs();
  int errors = 0;
  for (int i = 0; i < inputs; ++i) {
    const std::string path = files.write("fuzz.fio", mutate(seed));
    try {
      ASSERT_FALSE(read_fio_jobs(path).empty());
    } catch (const WorkloadError& error) {
      ++errors;
      ASSERT_EQ(error.file(), path);
    }
  }
  EXPECT_GT(errors, inputs / 10);
  EXPECT_LT(errors, inputs - inputs / 50);
}

// The decompressors alone, with any bytes behind a valid magic number.
TEST(FuzzedStreams, DecompressToSomethingOrFail) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::to_string(i * 7919) + " 0 8 8 1\n";
  const std::vector<std::string> seeds{gzip(text), zstd(text), xz(text), gzip(text) + gzip("1 0 8 8 1\n")};
  Mutator mutate(seeds);
  const int inputs = fuzzed_inputs();
  int errors = 0;
  std::string buffer(4096, '\0');
  for (int i = 0; i < inputs; ++i) {
    const std::string bytes = mutate(seeds[static_cast<std::size_t>(i) % seeds.size()]);
    try {
      const auto stream = decompressed(memory_bytes(bytes), "fuzz");
      std::size_t total = 0;
      while (const std::size_t got = stream->read(buffer.data(), buffer.size())) {
        total += got;
        ASSERT_LE(total, std::size_t{64} << 20U) << "input " << i;
      }
    } catch (const StreamError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, inputs / 2);
  EXPECT_LT(errors, inputs);
}

}  // namespace
}  // namespace flashloom::reader_fuzz_test
