// Fixed latencies of the controller, and the host's cost of a request: by hand to the tick, and what they must not slow
// down.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "models/common/types.hpp"
#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::latency_test {
namespace {

using enum RequestKind;

DeviceConfig device(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"nand.blocks=16", "nand.pages=32", "ftl.over_provisioning=1.0"});
  return preset("calibration", overrides);
}

DeviceConfig with(std::vector<std::string> common, const std::vector<std::string>& more) {
  common.insert(common.end(), more.begin(), more.end());
  return device(std::move(common));
}

const std::vector<std::string> kFilled = {"precondition.fill=1.0"};
const std::vector<std::string> kLatencies = {"controller.read_latency=20 us", "controller.write_latency=3 us",
                                             "controller.read_page_latency=5 us"};

Picoseconds latency(const Json& result, const char* operation) {
  EXPECT_EQ(result["latency_ps"][operation][0], result["latency_ps"][operation][1]);
  return result["latency_ps"][operation][0];
}

Picoseconds part(const Json& result, const char* operation, const char* name) {
  return result["breakdown_ps"][operation][name];
}

// ---- The controller's latencies ----

TEST(ControllerLatency, IsAddedToAnUnloadedReadAndNamed) {
  const std::vector<std::vector<std::string>> kinds = {
      {}, {"link.kind=ideal"}, {"link.kind=sata", "host_interface.kind=sata", "host_interface.queue_depth=32"}};
  for (const std::vector<std::string>& kind : kinds) {
    std::vector<std::string> common = kFilled;
    common.insert(common.end(), kind.begin(), kind.end());
    const TestJob reads{of(Read, 4096, 40), 1};
    const Json plain = simulate(device(common), {reads});
    const Json slower = simulate(with(common, kLatencies), {reads});
    EXPECT_EQ(latency(slower, "read"), latency(plain, "read") + 25 * kMicrosecond);
    EXPECT_EQ(part(slower, "read", "controller"), 40 * 25 * kMicrosecond);
    EXPECT_EQ(part(plain, "read", "controller"), 0);
    for (const auto& [name, total] : plain["breakdown_ps"]["read"].items()) {
      if (name == "controller") continue;
      EXPECT_EQ(total, slower["breakdown_ps"]["read"][name]) << name;
    }
  }
}

// Pages of two channels arrive at the same time: the page latency counts once.
TEST(ControllerLatency, OfPagesIsSideBySide) {
  const TestJob reads{of(Read, 8192, 20), 1};
  const Json plain = simulate(device(kFilled), {reads});
  const Json slower = simulate(with(kFilled, {"controller.read_page_latency=5 us"}), {reads});
  EXPECT_EQ(latency(slower, "read"), latency(plain, "read") + 5 * kMicrosecond);
}

TEST(ControllerLatency, OfWritesIsTheirOwnAndTrimsAndFlushesHaveNone) {
  for (const char* const mode : {"buffer.mode=write_back", "buffer.mode=write_through"}) {
    for (const auto& [kind, name, expected] :
         {std::tuple{Write, "write", 3 * kMicrosecond}, std::tuple{Trim, "trim", Picoseconds{0}},
          std::tuple{Flush, "flush", Picoseconds{0}}}) {
      std::vector<Request> requests = of(kind, 4096, 20);
      if (kind == Flush) requests.assign(20, {.kind = Flush});
      const Json plain = simulate(device({mode}), {{requests, 1}});
      const Json slower = simulate(with({mode}, kLatencies), {{requests, 1}});
      EXPECT_EQ(latency(slower, name), latency(plain, name) + expected) << mode << name;
      EXPECT_EQ(part(slower, name, "controller"), 20 * expected) << mode << name;
    }
  }
}

// A read that hits the buffer needs no flash page, but still passes the controller.
TEST(ControllerLatency, HoldsForReadsThatTheBufferServes) {
  std::vector<Request> requests = of(Write, 4096, 20);
  for (const Request& read : of(Read, 4096, 20)) requests.push_back(read);
  const std::vector<std::string> buffered = {"buffer.mode=write_back"};
  const Json plain = simulate(device(buffered), {{requests, 1}});
  const Json slower = simulate(with(buffered, kLatencies), {{requests, 1}});
  ASSERT_EQ(plain["flash"]["reads"]["total"]["pages"], 0);
  EXPECT_EQ(latency(slower, "read"), latency(plain, "read") + 20 * kMicrosecond);
}

