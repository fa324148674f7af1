// Effects of placements and streams, against closed forms and models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "policies/registry.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::placement_effects_test {
namespace {

// On the calibration preset only link and flash take time. By hand, as in closed_forms_test.cpp.
constexpr Picoseconds kEntries = 22'344 + 10'157 + 2 * 200'000;  // command and completion entry, both ways
constexpr Picoseconds kCommand = 8 * 40'000;
constexpr Picoseconds kRead = 50 * kMicrosecond;
constexpr Picoseconds kProgram = 600 * kMicrosecond;
constexpr Picoseconds kBus = 4'096'000;   // a page of 4096 B
constexpr Picoseconds kLink = 1'137'501;  // the same on the link
constexpr std::uint64_t kRequest = 4 * 4096;

DeviceConfig device(const std::string& placement, std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(),
                   {"nand.blocks=16", "nand.pages=32", "ftl.over_provisioning=1.0", "ftl.placement=" + placement});
  return preset("calibration", overrides);
}

std::string order(const char* name) { return std::string("{ name = \"static_order\", order = \"") + name + "\" }"; }

Picoseconds read_latency(const std::string& placement, const std::vector<std::string>& shape) {
  std::vector<std::string> overrides = shape;
  overrides.emplace_back("precondition.fill=1.0");
  std::vector<Request> requests(16);
  for (std::uint64_t i = 0; i < requests.size(); ++i)
    requests[i] = {.offset = i * kRequest, .length = kRequest, .kind = RequestKind::Read};
  const Json result = simulate(device(placement, overrides), {{requests, 1, 0}});
  EXPECT_EQ(result["latency_ps"]["read"][0], result["latency_ps"]["read"][1]);  // all requests alike
  return result["latency_ps"]["read"][1].get<Picoseconds>();
}

// Reads of four pages, one request at a time. On four channels the data arrive in parallel and queue for the link; on
// four ways or four dies of one channel the arrays work in parallel and the data queue for the bus; on four planes of
// one die everything is serial.
TEST(Placement, FourPagesOfASequentialReadTakeWhatTheirOrderSays) {
  const std::vector<std::string> shape = {"nand.channels=4", "nand.ways=4", "nand.dies=4", "nand.planes=4",
                                          "nand.blocks=16"};
  const Picoseconds channels = kEntries + kCommand + kRead + kBus + 4 * kLink;
  const Picoseconds one_bus = kEntries + kCommand + kRead + 4 * kBus + kLink;
  const Picoseconds one_die = kEntries + 4 * (kCommand + kRead + kBus) + kLink;
  for (const char* name : {"CWDP", "CPDW", "CDWP"}) EXPECT_EQ(read_latency(order(name), shape), channels) << name;
  for (const char* name : {"WCDP", "WPDC", "DCWP", "DWPC"})
    EXPECT_EQ(read_latency(order(name), shape), one_bus) << name;
  for (const char* name : {"PCWD", "PDWC"}) EXPECT_EQ(read_latency(order(name), shape), one_die) << name;
  EXPECT_LT(channels, one_bus);
  EXPECT_LT(one_bus, one_die);
}

// Writes of eight pages, one request at a time, on 4 channels x 2 ways. A superblock of n dies programs 8 / n pages per
// die in sequence; where two dies share a channel, the second die's data wait for the bus.
TEST(Placement, ASuperblockKeepsItsDiesBusyAndNoOthers) {
  constexpr Picoseconds kLink8 = 9'100'001;  // 8 x 4480 B, rounded up once
  constexpr Picoseconds kOneWay = 200'000;
  const auto latency = [](const std::string& placement) {
    std::vector<Request> requests(96);
    for (std::uint64_t i = 0; i < requests.size(); ++i)
      requests[i] = {.offset = i * 8 * 4096, .length = 8 * 4096, .kind = RequestKind::Write};
    const Json result = simulate(device(placement, {"nand.channels=4", "nand.ways=2", "buffer.mode=write_through"}),
                                 {{requests, 1, 0}});
    EXPECT_EQ(result["latency_ps"]["write"][0], result["latency_ps"]["write"][1]);
    return result["latency_ps"]["write"][1].get<Picoseconds>();
  };
  for (const int dies : {1, 2, 4})
    EXPECT_EQ(latency("{ name = \"superblock\", dies = " + std::to_string(dies) + " }"),
              kEntries + kOneWay + kLink8 + 8 / dies * (kCommand + kBus + kProgram))
        << dies << " dies";
  for (const char* all : {"superblock", "static_order"})
    EXPECT_EQ(latency(all), kEntries + kOneWay + kLink8 + 2 * (kCommand + kBus) + kProgram) << all;
}

