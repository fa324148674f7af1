// FLRU asks the FTL for the cost of a write: from the host's page cache over the block socket, and from the drive's
// buffer.
#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom::write_cost_test {
namespace {

// Either a buffer of 256 units, which destages 16 at a time, or 64 pages in the host's cache.
DeviceConfig device(const std::string& ftl, bool in_host, const std::string& policy) {
  std::vector<std::string> overrides = {"precondition.fill=0.9", "buffer.size=64 KiB", "ftl.kind=" + ftl};
  if (in_host)
    overrides.insert(overrides.end(),
                     {"host.cache.size=256 KiB", "host.cache.dirty_background=1", "host.cache.dirty_hard=1",
                      "host.cache.age=1 h", "host.cache.interval=1 h", "host.cache.replacement=" + policy});
  else
    overrides.insert(overrides.end(), {"buffer.size=1 MiB", "buffer.destage_units=16", "buffer.read_cache=0.5",
                                       "buffer.replacement=" + policy});
  return small_preset("tiny", overrides);
}

// So far apart that nothing is in flight when the next request comes: only policies decide, not times.
std::vector<Request> requests(const DeviceConfig& config) {
  MixOptions mix = mix_for(config, 5, 4000);
  mix.gap_ps = 400 * kMillisecond;
  mix.whole_units = true;
  mix.max_units = 1;
  mix.trims = mix.flushes = mix.fua = 0;  // only lack of room evicts pages
  return random_mix(mix);
}

Json run(const std::string& ftl, bool in_host, const std::string& policy) {
  const DeviceConfig config = device(ftl, in_host, policy);
  const Json result = simulate(config, {{requests(config), 0}});
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  return result;
}

// Figures that show every decision of the policy.
Json decisions(const Json& result, bool in_host) {
  if (!in_host) return result["buffer"];
  const Json& cache = result["host_cache"];
  return {cache["read_hits"], cache["write_hits"], cache["clean_evictions"], cache["dirty_evictions"]};
}

constexpr const char* kFlru = "flru";
constexpr const char* kAllWritesAlike = R"({ name = "flru", write = 65, overwrite = 65 })";
constexpr const char* kNoMerges = R"({ name = "flru", write = 7, overwrite = 7 })";

class WriteCost : public testing::TestWithParam<bool> {};

TEST_P(WriteCost, ReachesThePolicy) {
  const bool in_host = GetParam();
  const auto all = [&](const char* ftl, const char* policy) { return decisions(run(ftl, in_host, policy), in_host); };
  // Policies that do not ask decide alike over every FTL.
  EXPECT_EQ(all("page_map", "lru"), all("log_block", "lru"));
  const Json alike = all("page_map", kAllWritesAlike);
  EXPECT_EQ(alike, all("log_block", kAllWritesAlike));
  // A page map never merges: the weight of an overwrite does not matter.
  EXPECT_EQ(all("page_map", kFlru), all("page_map", kNoMerges));
  // Log blocks need merges for some pages and not for others.
  const Json asked = all("log_block", kFlru);
  EXPECT_NE(asked, alike);
  EXPECT_NE(asked, all("log_block", kNoMerges));
}

INSTANTIATE_TEST_SUITE_P(Of, WriteCost, testing::Bool(),
                         [](const auto& of) { return of.param ? "TheHostsCache" : "TheBuffer"; });

TEST(WriteCost, SavesMerges) {
  const auto merges = [](const char* policy) {
    const Json counts = run("log_block", true, policy)["ftl_statistics"]["merges"];
    return counts[0].get<std::uint64_t>() + counts[1].get<std::uint64_t>() + counts[2].get<std::uint64_t>();
  };
  EXPECT_LT(merges(kFlru), merges(kAllWritesAlike));
}

TEST(WriteCost, IsAskedAlikeOnBothClocks) {
  const DeviceConfig config = device("log_block", false, kFlru);
  const Json timed = simulate(config, {{requests(config), 0}});
  const Json instant = run_instantly(config, requests(config));
  EXPECT_EQ(timed["counters"]["program"], instant["counters"]["program"]);
  EXPECT_EQ(timed["buffer_statistics"], instant["buffer_statistics"]);
  EXPECT_EQ(timed["digest"], instant["digest"]);
}

}  // namespace
}  // namespace flashloom::write_cost_test