// One die that is never idle: everything completes later by the two latencies, at the same throughput.
TEST(ControllerLatency, BoundsNoThroughput) {
  const std::vector<std::string> one_die = {"precondition.fill=1.0", "nand.channels=1", "nand.ways=1",
                                            "nand.blocks=64"};
  const TestJob reads{of(Read, 4096, 400), 64};
  const Json plain = simulate(device(one_die), {reads});
  const Json slower = simulate(with(one_die, kLatencies), {reads});
  EXPECT_EQ(slower["end_ps"].get<Picoseconds>(), plain["end_ps"].get<Picoseconds>() + 25 * kMicrosecond);
}

// Reads and writes of a whole device with cores and DRAM of limited speed: 1 ms per page, with hundreds of pages in
// flight, must not slow down the writes.
TEST(ControllerLatency, DelaysNothingThatGoesBesideIt) {
  const std::vector<std::string> busy = {"precondition.fill=1.0", "cpu.model=arm", "cpu.clock=1 GHz",
                                         "dram.bandwidth=3200 MB/s", "buffer.mode=write_back"};
  const TestJob reads{of(Read, 4096, 2000, 0), 256};
  const TestJob writes{of(Write, 4096, 40, 3000), 1};
  const auto write_latency = [&](const std::vector<std::string>& more) {
    return simulate(with(busy, more), {reads, writes})["host"]["jobs"][1]["write"]["latency_ns"]["max"].get<double>();
  };
  EXPECT_LT(write_latency({"controller.read_page_latency=1 ms", "controller.read_latency=1 ms"}),
            write_latency({}) + 1000);
}

// A power cut strikes with commands and pages in the pipelines; verify checks the data after the restart.
TEST(ControllerLatency, DiesWithThePower) {
  for (const char* const cut : {"power.cut_at=2 ms", "power.cut_at=7 ms"}) {
    const DeviceConfig config = small_preset(
        "tiny", {"controller.read_latency=1 ms", "controller.write_latency=700 us", "controller.read_page_latency=2 ms",
                 "precondition.fill=0.8", cut, "power.cuts=5", "power.cut_spacing=6 ms"});
    const Json result = simulate(config, {{random_mix(mix_for(config, 3, 400)), 16}});
    EXPECT_EQ(result["host"]["completions"], 400);
    EXPECT_GT(result["host"]["power_lost"], 0);
  }
}

TEST(ControllerLatency, LeavesTheMediaAsTheInstantClockDoes) {
  for (const char* const kind : {"page_map", "dftl"}) {
    const DeviceConfig config = small_preset(
        "tiny", {std::string("ftl.kind=") + kind, "ftl.over_provisioning=2", "controller.read_latency=20 us",
                 "controller.write_latency=10 us", "controller.read_page_latency=5 us"});
    const std::vector<Request> requests = random_mix(mix_for(config, 5, 600));
    EXPECT_EQ(simulate(config, {{requests, 1}})["digest"], run_instantly(config, requests)["digest"]) << kind;
  }
}

// ---- What a request costs its host ----

TEST(HostCost, IsAddedToAnUnloadedRequest) {
  const TestJob reads{of(Read, 4096, 40), 1};
  const Json plain = simulate(device(kFilled), {reads});
  const Json dear = simulate(with(kFilled, {"host.submit_cost=3 us", "host.complete_cost=2 us",
                                            "host.submit_latency=400 ns", "host.complete_latency=700 ns"}),
                             {reads});
  EXPECT_EQ(latency(dear, "read"), latency(plain, "read") + 6'100'000);
  EXPECT_EQ(part(dear, "read", "host"), 40 * 6'100'000);
  EXPECT_EQ(part(dear, "read", "backlog"), 0);
  EXPECT_EQ(dear["host"]["read"]["slat_ns"]["max"], 3400);
  EXPECT_EQ(dear["host"]["late_requests"], 0);
}

// Sixteen dies serve 294,000 reads per second; a thread that needs 5 us per request serves 200,000.
TEST(HostCost, BoundsTheRequestsOfAThread) {
  const DeviceConfig one = with(kFilled, {"host.submit_cost=3 us", "host.complete_cost=2 us"});
  const std::vector<Request> requests = of(Read, 4096, 200);
  EXPECT_EQ(simulate(one, {{requests, 64}})["end_ps"], 200 * 5 * kMicrosecond);
  EXPECT_LT(simulate(device(kFilled), {{requests, 64}})["end_ps"], 150 * 5 * kMicrosecond);
  // Each of two jobs has a thread of its own, and so has each queue of a job.
  const DeviceConfig two = with(kFilled, {"host.submit_cost=6 us", "host.complete_cost=4 us", "host.queues=2"});
  const std::vector<Request> half(requests.begin(), requests.begin() + 100);
  const std::vector<Request> rest(requests.begin() + 100, requests.end());
  EXPECT_EQ(simulate(two, {{half, 32}, {rest, 32}})["end_ps"], 100 * 10 * kMicrosecond);
  EXPECT_EQ(simulate(two, {{.requests = requests, .iodepth = 64, .queues = 2}})["end_ps"], 100 * 10 * kMicrosecond);
  EXPECT_EQ(simulate(two, {{requests, 64}})["end_ps"], 200 * 10 * kMicrosecond);
}

