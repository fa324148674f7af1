// Compares the generator `iozone` with a public block trace of an IOzone run (MSR's SSD extension of DiskSim). The
// trace was taken beneath a file system and a page cache, so the generator's requests pass the host's page cache first.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/experiment.hpp"
#include "tests/workloads/generators/generator_support.hpp"
#include "tests/workloads/input_files.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom::iozone_trace_test {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLargest = 256 * kKiB;

struct Shape {
  double reads = 0;          // share of all requests
  double mean_bytes = 0;     // mean request size
  double writes_a_page = 0;  // per page that is written at all
};

Shape shape_of_trace(const std::string& path, double& of_the_largest, double& continued) {
  TraceOptions options;
  options.parameters["time_unit"] = "ms";
  const auto source = open_trace(path, options);
  Request request;
  Shape shape;
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  std::uint64_t of_largest = 0;
  std::uint64_t large = 0;
  std::uint64_t following = 0;
  std::map<std::uint64_t, std::uint64_t> writes;  // by page
  std::set<std::uint64_t> ends;
  while (source->next(request)) {
    ++requests;
    bytes += request.length;
    if (request.kind == RequestKind::Read) ++shape.reads;
    if (request.length == kLargest) ++of_largest;
    for (std::uint64_t page = request.offset / kPage; page * kPage < request.offset + request.length; ++page)
      ++writes[page];
    if (request.length < kLargest / 2) continue;
    ++large;
    following += ends.erase(request.offset);
    ends.insert(request.offset + request.length);
  }
  const auto all = static_cast<double>(requests);
  shape.reads /= all;
  shape.mean_bytes = static_cast<double>(bytes) / all;
  shape.writes_a_page = static_cast<double>(bytes) / kPage / static_cast<double>(writes.size());
  of_the_largest = static_cast<double>(of_largest) / all;
  continued = static_cast<double>(following) / static_cast<double>(large);
  return shape;
}

// One file of 8 MiB, all record sizes, in a cache that holds the whole file.
Shape shape_of_generator(std::uint64_t write_passes) {
  constexpr std::uint64_t kFile = 8 * kMiB;
  std::vector<Request> requests =
      requests_of(generate("iozone", {{"min_file", bytes(kFile)}, {"max_file", bytes(kFile)}}, 16 * kMiB));
  const Json result = simulate(preset("tiny", {"host.cache.size=16 MiB", "host.cache.request=256 KiB", "verify=true",
                                               "host.cache.dirty_background=1", "host.cache.dirty_hard=1"}),
                               {{std::move(requests), 1}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  const Json& cache = result["host_cache"];
  std::uint64_t pages = 0;
  for (const Json& written : cache["written_back"]) pages += written.get<std::uint64_t>();
  EXPECT_EQ(pages, write_passes * kFile / kPage);  // each pass ends with a flush
  const auto writes = cache["write_requests"].get<double>();
  const auto reads = cache["fetch_requests"].get<double>();
  return {.reads = reads / (reads + writes),
          .mean_bytes = static_cast<double>(pages * kPage) / writes,
          .writes_a_page = static_cast<double>(pages) / (static_cast<double>(kFile) / kPage)};
}

TEST(IozoneTrace, LooksLikeTheGeneratorBehindAPageCache) {
  const auto directory = trace_directory();
  if (directory.empty()) GTEST_SKIP() << "no public traces: set FLASHLOOM_TRACES";
  double of_the_largest = 0;
  double continued = 0;
  const Shape trace = shape_of_trace((directory / "ssdext_iozone100K.disksim.zst").string(), of_the_largest, continued);
  constexpr std::uint64_t kPasses = 2 * 12;  // write and rewrite, records of 4 KiB to 8 MiB
  const Shape generator = shape_of_generator(kPasses);

  // The file stays in the cache, so no read reaches the device.
  EXPECT_EQ(trace.reads, 0);
  EXPECT_EQ(generator.reads, 0);
  // For any record size, requests have the driver's maximum size, and are sequential.
  EXPECT_NEAR(of_the_largest, 0.834, 0.001);
  EXPECT_GT(continued, 0.8);
  EXPECT_EQ(generator.mean_bytes, static_cast<double>(kLargest));
  EXPECT_GT(trace.mean_bytes, static_cast<double>(kLargest));  // the trace has some of 4 MiB
  // Each pass writes each page again: tens of times in all.
  EXPECT_EQ(generator.writes_a_page, static_cast<double>(kPasses));
  EXPECT_GT(trace.writes_a_page, 20);
  EXPECT_LT(trace.writes_a_page, 40);
}

}  // namespace
}  // namespace flashloom::iozone_trace_test
