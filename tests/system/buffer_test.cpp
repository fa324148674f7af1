// All combinations of the data buffer's options: it serves no stale data and loses nothing, and both clocks end alike
// at depth one.
#include <gtest/gtest.h>

#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::buffer_test {
namespace {

struct Mode {
  const char* name;
  std::vector<std::string> overrides;
};

const std::vector<Mode>& modes() {
  static const std::vector<Mode> all = {
      {"read_cache", {"buffer.read_cache=0.5"}},
      {"read_cache_of_all", {"buffer.read_cache=1", "buffer.read_ahead=64 KiB"}},
      {"watermarks", {"buffer.high_watermark=0.6", "buffer.low_watermark=0.2"}},
      {"coalesce", {"buffer.coalesce=true"}},
      {"blocks", {"buffer.evict=blocks"}},
      {"blocks_and_read_cache", {"buffer.evict=blocks", "buffer.read_cache=0.4", "buffer.read_ahead=32 KiB"}},
      {"all_in_nvram",
       {"buffer.location=nvram", "nvram.kind=pcm", "nvram.write_latency=20 us", "buffer.read_cache=0.3",
        "buffer.read_ahead=32 KiB", "buffer.high_watermark=0.7", "buffer.low_watermark=0.4", "buffer.coalesce=true"}},
      {"split", {"buffer.split=2", "buffer.read_cache=0.5", "buffer.high_watermark=0.8", "buffer.low_watermark=0.4"}},
      {"split_blocks", {"buffer.split=3", "buffer.evict=blocks", "buffer.read_cache=0.2"}},
      {"blocks_in_nvram",
       {"buffer.location=nvram", "nvram.kind=stt_mram", "buffer.evict=blocks", "buffer.high_watermark=0.8"}},
      {"greedy_dual_in_nvram",
       {"buffer.location=nvram", "nvram.kind=stt_mram", "buffer.evict=blocks", "buffer.write_buffer=greedy_dual"}},
      {"padded_blocks", {"buffer.evict=blocks", "buffer.write_buffer=bplru"}},
      {"padded_blocks_in_nvram",
       {"buffer.location=nvram", "nvram.kind=feram", "buffer.evict=blocks", "buffer.write_buffer=bplru"}},
      {"pages_of_a_write_buffer", {"buffer.evict=blocks", "buffer.write_buffer=lru_page"}}};
  return all;
}

struct Case {
  std::string preset;
  std::size_t mode;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.preset + "_" + modes()[info.param.mode].name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* const preset : {"tiny", "mqsim-default", "nvme-tlc-1tb"})
    for (std::size_t mode = 0; mode < modes().size(); ++mode) all.push_back({preset, mode});
  return all;
}

class BufferModes : public testing::TestWithParam<Case> {
 protected:
  static DeviceConfig device() {
    std::vector<std::string> overrides = {"precondition.fill=0.9"};
    const Mode& mode = modes()[GetParam().mode];
    overrides.insert(overrides.end(), mode.overrides.begin(), mode.overrides.end());
    return small_preset(GetParam().preset, overrides);
  }
  // With one stream per partition of the buffer.
  static MixOptions mix_of(const DeviceConfig& config, std::uint64_t seed, std::uint64_t count) {
    MixOptions options = mix_for(config, seed, count);
    options.streams = config.buffer.split;
    return options;
  }
};

TEST_P(BufferModes, VerifyAtDepth16) {
  const DeviceConfig config = device();
  for (std::uint64_t seed = 1; seed <= effort(1, 2); ++seed) {
    const Json result = simulate(config, {{random_mix(mix_of(config, seed, 3000)), 16, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
    const Json& buffer = result["buffer"];
    EXPECT_EQ(buffer["destages"]["need"].get<std::uint64_t>() + buffer["destages"]["watermark"].get<std::uint64_t>() +
                  buffer["destages"]["flush"].get<std::uint64_t>(),
              buffer["evictions"]);
    EXPECT_GE(buffer["read_ahead"]["issued"].get<std::uint64_t>(),
              buffer["read_ahead"]["used"].get<std::uint64_t>() + buffer["read_ahead"]["wasted"].get<std::uint64_t>());
  }
}

TEST_P(BufferModes, LoseNothingDurableInAPowerCut) {
  DeviceConfig config = device();
  config.power.off_time = kMillisecond;
  for (std::uint64_t seed = 1; seed <= effort(1, 2); ++seed) {
    MixOptions mix = mix_of(config, seed, 1500);
    mix.fua = 15;
    const std::vector<TestJob> jobs = {{random_mix(mix), 8, 0}};
    config.power.cut_at = 0;
    const auto length = simulate(config, jobs)["end_ps"].get<Picoseconds>();
    config.power.cut_at = length / 4 * seed;
    const Json cut = simulate(config, jobs);
    EXPECT_EQ(cut["power"]["cuts"], 1);
    EXPECT_EQ(cut["verify"]["mismatches"], 0) << cut["verify"]["first_mismatch"];
  }
}

// The device comes to rest between requests, so that data in flight occupy no buffer space on either clock.
TEST_P(BufferModes, AreAlikeOnBothClocks) {
  const DeviceConfig config = device();
  if (config.buffer.read_ahead != 0)
    GTEST_SKIP() << "read-ahead looks for what it wants when the read has made room: what left may be on its way, on "
                    "the timed clock only";
  MixOptions mix = mix_of(config, 3, 1500);
  mix.gap_ps = 400 * kMillisecond;
  mix.whole_units = true;
  mix.max_units = 2;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 0, 0}});
  const Json instant = run_instantly(config, requests);
  EXPECT_EQ(timed["counters"]["program"], instant["counters"]["program"]);
  EXPECT_EQ(timed["counters"]["erase"], instant["counters"]["erase"]);
  EXPECT_EQ(timed["counters"]["read"], instant["counters"]["read"]);
  EXPECT_EQ(timed["buffer_statistics"], instant["buffer_statistics"]);
  EXPECT_EQ(timed["digest"], instant["digest"]);
}

INSTANTIATE_TEST_SUITE_P(Mixtures, BufferModes, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace flashloom::buffer_test