// In a closed loop a busy thread has not issued its next request yet: slat is the cost alone, and no request is late.
TEST(HostCost, OfAClosedLoopIsItsSlat) {
  const Json result =
      simulate(with(kFilled, {"host.submit_cost=3 us", "host.complete_cost=2 us"}), {{of(Read, 4096, 200), 64}});
  EXPECT_EQ(result["host"]["read"]["slat_ns"]["min"], 3000);
  EXPECT_EQ(result["host"]["read"]["slat_ns"]["max"], 3000);
  EXPECT_EQ(result["host"]["late_requests"], 0);
  EXPECT_EQ(part(result, "read", "backlog"), 0);
}

// A thread that is busy with completions delays the next submission, even if submission itself costs nothing.
TEST(HostCost, OfCompletionsAloneHoldsUpSubmissions) {
  const std::vector<Request> requests = of(Read, 4096, 200);
  const Json none = simulate(with(kFilled, {"host.complete_cost=5 us"}), {{requests, 64}});
  const Json little =
      simulate(with(kFilled, {"host.complete_cost=5 us", "host.submit_latency=1 ps"}), {{requests, 64}});
  EXPECT_EQ(none["host"]["read"]["slat_ns"]["max"], 0);
  EXPECT_NEAR(none["end_ps"].get<double>(), little["end_ps"].get<double>(), 1000);
  EXPECT_NEAR(none["host"]["read"]["latency_ns"]["mean"].get<double>(),
              little["host"]["read"]["latency_ns"]["mean"].get<double>(), 10);
}

// One request arrives per 1 us and costs the thread 3 us: request k begins at 3 k us, all before the first completion.
TEST(HostCost, DelaysTheRequestsOfATrace) {
  std::vector<Request> requests = of(Read, 4096, 15);
  for (std::size_t k = 0; k < requests.size(); ++k) requests[k].arrival_ps = k * kMicrosecond;
  const Json result = simulate(with(kFilled, {"host.submit_cost=3 us"}), {{requests, 0}});
  EXPECT_EQ(result["host"]["late_requests"], 14);
  EXPECT_EQ(result["host"]["max_lateness_ns"], 28'000);
  EXPECT_EQ(part(result, "read", "backlog"), 2 * 105 * kMicrosecond);  // 0 + 1 + ... + 14
  EXPECT_EQ(part(result, "read", "host"), 15 * 3 * kMicrosecond);
  EXPECT_EQ(result["host"]["read"]["slat_ns"]["max"], 31'000);
}

TEST(HostCost, GoesWithPowerCuts) {
  const DeviceConfig config = small_preset("tiny", {"host.driver=kernel", "host.submit_cost=200 us",
                                                    "power.cut_at=2 ms", "power.cuts=4", "power.cut_spacing=8 ms"});
  for (const std::uint32_t iodepth : {1U, 16U, 0U}) {
    MixOptions mix = mix_for(config, 3, 300);
    mix.gap_ps = 20 * kMicrosecond;
    const Json result = simulate(config, {{random_mix(mix), iodepth}});
    EXPECT_EQ(result["host"]["completions"], 300);
  }
}

TEST(HostCost, IsWhatTheDriverSaysUnlessTheFileDoes) {
  const DeviceConfig kernel = device({"host.driver=kernel"});
  EXPECT_EQ(kernel.host.submit_cost, 750 * kNanosecond);
  EXPECT_EQ(kernel.host.complete_cost, 500 * kNanosecond);
  EXPECT_EQ(kernel.host.complete_latency, 2 * kMicrosecond);
  EXPECT_NE(kernel.sources.at("host.driver").find("Axboe"), std::string::npos);
  const DeviceConfig polling = device({"host.driver=polling", "host.complete_cost=1 us"});
  EXPECT_EQ(polling.host.submit_cost, 50 * kNanosecond);
  EXPECT_EQ(polling.host.complete_cost, kMicrosecond);
  EXPECT_EQ(polling.host.complete_latency, 0);
  EXPECT_FALSE(device({}).host.has_cost());
}

}  // namespace
}  // namespace flashloom::latency_test
