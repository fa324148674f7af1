// Keys of the controller's latencies and of the host's cost of a request: values that a device file may not have.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/refused_keys.hpp"

namespace flashloom::bad_latency_test {
namespace {

TEST(LatencyKeys, AreRefusedWithKeyAndReason) {
  const std::vector<RefusedKeys> all = {
      {{"host.driver=spdk"}, {"host.driver", "none | kernel | polling"}},
      {{"host.submit_cost=2 s"}, {"host.submit_cost", "0 s .. 1 s"}},
      {{"controller.read_latency=2 s"}, {"controller.read_latency", "0 s .. 1 s"}},
      {{"host.driver=kernel", "host.cache.size=1 MiB"},
       {"host.driver", "750 ns a request and 500 ns a completion", "host.cache.size", "valid: \"none\""}},
      {{"host.complete_cost=1 us", "heap.nvram.kind=pcm"},
       {"host.complete_cost", "0 s a request and 1 us a completion", "object heap"}}};
  expect_refused("", all);
  const std::vector<std::vector<std::string>> fine = {
      {"host.driver=kernel", "host.submit_cost=0 s", "host.complete_cost=0 s", "host.cache.size=1 MiB"},
      {"host.complete_latency=1 us", "host.cache.size=1 MiB"},
      {"controller.read_latency=1 s", "controller.read_page_latency=1 s", "host.cache.size=1 MiB"}};
  for (const std::vector<std::string>& keys : fine) EXPECT_EQ(error_of("", keys), "accepted");
}

}  // namespace
}  // namespace flashloom::bad_latency_test
