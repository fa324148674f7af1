// Laws that hold for every generator.
#include <gtest/gtest.h>

#include "tests/workloads/generators/generator_support.hpp"

namespace flashloom::generators_test {
namespace {

TEST(Generators, TheRegistryIsInOrderAndDescribed) {
  std::string last;
  for (const Generator& generator : generators()) {
    EXPECT_LT(last, generator.name);
    last = generator.name;
    EXPECT_FALSE(generator.summary.empty()) << generator.name;
    EXPECT_FALSE(generator.source.empty()) << generator.name;
    for (const GeneratorParameter& parameter : generator.parameters)
      EXPECT_FALSE(parameter.help.empty()) << generator.name << "." << parameter.name;
    EXPECT_EQ(find_generator(generator.name), &generator);
  }
  EXPECT_EQ(find_generator("absent"), nullptr);
  EXPECT_THROW(GeneratorRegistration(generators().front()), std::logic_error);
  EXPECT_THROW(generate("mix", {{"absent", true}}), std::logic_error);
  EXPECT_THROW(generate("mix", {{"read", true}}), std::logic_error);
}

TEST(Generators, RequestsAreWholeSectorsInTheRegionInOrderOfTime) {
  for (const Generator& generator : generators()) {
    const GeneratedWorkload workload = generate(generator.name, {});
    const std::uint64_t expected = workload.source->expected_requests();
    std::uint64_t last = 0;
    std::uint64_t number = 0;
    Request request;
    while (number < 200'000 && workload.source->next(request)) {
      ++number;
      if (request.kind == RequestKind::Flush || request.kind > RequestKind::ZoneAppend) continue;  // no data
      ASSERT_GT(request.length, 0) << generator.name;
      ASSERT_EQ(request.length % 512, 0) << generator.name;
      ASSERT_EQ(request.offset % 512, 0) << generator.name;
      ASSERT_LE(request.offset + request.length, 1024 * kMiB) << generator.name;
      ASSERT_LE(last, request.arrival_ps) << generator.name;
      last = request.arrival_ps;
    }
    EXPECT_EQ(last > 0, workload.timed) << generator.name;
    if (expected != 0 && number < 200'000) {
      EXPECT_EQ(number, expected) << generator.name;
    }
  }
}

std::uint64_t digest(const std::string& name, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&hash](std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8U) hash = (hash ^ (value & 0xffU)) * 0x100000001b3U;
  };
  for (const Request& request : requests_of(generate(name, {}, 1024 * kMiB, seed), 20'000)) {
    mix(request.offset);
    mix(request.length);
    mix(request.arrival_ps);
    mix(static_cast<std::uint64_t>(request.kind));
  }
  return hash;
}

// The seed decides everything, on every platform: digests of the first 20,000 requests with the defaults.
TEST(Generators, TheSameSeedGivesTheSameRequestsEverywhere) {
  const std::map<std::string, std::uint64_t> golden = {
      {"bursts", 0x70a57a19b13b6c2bU},  {"cachelib", 0x9646bfc10c776e14U},     {"correlated", 0xe30e86b8e900eb38U},
      {"desktop", 0x8d70a6020a6feb33U}, {"f2fs", 0xf643ebafdd4e0eb1U},         {"iozone", 0x2a8cff99e456ef93U},
      {"jesd219", 0x93a8bb6e672dd99fU}, {"lsm", 0x2a06d57e1ada9292U},          {"mix", 0x3ddeaa897cfefa0fU},
      {"objects", 0x520339ed3e7c80e5U}, {"small_writes", 0x708f53e4cb672250U}, {"zones", 0xb06f14293fa98a95U},
  };
  for (const Generator& generator : generators()) {
    const auto found = golden.find(generator.name);
    ASSERT_NE(found, golden.end()) << generator.name;
    EXPECT_EQ(digest(generator.name, 1), found->second) << generator.name;
    const bool no_choice = generator.name == "iozone" || generator.name == "zones";  // their defaults draw nothing
    EXPECT_EQ(digest(generator.name, 1) == digest(generator.name, 2), no_choice) << generator.name;
  }
}

TEST(Generators, RequestsBytesAndNeitherEndThem) {
  const auto count = [](const Values& values, bool endless = false) {
    return requests_of(generate("mix", values, 8 * kMiB, 1, endless), 5000).size();
  };
  EXPECT_EQ(count({}), 2048);  // once through the region
  EXPECT_EQ(count({{"requests", std::int64_t{100}}}), 100);
  EXPECT_EQ(count({{"bytes", bytes(64 * kKiB)}}), 16);
  EXPECT_EQ(count({{"bytes", bytes(64 * kKiB + 1)}}), 17);
  EXPECT_EQ(count({{"requests", std::int64_t{10}}, {"bytes", bytes(64 * kKiB)}}), 10);
  EXPECT_EQ(count({}, true), 5000);
  EXPECT_EQ(count({{"requests", std::int64_t{100}}}, true), 100);
}

void expect_error(const std::string& name, const Values& values, const std::string& parameter,
                  std::uint64_t capacity = 64 * kMiB) {
  try {
    generate(name, values, capacity);
    FAIL() << name << ": no error about " << parameter;
  } catch (const GeneratorError& error) {
    EXPECT_EQ(error.parameter(), parameter) << error.what();
  }
}

TEST(Generators, ValuesThatDoNotFitAreNamed) {
  expect_error("mix", {{"size", WeightedSizes{{4000, 1}}}}, "size");
  expect_error("mix", {{"size", WeightedSizes{{4096, 1}, {128 * kMiB, 1}}}}, "size");
  expect_error("mix", {{"align", bytes(1000)}}, "align");
  expect_error("mix", {{"read", 0.7}, {"trim", 0.5}}, "trim");
  expect_error("mix", {{"distribution", std::string("hot_cold")}}, "distribution", 4096);
  expect_error("bursts", {{"size", WeightedSizes{{4000, 1}}}}, "size");
  expect_error("iozone", {}, "max_file", 8 * kMiB);
  expect_error("iozone", {{"min_file", bytes(32 * kMiB)}}, "min_file");
  expect_error("iozone", {{"min_record", bytes(32 * kMiB)}}, "min_record");
  expect_error("iozone", {{"max_file", bytes(64 * kKiB)}, {"min_record", bytes(kMiB)}}, "min_record");
  expect_error("iozone", {{"min_record", bytes(1000)}}, "min_record");
  expect_error("small_writes", {{"small_volume", 0.9}}, "small_volume");
  expect_error("small_writes", {{"small_volume", 0.01}}, "small_volume");
  expect_error("small_writes", {{"small_limit", bytes(5000)}}, "small_limit");
  expect_error("small_writes", {{"large_limit", bytes(8192)}}, "large_limit");
  expect_error("correlated", {{"set", bytes(20 * kKiB)}}, "set");
  expect_error("correlated", {{"set", bytes(128 * kMiB)}}, "set");
  expect_error("objects", {}, "objects");
  expect_error("objects", {{"size", bytes(100 * kKiB)}}, "object");
  expect_error("objects", {{"objects", std::int64_t{4}}, {"hot", 0.0}}, "hot");
  expect_error("objects", {{"objects", std::int64_t{4}}, {"hot", 1.0}}, "hot");
  expect_error("cachelib", {}, "soc", 4096);
  expect_error("cachelib", {{"soc", 0.9}}, "region");
  expect_error("cachelib", {{"region", bytes(5000)}}, "region");
  expect_error("cachelib", {{"small_size", WeightedSizes{{5000, 1}}}}, "small_size");
  expect_error("cachelib", {{"large_size", WeightedSizes{{32 * kMiB, 1}}}}, "large_size");
  expect_error("f2fs", {}, "fill");
  expect_error("f2fs", {{"file", bytes(256 * kMiB)}}, "fill");
  expect_error("f2fs", {{"section", bytes(3 * kMiB)}}, "section");
  expect_error("f2fs", {{"update", bytes(2 * kMiB)}}, "update", 1024 * kMiB);
  expect_error("f2fs", {{"checkpoint", bytes(5000)}}, "checkpoint");
  expect_error("lsm", {{"entry", bytes(1)}, {"fill", 0.9}}, "entry", 1024 * kMiB);
  expect_error("lsm", {{"keys", std::int64_t{65536}}}, "fill");
  expect_error("lsm", {{"entry", bytes(kMiB)}}, "entry");
  expect_error("lsm", {{"read_size", bytes(5000)}}, "read_size");
  expect_error("lsm", {{"level0_slowdown_writes_trigger", std::int64_t{3}}}, "level0_slowdown_writes_trigger");
  expect_error("desktop", {{"file", bytes(1000)}}, "file");
  expect_error("desktop", {{"file", bytes(512 * kKiB)}, {"size", WeightedSizes{{3 * 4096, 1}}}}, "size");
  expect_error("desktop", {{"working_set", bytes(4096)}}, "working_set");
}

}  // namespace
}  // namespace flashloom::generators_test
