// The host's page cache: hand-worked counts and times, conservation laws, and correct data for any device below the
// cache, also across power cuts.
#include <gtest/gtest.h>

#include <cctype>

#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/plain_ftls.hpp"
#include "workloads/random.hpp"

namespace flashloom::page_cache_test {
namespace {

constexpr std::uint64_t kPage = 4096;

Request at(RequestKind kind, std::uint64_t page, std::uint64_t pages = 1) {
  Request request;
  request.kind = kind;
  request.offset = page * kPage;
  request.length = kind == RequestKind::Flush ? 0 : pages * kPage;
  return request;
}

Request sector(RequestKind kind, std::uint64_t number) {
  Request request;
  request.kind = kind;
  request.offset = number * 512;
  request.length = 512;
  return request;
}

DeviceConfig with_cache(std::vector<std::string> overrides, const char* preset = "tiny") {
  overrides.insert(overrides.begin(), {"host.cache.size=16 KiB", "host.cache.dirty_background=1",
                                       "host.cache.dirty_hard=1", "precondition.fill=0.5"});
  return small_preset(preset, overrides);
}

Json run(const DeviceConfig& config, const std::vector<Request>& requests, std::uint32_t depth = 1) {
  const Json result = simulate(config, {{requests, depth}});
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  EXPECT_EQ(result["host"]["completions"], requests.size());
  return result;
}

TEST(PageCache, IsNotThereByDefault) {
  const Json result = run(small_preset("tiny"), {at(RequestKind::Write, 0), at(RequestKind::Read, 0)});
  EXPECT_TRUE(result["host_cache"].is_null());
}

TEST(PageCache, AHitCostsItsLatencyAlone) {
  const Json result =
      run(with_cache({"host.cache.latency=3 us", "host.submit_latency=1 us", "host.complete_latency=2 us"}),
          {at(RequestKind::Write, 1), at(RequestKind::Read, 1), at(RequestKind::Read, 1)});
  for (const char* operation : {"read", "write"})
    for (const Json& latency : result["latency_ps"][operation]) EXPECT_EQ(latency, 6'000'000) << operation;
  EXPECT_EQ(result["breakdown_ps"]["read"]["host"], 2 * 6'000'000);
}

// Writes of two hundred pages through a cache of four evict as many: with few places for pages in flight they stall.
TEST(PageCache, WaitsWhereNoPlaceIsLeftForWhatLeaves) {
  const std::vector<Request> requests = {at(RequestKind::Write, 0, 200)};
  EXPECT_EQ(run(with_cache({}), requests)["host_cache"]["stalled_requests"], 0);
  EXPECT_GT(run(with_cache({"host.cache.in_flight=64"}), requests)["host_cache"]["stalled_requests"], 0);
}

// Four pages, LRU.
TEST(PageCache, CountsAsWorkedByHand) {
  using enum RequestKind;
  const Json result = run(with_cache({"host.cache.dirty_hard=1"}),
                          {at(Read, 10), at(Read, 11),          // two misses, fetched one by one
                           at(Read, 10, 3),                     // 10, 11 hit, 12 is fetched
                           at(Write, 11),                       // hit
                           sector(Write, 20 * 8 + 3),           // a part of 20: fetched first. LRU to MRU: 10 12 11 20
                           at(Read, 30),                        // evicts 10, clean
                           sector(Read, 12 * 8), at(Read, 31),  // 12 hit; evicts 11, dirty
                           at(Write, 40, 3),                    // whole pages: no fetch; evicts 20 (dirty), 30, 12
                           at(Flush, 0),                        // writes 40 to 42: one request
                           at(Flush, 0)});                      // nothing to write
  const Json& cache = result["host_cache"];
  EXPECT_EQ(cache["pages"], 4);
  EXPECT_EQ(cache["read_pages"], 8);
  EXPECT_EQ(cache["read_hits"], 3);
  EXPECT_EQ(cache["write_pages"], 5);
  EXPECT_EQ(cache["write_hits"], 1);
  EXPECT_EQ(cache["fetched_pages"], 6);
  EXPECT_EQ(cache["fetch_requests"], 6);
  EXPECT_EQ(cache["filled_pages"], 1);
  EXPECT_EQ(cache["clean_evictions"], 3);  // 10, 30, 12
  EXPECT_EQ(cache["dirty_evictions"], 2);  // 11, 20
  EXPECT_EQ(cache["written_back"], (Json{{"eviction", 2}, {"background", 0}, {"age", 0}, {"flush", 3}}));
  EXPECT_EQ(cache["write_requests"], 3);
  EXPECT_EQ(cache["flushes"], 2);
  EXPECT_EQ(cache["throttled_writes"], 0);
  EXPECT_EQ(cache["dirty_bytes_at_end"], 0);
  EXPECT_EQ(cache["hit_ratio"], 4.0 / 13.0);
}

TEST(PageCache, MergesNeighboursUpToTheLargestRequest) {
  using enum RequestKind;
  const std::vector<Request> requests = {at(Write, 7), at(Write, 5), at(Write, 6), at(Write, 9), at(Flush, 0)};
  EXPECT_EQ(run(with_cache({"host.cache.size=32 KiB"}), requests)["host_cache"]["write_requests"], 2);  // 5 to 7, 9
  EXPECT_EQ(
      run(with_cache({"host.cache.size=32 KiB", "host.cache.request=8 KiB"}), requests)["host_cache"]["write_requests"],
      3);
}

// Eight pages, at most half of them dirty: the daemon starts at two dirty pages, and takes neighbours along.
TEST(PageCache, WritesBackInTheBackground) {
  using enum RequestKind;
  std::vector<Request> requests;
  for (std::uint64_t page = 0; page < 100; ++page) requests.push_back(at(Write, page % 50));
  const DeviceConfig config =
      with_cache({"host.cache.size=32 KiB", "host.cache.dirty_background=0.25", "host.cache.dirty_hard=0.5"});
  const Json result = run(config, requests, 4);
  const Json& cache = result["host_cache"];
  EXPECT_GT(cache["written_back"]["background"], 0);
  EXPECT_GT(cache["throttled_writes"], 0);
  EXPECT_GT(cache["throttled_s"], 0);
  EXPECT_EQ(cache["written_back"]["flush"], 0);
  EXPECT_EQ(cache["written_back"]["age"], 0);
}

// A page is old after being dirty for 3 ms; the daemon looks every 2 ms: so it writes 4 ms after the first write.
TEST(PageCache, WritesBackWhatIsOld) {
  using enum RequestKind;
  std::vector<Request> requests = {at(Write, 1), at(Write, 2), at(Read, 1), at(Read, 1)};
  requests[2].arrival_ps = 3'900'000'000;
  requests[3].arrival_ps = 4'200'000'000;
  const auto config = with_cache({"host.cache.interval=2 ms", "host.cache.age=3 ms"});
  for (const std::size_t count : {std::size_t{3}, std::size_t{4}}) {
    const Json result = simulate(config, {{{requests.begin(), requests.begin() + static_cast<int>(count)}, 0}});
    EXPECT_EQ(result["host_cache"]["written_back"]["age"], count == 3 ? 0 : 2);
    EXPECT_EQ(result["host_cache"]["dirty_bytes_at_end"], count == 3 ? 2 * kPage : 0);
  }
}

// The device receives exactly what the cache reads and writes: whole pages, which its buffer counts in units of 4 KiB.
TEST(PageCache, TheDeviceSeesWhatTheCacheSends) {
  for (const char* page : {"4 KiB", "16 KiB"}) {
    const DeviceConfig config =
        with_cache({"host.cache.size=128 KiB", std::string("host.cache.page=") + page,
                    "host.cache.dirty_background=0.2", "host.cache.dirty_hard=0.4", "buffer.read_cache=0.2"});
    MixOptions mix = mix_for(config, 3, 3000);
    mix.trims = 0;
    mix.flushes = 1;
    mix.fua = 1;
    std::vector<Request> requests = random_mix(mix);
    requests.push_back(at(RequestKind::Flush, 0));
    const Json result = run(config, requests);
    const Json& cache = result["host_cache"];
    const std::uint64_t units = config.host.cache.page / config.ftl.mapping_unit;
    std::uint64_t written = 0;
    for (const Json& pages : cache["written_back"]) written += pages.get<std::uint64_t>();
    EXPECT_EQ(result["buffer"]["write_units"], written * units);
    EXPECT_EQ(result["buffer"]["read_units"], cache["fetched_pages"].get<std::uint64_t>() * units);
    EXPECT_LE(cache["read_hits"], cache["read_pages"]);
    EXPECT_EQ(cache["read_pages"].get<std::uint64_t>() - cache["read_hits"].get<std::uint64_t>(),
              cache["fetched_pages"].get<std::uint64_t>() - cache["filled_pages"].get<std::uint64_t>());
    EXPECT_EQ(cache["writing_bytes_at_end"], 0);
  }
}

struct Mode {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
};

void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

const std::vector<Mode>& modes() {
  static const std::vector<Mode> all = {
      {"one_page", "tiny", {"host.cache.size=4 KiB"}},
      {"four_pages", "tiny", {}},
      {"dirty_to_the_brim", "tiny", {"host.cache.size=256 KiB"}},
      {"eager_daemon",
       "tiny",
       {"host.cache.size=256 KiB", "host.cache.dirty_background=0.1", "host.cache.dirty_hard=0.2",
        "host.cache.interval=1 ms", "host.cache.age=2 ms"}},
      {"pages_larger_than_units", "tiny", {"host.cache.size=256 KiB", "host.cache.page=16 KiB"}},
      {"pages_smaller_than_units", "tiny", {"host.cache.size=64 KiB", "host.cache.page=512 B"}},
      {"no_latency", "tiny", {"host.cache.size=64 KiB", "host.cache.latency=0 s"}},
      {"two_queues", "mqsim-default", {"host.queues=2", "host.cache.size=256 KiB", "host.cache.dirty_background=0.3"}},
      {"one_shot_tlc",
       "nvme-tlc-1tb",
       {"host.cache.size=512 KiB", "host.cache.dirty_hard=0.5", "host.cache.dirty_background=0.5"}},
      {"dld_arc", "tiny", {"host.cache.size=256 KiB", "host.cache.replacement=dld_arc"}},
      {"dld_arc_and_ghosts_beside_it",
       "tiny",
       {"host.cache.size=128 KiB", "host.cache.replacement={ name = 'dld_arc', pages_per_block = 8 }",
        "host.cache.memory=real", "host.cache.in_flight=64"}},
      {"dld_arc_and_ghosts_with_the_daemon",
       "tiny",
       {"host.cache.size=128 KiB", "host.cache.replacement=dld_arc", "host.cache.memory=real",
        "host.cache.dirty_background=0.5", "host.cache.dirty_hard=1", "host.cache.interval=1 ms",
        "host.cache.age=2 ms"}},
      {"dld_lirs", "tiny", {"host.cache.size=256 KiB", "host.cache.replacement=dld_lirs"}},
      {"dld_lirs_and_ghosts_with_the_daemon",
       "tiny",
       {"host.cache.size=128 KiB", "host.cache.replacement=dld_lirs", "host.cache.memory=real",
        "host.cache.dirty_background=0.5", "host.cache.dirty_hard=1", "host.cache.interval=1 ms",
        "host.cache.age=2 ms"}},
      {"write_through_device", "tiny", {"buffer.mode=write_through", "host.cache.size=64 KiB"}},
      {"nvram_device", "tiny", {"buffer.location=nvram", "nvram.kind=stt_mram", "host.cache.size=64 KiB"}},
  };
  return all;
}

class PageCacheModes : public testing::TestWithParam<Mode> {};

TEST_P(PageCacheModes, ReturnTheRightData) {
  const DeviceConfig config = with_cache(GetParam().overrides, GetParam().preset);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    MixOptions mix = mix_for(config, seed, 2000);
    const Json result = run(config, random_mix(mix), seed == 1 ? 1 : 16);
    EXPECT_EQ(result["host_cache"]["write_errors"], 0);
    EXPECT_GT(result["host_cache"]["read_pages"], 0);
  }
}

TEST_P(PageCacheModes, ReturnTheRightDataAcrossPowerCuts) {
  std::vector<std::string> overrides = GetParam().overrides;
  overrides.push_back("power.off_time=1 ms");
  DeviceConfig config = with_cache(overrides, GetParam().preset);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::vector<TestJob> jobs = {{random_mix(mix_for(config, seed, 1500)), 8}};
    config.power.cut_at = 0;
    const auto length = simulate(config, jobs)["end_ps"].get<Picoseconds>();
    Random random(seed);
    config.power.cut_at = length / 20 + random.below(length * 17 / 20);
    config.power.cuts = seed % 2 == 0 ? 3 : 1;
    config.power.cut_spacing = config.power.off_time + length / 10;
    const Json cut = simulate(config, jobs);
    EXPECT_EQ(cut["power"]["cuts"], config.power.cuts);
    EXPECT_EQ(cut["host"]["completions"], jobs[0].requests.size());
    EXPECT_EQ(cut["verify"]["mismatches"], 0) << cut["verify"]["first_mismatch"] << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, PageCacheModes, testing::ValuesIn(modes()),
                         [](const testing::TestParamInfo<Mode>& of) { return std::string(of.param.name); });

// Every replacement policy: no data are lost, and two equal runs end in the same state. (For the device's data buffer
// see replacement_test.cpp.)
class ReplacementInThePageCache : public testing::TestWithParam<std::string> {};

TEST_P(ReplacementInThePageCache, LosesNoDataAndRepeats) {
  const DeviceConfig config = with_cache({"host.cache.size=128 KiB", "host.cache.dirty_background=0.6",
                                          "host.cache.dirty_hard=0.8", "host.cache.replacement=" + GetParam()});
  const std::vector<Request> requests = random_mix(mix_for(config, 11, 4000));
  const Json first = run(config, requests, 8);
  const Json again = run(config, requests, 8);
  EXPECT_EQ(first["digest"], again["digest"]);
  EXPECT_EQ(first["host_cache"], again["host_cache"]);
  EXPECT_EQ(first["end_ps"], again["end_ps"]);
}

// DLD-ARC, which evicts an erase block's worth of dirty pages at a time, over every FTL.
class DldArcInTheDevice : public testing::TestWithParam<std::string> {};

TEST_P(DldArcInTheDevice, LosesNoDataAndRepeats) {
  const DeviceConfig config =
      small_preset("tiny", {"nand.blocks=24", "ftl.kind=" + GetParam(), "precondition.fill=0.9", "buffer.size=256 KiB",
                            "buffer.read_cache=0.5", "buffer.replacement=dld_arc"});
  const std::vector<Request> requests = random_mix(mix_for(config, 5, 4000));
  const Json first = run(config, requests, 8);
  const Json again = run(config, requests, 8);
  EXPECT_EQ(first["digest"], again["digest"]);
  EXPECT_EQ(first["buffer"], again["buffer"]);
  EXPECT_GT(first["buffer"]["evictions"], 0);
}

std::vector<std::string> ftls() {
  std::vector<std::string> names;
  for (const PartInfo* info : plain_ftls()) names.push_back(info->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ftls, DldArcInTheDevice, testing::ValuesIn(ftls()),
                         [](const testing::TestParamInfo<std::string>& of) { return of.param; });

std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const PartInfo* info : PartCatalog::instance().parts(ReplacementPolicy::kFamily)) names.push_back(info->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Policies, ReplacementInThePageCache, testing::ValuesIn(policies()),
                         [](const testing::TestParamInfo<std::string>& of) { return of.param; });

}  // namespace
}  // namespace flashloom::page_cache_test
