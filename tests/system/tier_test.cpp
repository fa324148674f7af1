// A tier of SSD and HDD as `flashloom run` builds it: laws that hold for every policy, and effects of its options.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "controllers/tier/tier_controller.hpp"
#include "models/common/split_mix.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/tier_device.hpp"
#include "tests/support/unreadable_pages.hpp"

namespace flashloom::tier_test {
namespace {

const char* const kPolicies[] = {"pwc",
                                 "write_back",
                                 "{name=\"write_back\",replacement=\"arc\"}",
                                 "{name=\"write_back\",admission=\"larc\"}",
                                 "write_invalidate",
                                 "{name=\"write_invalidate\",fill=\"read\"}",
                                 "{name=\"write_invalidate\",fill=\"read_drop\"}",
                                 "hdd_only"};

/// Checks at each completion that the map on the media matches the map that the tier uses.
class MapWatch final : public HostObserver {
 public:
  MapWatch(Simulation& simulation, bool passes) : simulation_(simulation), passes_(passes) {}
  void completed(const IoCommand&, std::uint32_t, bool) override {
    const Tier& tier = *simulation_.tier()->tier();
    if (passes_ && !tier.in_pass() && tier.image().version != 0) {
      ++looks;
      differences += tier.image().map == tier.map().segments() && !tier.image().update ? 0 : 1;
    }
  }
  std::uint64_t looks = 0;
  std::uint64_t differences = 0;

 private:
  Simulation& simulation_;
  bool passes_;  // the run has passes
};

/// Requests a pass after every `every` requests.
class WithPasses final : public RequestSource {
 public:
  WithPasses(std::vector<Request> requests, std::uint64_t every, TierController& tier)
      : list_(std::move(requests)), every_(every), tier_(tier) {}
  bool next(Request& request) override {
    if (at_ == list_.size()) return false;
    request = list_[at_++];
    if (at_ % every_ == 0) tier_.start_pass();
    return true;
  }
  bool timed() const override { return false; }

