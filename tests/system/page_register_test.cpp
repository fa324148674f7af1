// Sequential reads of less than a page with nand.page_register, in closed form.
#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom::page_register_test {
namespace {

// One in flight, the first unit of a page waits for tR, the other three for tCCS.
TEST(PageRegister, SequentialReadsOfAPageInClosedForm) {
  const std::vector<std::string> overrides = {"nand.page_size=16 KiB", "nand.blocks=16", "nand.pages=32",
                                              "precondition.fill=1", "ftl.over_provisioning=1"};
  std::vector<Request> requests(64);
  for (std::uint64_t i = 0; i < requests.size(); ++i)
    requests[i] = {.offset = i * 4096, .length = 4096, .kind = RequestKind::Read};
  const auto run = [&](const char* key) {
    std::vector<std::string> all = overrides;
    all.emplace_back(key);
    return simulate(preset("calibration", all), {{requests, 1, 0}});
  };
  const Json without = run("nand.page_register=false");
  const Json with = run("nand.page_register=true");
  const Picoseconds saved = 50 * kMicrosecond - 500 * kNanosecond;
  const auto latency = [](const Json& result, std::size_t end) {
    return result["latency_ps"]["read"][end].get<Picoseconds>();
  };
  EXPECT_EQ(latency(with, 0), latency(without, 0) - saved);
  EXPECT_EQ(latency(with, 1), latency(without, 1));
  EXPECT_EQ(with["end_ps"].get<Picoseconds>(), without["end_ps"].get<Picoseconds>() - 48 * saved);
}

}  // namespace
}  // namespace flashloom::page_register_test