// Reads keep one die busy: a static order waits for that die in each round, a dynamic one avoids it.
TEST(Placement, LeastLoadedGoesRoundABusyDie) {
  const auto mean_write_latency = [](const std::string& placement) {
    const DeviceConfig config =
        device(placement,
               {"nand.channels=4", "nand.ways=1", "nand.pages=128", "precondition.fill=0.5", "nand.read_time=200 us",
                "buffer.mode=write_through", "ftl.arbitration={ name = \"read_first\", bound = 1000 }"});
    std::vector<Request> reads(6000);
    for (std::uint64_t i = 0; i < reads.size(); ++i)
      reads[i] = {.offset = i % 64 * 4 * 4096, .length = 4096, .kind = RequestKind::Read};  // units 0, 4, ...: die 0
    std::vector<Request> writes(1000);
    for (std::uint64_t i = 0; i < writes.size(); ++i)
      writes[i] = {.offset = (1024 + i) * 4096, .length = 4096, .kind = RequestKind::Write};
    const Json result = simulate(config, {{reads, 4, 0}, {writes, 6, 0}});
    EXPECT_EQ(result["host"]["media_errors"], 0);
    return result["host"]["write"]["latency_ns"]["mean"].get<double>();
  };
  EXPECT_LT(mean_write_latency("least_loaded"), 0.5 * mean_write_latency("static_order"));
}

TEST(Placement, EachLeavesTheMediaInAStateOfItsOwn) {
  const auto digest = [](const std::string& placement) {
    const DeviceConfig config = device(placement, {"nand.channels=2", "nand.ways=2", "nand.dies=2", "nand.planes=2"});
    MixOptions mix = mix_for(config, 3, 600);
    mix.reads = 0;
    return run_instantly(config, random_mix(mix))["digest"].get<std::uint64_t>();
  };
  std::vector<std::uint64_t> digests;
  const auto names = PartCatalog::instance().find("placement", "static_order")->parameters[0].choices;
  for (const std::string& name : names) digests.push_back(digest(order(name.c_str())));
  digests.push_back(digest("{ name = \"static_order\", by = \"address\" }"));
  digests.push_back(digest("{ name = \"superblock\", dies = 1 }"));
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::unique(digests.begin(), digests.end()), digests.end());
}

DeviceConfig small_device(std::uint32_t blocks, double over_provisioning) {
  DeviceConfig config;
  config.nand.channels = 2;
  config.nand.ways = 1;
  config.nand.blocks = blocks;
  config.nand.pages = 64;
  config.ftl.over_provisioning = over_provisioning;
  config.buffer.mode = "write_through";  // every write reaches the FTL
  config.buffer.size = 1 << 20;
  return config;
}

// An earlier life wears the dies unevenly, since the address selects the die and some addresses are hot; least_worn
// evens the wear out in the next life.
TEST(Placement, LeastWornLevelsTheDies) {
  const auto spread = [](const std::string& later) {
    DeviceConfig config = small_device(64, 1.0);
    config.nand.channels = 4;
    config.ftl.placement = {"static_order", ParameterValues({{"by", std::string("address")}})};
    InstantDevice drive(config);
    const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
    Random random(5);
    const auto wear = [&] {
      std::array<std::uint64_t, 4> erases{};
      for (std::uint32_t die = 0; die < 4; ++die)
        for (std::uint32_t block = 0; block < 64; ++block)
          erases[die] += drive.media.erase_count(Die{die}, Block{block});
      const auto [least, most] = std::minmax_element(erases.begin(), erases.end());
      return std::pair{*least, *most};
    };
    for (std::uint64_t i = 0; i < 6 * units; ++i)  // four of seven go to die 0
      drive.write((random.below(7) < 4 ? random.below(units / 4) * 4 : random.below(units)) * 4096, 4096);
    const auto before = wear();
    EXPECT_GT(before.second - before.first, 100U);
    drive.config.ftl.placement = {later, {}};
    drive.restart();
    for (std::uint64_t i = 0; i < 12 * units; ++i) drive.write(random.below(units) * 4096, 4096);
    const auto after = wear();
    return static_cast<double>(after.second - after.first);
  };
  const double left = spread("static_order");
  const double levelled = spread("least_worn");
  std::printf("erases of the most worn die above the least worn: %.0f, levelled %.0f\n", left, levelled);
  EXPECT_LT(levelled, 0.1 * left);
}