 private:
  std::vector<Request> list_;
  std::uint64_t every_;
  TierController& tier_;
  std::size_t at_ = 0;
};

Json run(const DeviceConfig& config, std::uint64_t seed, std::uint64_t requests, std::uint32_t depth,
         std::uint64_t pass_every) {
  return in_child([&]() -> Json {
    Simulation simulation(config);
    MapWatch watch(simulation, config.tier.policy.name == "pwc");
    simulation.host().attach(watch);
    MixOptions mix = mix_for(config, seed, requests);
    mix.capacity = simulation.capacity_bytes();
    mix.max_units = 12;
    mix.trims = 2;
    std::vector<HostJob> jobs(1);
    jobs[0].source = std::make_unique<WithPasses>(random_mix(mix), pass_every, *simulation.tier());
    jobs[0].iodepth = depth;
    simulation.run(std::move(jobs));
    const TierStatistics statistics = simulation.tier()->statistics();
    simulation.quiesce();
    const std::uint64_t audited = simulation.audit();
    return {{"completions", simulation.host().statistics().completions},
            {"mismatches", simulation.oracle()->mismatches()},
            {"first", simulation.oracle()->first_mismatch()},
            {"audited", audited},
            {"checked", simulation.oracle()->reads_checked()},
            {"looks", watch.looks},
            {"differences", watch.differences},
            {"hits", statistics.total().read_hits + statistics.total().write_hits},
            {"filled", statistics.filled_segments},
            {"passes", statistics.passes.size()},
            {"invalidated", statistics.invalidated_segments},
            {"unreadable", statistics.unreadable_requests},
            {"retired", simulation.tier()->tier()->retired()},
            {"errors", simulation.host().statistics().media_errors}};
  });
}

// Requests that straddle segments and states, up to sixteen at a time, during copies and passes, against the oracle.
RC_GTEST_PROP(TierOfRandomShape, ServesTheNewestData, ()) {
  const std::size_t policy = *rc::gen::inRange<std::size_t>(0, std::size(kPolicies));
  const auto segment = *rc::gen::element(4, 8, 16, 64);
  const auto slots = *rc::gen::inRange(1, 24);
  const auto cached = *rc::gen::arbitrary<bool>();
  const auto exchanges = *rc::gen::inRange(1, 6);
  const auto depth = *rc::gen::element(1U, 4U, 16U);
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const DeviceConfig config =
      small_tier({std::string("tier.policy=") + kPolicies[policy], fmt::format("tier.segment={} KiB", segment),
                  fmt::format("tier.cache_size={} KiB", std::min(segment * slots, 900)),
                  fmt::format("tier.exchanges={}", exchanges), "tier.pass=command",
                  cached ? "hdd.write_cache=true" : "hdd.write_cache=false"});
  const Json result = run(config, seed, 600, depth, 97);
  RC_LOG() << result.dump();
  RC_ASSERT(result["completions"] == 600);
  RC_ASSERT(result["mismatches"] == 0);
}

class EveryTier : public testing::TestWithParam<const char*> {};

TEST_P(EveryTier, VerifiesAndDoesWhatItIsFor) {
  const std::string policy = GetParam();
  const Json result = run(small_tier({"tier.policy=" + policy, "tier.pass=command"}), 5, 4000, 2, 1500);
  EXPECT_EQ(result["mismatches"], 0) << result["first"];
  EXPECT_GT(result["checked"], result["audited"]);
  EXPECT_EQ(result["hits"] != 0, policy != "hdd_only");
  EXPECT_EQ(result["filled"] != 0, policy != "hdd_only");
  EXPECT_EQ(result["passes"] != 0, policy == "pwc");
  EXPECT_EQ(result["invalidated"] != 0, policy.find("write_invalidate") != std::string::npos);
  // Only because the maps agree does the recovery rule for a cut outside a pass lose nothing.
  EXPECT_EQ(result["looks"] != 0, policy == "pwc");
  EXPECT_EQ(result["differences"], 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryTier, testing::ValuesIn(kPolicies), [](const auto& test) {
  std::string name = test.param;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

// The SSD cannot correct one read in a few dozen: no read returns wrong data, and where nothing is dirty no read fails.
TEST_P(EveryTier, ReadsFromTheHddWhatTheSsdCannotCorrect) {
  const std::string policy = GetParam();
  const Json result =
      run(small_tier(unreadable_pages(2e-3, {"tier.policy=" + policy, "tier.pass=command"})), 5, 4000, 2, 1500);
  EXPECT_EQ(result["mismatches"], 0) << result["first"];
  const bool journals = policy.find("write_back") != std::string::npos;  // soon needs a dirty segment of the SSD
  if (!journals) {
    EXPECT_EQ(result["unreadable"] != 0, policy != "hdd_only");
    EXPECT_EQ(result["errors"] != 0, policy == "pwc");
  }
  EXPECT_EQ(result["retired"].get<bool>(), policy == "pwc" || journals) << result.dump();
}

Json sequential(const std::vector<std::string>& overrides, std::vector<Request> requests) {
  return simulate(small_tier(overrides), {{std::move(requests), 1, 0}});
}

TEST(TierConfiguration, EachOptionOfTheTierChangesWhatItShould) {
  std::vector<Request> reads;
  for (int round = 0; round < 6; ++round)
    for (std::uint64_t i = 0; i < 40; ++i)
      reads.push_back({.offset = i * 16384, .length = 4096, .kind = RequestKind::Read});
  const std::vector<std::string> lru = {"tier.policy=write_invalidate", "tier.exchanges=64"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), lru.begin(), lru.end());
    return sequential(more, reads);
  };
  // 40 segments cycle through a cache of 32 slots: LRU has few hits, MRU many.
  const Json plain = with({});
  EXPECT_EQ(plain["tier"]["slots"], 32);
  const Json mru = with({"tier.policy={name=\"write_invalidate\",replacement=\"mru\"}"});
  EXPECT_GT(mru["tier"]["requests"]["read_hits"].get<int>(), 100);
  // The few hits are on segments whose eviction is still in progress.
  EXPECT_LT(plain["tier"]["requests"]["read_hits"].get<int>(), 70);
  const Json small = with({"tier.segment=8 KiB"});
  EXPECT_EQ(small["tier"]["slots"], 64);
  EXPECT_EQ(small["tier"]["requests"]["read_hits"], 5 * 40);
  const Json few = with({"tier.exchanges=1"});
  EXPECT_GT(few["tier"]["not_admitted"].get<int>(), 0);
  EXPECT_EQ(plain["tier"]["not_admitted"], 0);
  const Json late = with({"tier.segment=8 KiB", "tier.latency=1 ms"});
  const double slow = late["host"]["read"]["latency_ns"]["min"].get<double>();
  const double fast = small["host"]["read"]["latency_ns"]["min"].get<double>();
  EXPECT_NEAR(slow - fast, 1e6 - 1e3, 1e3);
}

TEST(TierConfiguration, TheSecondCopyOfAJournalIsWrittenToo) {
  std::vector<Request> requests;
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t i = 0; i < 20; ++i)
      requests.push_back({.offset = i * 16384, .length = 4096, .kind = RequestKind::Write});
  const auto tier = [&](const char* copies) {
    return sequential({"tier.policy=write_back", "tier.exchanges=64", copies}, requests)["tier"];
  };
  const Json one = tier("tier.journal_copies=0");
  const Json two = tier("tier.journal_copies=2");
  const auto data = [](const Json& of, std::uint64_t copies) {
    return of["ssd"]["write_bytes"].get<std::uint64_t>() -
           4096 * copies * of["metadata"]["journal_blocks"].get<std::uint64_t>();
  };
  EXPECT_GT(two["metadata"]["journal_blocks"].get<int>(), 10);
  EXPECT_EQ(data(one, 1), data(two, 2));
}

// Reads near the head while writes far away are in the disk's cache: the flushes of a pass must still end.
TEST(TierPasses, EndBesideABusyHost) {
  constexpr std::uint64_t kNear = 1024;  // units of 4 KiB
  constexpr std::uint64_t kAll = 100'000;
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 8000; ++i) {
    const bool write = i % 16 == 0;
    requests.push_back({.offset = split_mix(3, i) % (write ? kAll : kNear) * 4096,
                        .length = 4096,
                        .kind = write ? RequestKind::Write : RequestKind::Read});
  }
  const DeviceConfig config = small_tier({"tier.policy=pwc", "tier.pass=daily", "tier.day=1 s", "tier.pass_at=500 ms",
                                          "hdd.capacity=1 GiB", "hdd.outer_rate=210 MB/s", "hdd.inner_rate=102 MB/s",
                                          "hdd.write_cache=true", "hdd.read_segments=0", "hdd.max_wait=200 ms"});
  const Json tier = simulate(config, {{std::move(requests), 16, 0}})["tier"];
  EXPECT_GE(tier["passes"].get<int>(), 2);
  EXPECT_GT(tier["filled_segments"].get<int>(), 0);
  EXPECT_GT(tier["requests"]["read_hits"].get<int>(), 0);
}

// A flush puts the disk's cached data on the platters: hardly any of its time is the tier's own.
TEST(TierFlush, TimeIsThatOfTheDevices) {
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 20; ++i)
    requests.push_back({.offset = i * 37 % 200 * 4096, .length = 4096, .kind = RequestKind::Write});
  requests.push_back({.kind = RequestKind::Flush});
  const Json flush = sequential({"tier.policy=hdd_only", "hdd.write_cache=true"}, requests)["host"]["flush"];
  const Json& parts = flush["latency_breakdown_ns"]["mean"];
  EXPECT_GT(parts["disk_wait"].get<double>() + parts["disk"].get<double>(),
            0.9 * flush["latency_ns"]["mean"].get<double>());
}

