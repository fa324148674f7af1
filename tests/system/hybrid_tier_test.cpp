// A timed tier over an SSD on the instant clock: it decides as in a fully timed run, and the run can switch to fully
// timed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "controllers/tier/tier_controller.hpp"
#include "models/common/split_mix.hpp"
#include "sc_main/assembly/report/counters_json.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/tier_device.hpp"

namespace flashloom::hybrid_tier_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr Picoseconds kTakes = 80 * kMicrosecond;

// Requests so far apart that none is in flight when the next one comes: then the SSD's latency affects no decision.
// Most requests go to a sixteenth of the space.
class Sparse final : public RequestSource {
 public:
  Sparse(std::uint64_t requests, std::uint64_t capacity) : left_(requests), capacity_(capacity) {}
  bool next(Request& request) override {
    if (left_-- == 0) return false;
    const std::uint64_t draw = split_mix(7, left_);
    const std::uint64_t places = capacity_ / kLength - 4;
    request = {.offset = (draw >> 8) % (draw % 5 == 0 ? places : places / 16) * kLength,
               .length = kLength * (1 + draw % 4),
               .arrival_ps = at_ += draw / 15 % 40 == 0 ? 3 * kSecond : 200 * kMillisecond,
               .kind = draw / 5 % 3 == 0 ? RequestKind::Write : RequestKind::Read};
    return true;
  }
  bool timed() const override { return true; }

 private:
  static constexpr std::uint64_t kLength = 4096;
  std::uint64_t left_;
  std::uint64_t capacity_;
  Picoseconds at_ = 0;
};

DeviceConfig tier(const std::string& policy, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"tier.policy=" + policy,  "tier.pass=idle",   "tier.pass_idle=1 s",
                                  "tier.pass_interval=2 s", "tier.exchanges=8", "tier.patience=1 s"};
  all.insert(all.end(), more.begin(), more.end());
  return small_tier(all);
}

std::vector<HostJob> jobs_of(Simulation& simulation, std::uint64_t requests, bool open_loop) {
  std::vector<HostJob> jobs(1);
  jobs[0].source = std::make_unique<Sparse>(requests, simulation.capacity_bytes());
  jobs[0].iodepth = 8;
  jobs[0].open_loop = open_loop;
  return jobs;
}

Json picture(Simulation& simulation) {
  const Tier& tier = *simulation.tier()->tier();
  Json json = counters_json(simulation.tier()->statistics());
  json.erase("passes_s");
  for (Slot slot = 0; slot < tier.map().slots(); ++slot)
    json["map"].push_back({tier.map().segment_of(slot), tier.dirty(slot)});
  return json;
}

class HybridTier : public testing::TestWithParam<const char*> {};

TEST_P(HybridTier, DecidesAsInTime) {
  const auto decided = [this](bool hybrid) {
    return in_child([&]() -> Json {
      const DeviceConfig config = tier(GetParam());
      Simulation simulation(config);
      std::vector<HostJob> jobs = jobs_of(simulation, 1500, true);
      if (hybrid) {
        simulation.start_hybrid(std::move(jobs),
                                {.takes = [](const BlockTransfer&) { return kTakes; }, .ramps_over = [] {}});
        simulation.proceed();
      } else {
        simulation.run(std::move(jobs));
      }
      simulation.proceed();  // comes to rest
      Json json = picture(simulation);
      if (!hybrid) simulation.quiesce();
      simulation.audit();
      json["mismatches"] = simulation.oracle()->mismatches();
      return json;
    });
  };
  const Json timed = decided(false);
  const Json hybrid = decided(true);
  EXPECT_EQ(timed.dump(1), hybrid.dump(1));
  EXPECT_EQ(hybrid["mismatches"], 0);
  EXPECT_GT(hybrid["requests"]["reads"], 500);
  EXPECT_EQ(hybrid["filled_segments"] != 0, std::string(GetParam()) != "hdd_only");
  EXPECT_EQ(hybrid["passes"] > 5, std::string(GetParam()) == "pwc");
}

// Eight requests at a time, with copies, locks and passes in progress when the SSD changes its clock.
TEST_P(HybridTier, GoesOnInTime) {
  for (const std::uint64_t change : {1, 60, 333, 777}) {
    const Json result = in_child([&]() -> Json {
      const DeviceConfig config = tier(GetParam(), {"tier.pass=daily", "tier.day=2 s", "tier.pass_at=100 ms"});
      Simulation simulation(config);
      simulation.start_hybrid(
          jobs_of(simulation, 1000, false),
          {.takes =
               [&](const BlockTransfer&) {
                 if (simulation.host().totals().ios[0] + simulation.host().totals().ios[1] >= change) TimeLoop::pause();
                 return kTakes;
               },
           .ramps_over = [] {}});
      simulation.proceed();
      const bool in_pass = simulation.tier()->tier()->in_pass();
      const bool rests = simulation.tier()->tier()->rests();
      simulation.go_on_timed();
      simulation.run_window();
      simulation.quiesce();
      simulation.audit();
      return {{"completions", simulation.host().statistics().completions},
              {"mismatches", simulation.oracle()->mismatches()},
              {"first", simulation.oracle()->first_mismatch()},
              {"in_pass", in_pass},
              {"rests", rests},
              {"flash", simulation.ssd().flash().counters().total(FlashOperation::Program).commands}};
    });
    EXPECT_EQ(result["completions"], 1000);
    EXPECT_EQ(result["mismatches"], 0) << result["first"];
    if (std::string(GetParam()) == "hdd_only") continue;
    EXPECT_FALSE(result["rests"]);
    EXPECT_GT(result["flash"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, HybridTier,
                         testing::Values("pwc", "write_back", "{name=\"write_back\",admission=\"larc\"}",
                                         "write_invalidate", "{name=\"write_invalidate\",fill=\"read\"}",
                                         "{name=\"write_invalidate\",fill=\"read_drop\"}", "hdd_only"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
                           return name;
                         });

}  // namespace
}  // namespace flashloom::hybrid_tier_test