/// WAF of uniform random writes with a share `u` of live data, as in write_amplification_test.cpp.
double uniform_waf(double u) {
  double low = 1e-9;
  double high = 1 - 1e-9;
  for (int i = 0; i < 100; ++i) {
    const double v = (low + high) / 2;
    ((1 - v) / -std::log(v) < u ? low : high) = v;
  }
  return 1 / (1 - low);
}

// Desnoyers, "Analytic models of SSD write performance", ACM Trans. Storage 10(2), 2014: hot and cold data fully
// separated, each written uniformly on its share of the flash, with the best split of the spare flash. No separation
// can do better with that cleaning.
double best_separation(double hot_units, double hot_writes, double u) {
  double best = 1e9;
  for (double share = 0.001; share < 1; share += 0.001) {  // of the spare flash, for hot data
    const double spare = 1 / u - 1;                        // in logical units
    const double hot = uniform_waf(hot_units / (hot_units + share * spare));
    const double cold = uniform_waf((1 - hot_units) / (1 - hot_units + (1 - share) * spare));
    best = std::min(best, hot_writes * hot + (1 - hot_writes) * cold);
  }
  return best;
}

// A tenth of the units gets nine tenths of the writes.
TEST(Streams, SeparationLowersWriteAmplification) {
  constexpr std::uint32_t kBlocks = 256;
  const auto waf = [](const char* streams, double hot_writes) {
    DeviceConfig config = small_device(kBlocks, 0.25);
    config.ftl.streams = {streams, {}};
    InstantDevice drive(config);
    const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
    Random random(11);
    for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * 4096, 4096);
    std::uint64_t written = 0;
    std::uint64_t moved = 0;
    for (std::uint64_t i = 0; i < 12 * units; ++i) {
      if (i == 6 * units) {
        written = drive.firmware->ftl().statistics().units_written;
        moved = drive.firmware->ftl().statistics().units_moved;
      }
      const bool hot = static_cast<double>(random.below(1000)) < 1000 * hot_writes;
      const std::uint64_t unit = hot ? random.below(units / 10) : units / 10 + random.below(units - units / 10);
      drive.run({.offset = unit * 4096,
                 .length = 4096,
                 .kind = RequestKind::Write,
                 .stream = static_cast<std::uint8_t>(hot ? 1 : 0)});
    }
    drive.firmware->ftl().check();
    const FtlStatistics& statistics = drive.firmware->ftl().statistics();
    return 1 + static_cast<double>(statistics.units_moved - moved) /
                   static_cast<double>(statistics.units_written - written);
  };
  const double single = waf("single", 0.9);
  const double origin = waf("origin", 0.9);
  const double bloom = waf("bloom_filters", 0.9);
  const double lru = waf("two_level_lru", 0.9);
  const double told = waf("host", 0.9);
  const double best = best_separation(0.1, 0.9, 1 / 1.25);
  std::printf(
      "WAF, a tenth of the units gets nine tenths of the writes: single %.3f, origin %.3f, bloom_filters %.3f, "
      "two_level_lru %.3f, host %.3f, best separation (model) %.3f\n",
      single, origin, bloom, lru, told, best);
  EXPECT_GT(single, 1.1 * origin);
  EXPECT_LT(told, std::min(bloom, lru));  // with the true classes it does best
  for (const double separated : {bloom, lru, told}) {
    EXPECT_LT(separated, 0.9 * origin);
    EXPECT_LT(separated, 0.8 * single);
    EXPECT_GT(separated, best);
  }
  // Uniform writes leave nothing to separate.
  EXPECT_NEAR(waf("bloom_filters", 0.1), waf("origin", 0.1), 0.2);
}

}  // namespace
}  // namespace flashloom::placement_effects_test