// simulate() checks the parts of each latency, including the rewrite of data that the SSD could not read.
TEST(TierLatency, OfWhatTheSsdCannotReadIsAccountedFor) {
  std::vector<Request> reads;
  for (int round = 0; round < 20; ++round)
    for (std::uint64_t i = 0; i < 20; ++i)
      reads.push_back({.offset = i * 16384, .length = 8192, .kind = RequestKind::Read});
  const Json tier =
      sequential(unreadable_pages(2e-3, {"tier.policy=write_invalidate", "tier.exchanges=64"}), reads)["tier"];
  EXPECT_GT(tier["unreadable_requests"].get<int>(), 0);
}

// One ledger holds the energy of both devices, and each GB costs what both draw.
TEST(TierEnergy, OfBothDevicesIsInOneLedger) {
  std::vector<Request> reads(50, Request{.offset = 0, .length = 4096, .kind = RequestKind::Read});
  const Json result = sequential({"tier.policy=hdd_only"}, reads);
  double sum = 0;
  bool disk = false;
  for (const Json& component : result["energy"]["components"]) {
    sum += component["j"].get<double>();
    disk = disk || component["kind"] == "hdd";
  }
  EXPECT_TRUE(disk);
  EXPECT_NEAR(sum, result["energy"]["total_j"].get<double>(), 1e-9);
}

}  // namespace
}  // namespace flashloom::tier_test
