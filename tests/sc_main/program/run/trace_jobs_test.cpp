#include "sc_main/program/run/trace_jobs.hpp"

#include <gtest/gtest.h>

#include "tests/workloads/input_files.hpp"

namespace flashloom::trace_jobs_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr DeviceSpace kDevice{.capacity = 100 * kMiB, .sector_size = 4096};

using Spaces = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Spaces spaces(const std::vector<TraceSpec>& traces, const DeviceSpace& device = kDevice) {
  Spaces result;
  for (const TraceSpace& space : trace_spaces(traces, device)) result.emplace_back(space.offset, space.size);
  return result;
}

std::string refusal(const std::vector<TraceSpec>& traces) {
  try {
    trace_spaces(traces, kDevice);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TraceSpec trace(const char* path, std::optional<std::uint64_t> offset = {}, std::optional<std::uint64_t> size = {}) {
  return {.path = path, .offset = offset, .size = size};
}

TEST(TraceSpaces, OneHasTheDeviceSeveralShareIt) {
  EXPECT_EQ(spaces({trace("a")}), (Spaces{{0, 100 * kMiB}}));
  EXPECT_EQ(spaces({trace("a"), trace("b"), trace("c")}),
            (Spaces{{0, 33 * kMiB}, {33 * kMiB, 33 * kMiB}, {66 * kMiB, 33 * kMiB}}));
  EXPECT_EQ(spaces({trace("a"), trace("b")}, {.capacity = 12288 * 2 + 4096, .sector_size = 4096}),
            (Spaces{{0, 12288}, {12288, 12288}}));
}

TEST(TraceSpaces, OffsetsAndSizes) {
  EXPECT_EQ(spaces({trace("a", 10 * kMiB)}), (Spaces{{10 * kMiB, 90 * kMiB}}));
  EXPECT_EQ(spaces({trace("a", {}, 10 * kMiB), trace("b", {}, 20 * kMiB), trace("c")}),
            (Spaces{{0, 10 * kMiB}, {10 * kMiB, 20 * kMiB}, {30 * kMiB, 70 * kMiB}}));
  EXPECT_EQ(spaces({trace("a", 50 * kMiB, kMiB), trace("b", 0, 50 * kMiB)}),
            (Spaces{{50 * kMiB, kMiB}, {0, 50 * kMiB}}));
  EXPECT_EQ(spaces({trace("a", 0, kMiB), trace("b", 0, kMiB)}), (Spaces{{0, kMiB}, {0, kMiB}}));  // shared on purpose
}

TEST(TraceSpaces, Mistakes) {
  EXPECT_EQ(refusal({trace("a", 100 * kMiB)}), "--trace a: begins at 100 MiB, beyond the device (100 MiB)");
  EXPECT_EQ(refusal({trace("a", 90 * kMiB, 11 * kMiB)}),
            "--trace a: offset 90 MiB and size 11 MiB reach beyond the device (100 MiB)");
  EXPECT_EQ(refusal({trace("a", 0, 10 * kMiB), trace("b", 9 * kMiB, 2 * kMiB)}),
            "--trace b: its part of the device (9 MiB to 11 MiB) overlaps that of a (0 B to 10 MiB); give each its "
            "offset and size, or both the same");
  EXPECT_EQ(refusal({trace("a", 0, 5000)}), "--trace a: offset and size must be whole sectors (4096 bytes)");
  EXPECT_NE(refusal({trace("a", 0), trace("b", 50 * kMiB)}).find("overlaps that of a"), std::string::npos);
}

constexpr const char* kTrace = "0,hm,0,Write,0,4096,0\n1000,hm,3,Read,8192,4096,0\n";

TEST(TraceJobs, EachItsOwnStreamQueueAndPlace) {
  const InputFiles files;
  const std::string a = files.write("a.csv", kTrace);
  const std::string b = files.write("b.csv", kTrace);
  DeviceConfig config;
  config.host.queues = 2;
  config.host.replay = "timed";
  const TraceSet set{.traces = {trace(a.c_str()), trace(b.c_str()), trace(a.c_str())}};
  const auto jobs = open_trace_jobs(set, AddressFit::Error, config, kDevice, true);
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].name, "a.csv");
  EXPECT_EQ(jobs[1].name, "b.csv");
  EXPECT_EQ(jobs[2].name, "a.csv#3");
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(jobs[i].queue, i % 2);
    EXPECT_EQ(jobs[i].queues, 1U);
    EXPECT_EQ(jobs[i].stream, i);
    EXPECT_EQ(jobs[i].offset, i * 33 * kMiB);
    EXPECT_TRUE(jobs[i].open_loop);
    EXPECT_EQ(all_requests(*jobs[i].source).size(), 2U);
  }
}

TEST(TraceJobs, ConcatIsOneJobOnTheWholeDevice) {
  const InputFiles files;
  const std::string a = files.write("a.csv", kTrace);
  DeviceConfig config;
  config.host.queues = 2;
  config.host.replay = "timed";
  const TraceSet set{.traces = {trace(a.c_str()), trace(a.c_str())}, .concat = true, .gap_ps = 7};
  const auto jobs = open_trace_jobs(set, AddressFit::Error, config, kDevice, true);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].name, "a.csv and 1 more");
  EXPECT_EQ(jobs[0].queues, 2U);
  const auto requests = all_requests(*jobs[0].source);
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[2].arrival_ps, 100'000'007U);
  EXPECT_EQ(requests[3].arrival_ps, 200'000'007U);
}

TEST(TraceJobs, AddressesMustFitTheirOwnPart) {
  const InputFiles files;
  const std::string a = files.write("a.csv", kTrace);
  DeviceConfig config;
  config.host.replay = "timed";
  const TraceSet set{.traces = {trace(a.c_str(), 4 * kMiB, 8192)}};
  const auto strict = open_trace_jobs(set, AddressFit::Error, config, kDevice, true);
  EXPECT_EQ(error_of([&] { all_requests(*strict[0].source); }).line(), 2U);
  const auto wrapped = open_trace_jobs(set, AddressFit::Wrap, config, kDevice, true);
  EXPECT_EQ(all_requests(*wrapped[0].source)[1].offset, 0U);
}

TEST(TraceJobs, UntimedTracesNeedAClosedLoop) {
  const InputFiles files;
  const std::string arc = files.write("a.lis", "1 1 0 0\n2 1 0 0\n");
  const std::string csv = files.write("b.csv", kTrace);
  DeviceConfig config;
  config.host.replay = "timed";
  const TraceSet set{.traces = {trace(csv.c_str()), trace(arc.c_str())}, .concat = true};
  const WorkloadError error = error_of([&] { open_trace_jobs(set, AddressFit::Error, config, kDevice, true); });
  EXPECT_EQ(error.file(), arc);
  EXPECT_NE(error.message().find("host.replay=closed"), std::string::npos);
  // The instant clock asks for no times.
  EXPECT_EQ(all_requests(*open_trace_jobs(set, AddressFit::Error, config, kDevice, false)[0].source).size(), 4U);
  config.host.replay = "closed";
  const auto jobs = open_trace_jobs(set, AddressFit::Error, config, kDevice, true);
  EXPECT_FALSE(jobs[0].open_loop);
  EXPECT_EQ(all_requests(*jobs[0].source).size(), 4U);
}

}  // namespace
}  // namespace flashloom::trace_jobs_test
