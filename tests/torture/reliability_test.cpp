// Bit errors, read retry, uncorrectable pages, scrubbing and failing blocks in the whole device: against closed forms,
// the binomial distribution and the law of the two clocks; no read returns wrong data.
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::reliability_test {
namespace {

constexpr std::uint64_t kUnit = 4096;

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Bit errors at a constant rate.
std::vector<std::string> errors(const std::string& rate, const std::vector<std::string>& more = {}) {
  return joined({"nand.spare_size=2208 B", "nand.errors.model=power_law", "nand.errors.base=" + rate,
                 "nand.errors.wear_factor=0", "nand.errors.retention_factor=0", "nand.errors.disturb_factor=0"},
                more);
}

std::vector<Request> reads_of(std::uint64_t units, std::uint64_t count, Picoseconds gap = 0) {
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < count; ++i)
    requests.push_back(
        {.offset = i * 37 % units * kUnit, .length = kUnit, .arrival_ps = i * gap, .kind = RequestKind::Read});
  return requests;
}

TEST(BitErrorsOfADevice, ChangeNothingWhenThereAreNone) {
  const DeviceConfig without = small_preset("tiny", {"precondition.fill=0.9", "nand.spare_size=2208 B"});
  const DeviceConfig with = small_preset("tiny", errors("0", {"precondition.fill=0.9", "nand.ecc.decode_time=0 s"}));
  const std::vector<TestJob> jobs = {{random_mix(mix_for(without, 5, 1500)), 4, 0}};
  const Json off = simulate(without, jobs);
  const Json on = simulate(with, jobs);
  for (const char* const part : {"digest", "counters", "ftl_statistics", "buffer_statistics", "end_ps", "rest_ps",
                                 "latency_ps", "breakdown_ps", "verify", "host", "wear"})
    EXPECT_EQ(off[part].dump(), on[part].dump()) << part;
  EXPECT_TRUE(off["reliability"].is_null());
  EXPECT_GT(on["reliability"]["codewords"], 0);
  EXPECT_EQ(on["reliability"]["retries_total"], 0);
}

// At a rate of 0.05 some 460 of a codeword's 9,200 bits are wrong; 230 remain at the first retry level, 23 at the
// second, and 72 can be corrected. So each read takes two retries, and its latency is known to the tick.
TEST(ReadRetry, TakesAWholeReadAndItsDecodingEachTime) {
  const std::vector<std::string> bare = {"precondition.fill=0.9",     "cpu.model=ideal",       "link.kind=ideal",
                                         "dram.bandwidth=0 B/s",      "dram.read_latency=0 s", "dram.write_latency=0 s",
                                         "dram.refresh_interval=0 s", "dram.refresh_time=0 s"};
  const DeviceConfig without = small_preset("tiny", bare);
  const DeviceConfig with =
      small_preset("tiny", errors("0.05", joined(bare, {"nand.errors.retry_rates=[0.5, 0.05]",
                                                        "nand.errors.retry_time=7 us", "nand.ecc.decode_time=11 us"})));
  const std::vector<TestJob> jobs = {{reads_of(200, 150), 1, 0}};
  const Json off = simulate(without, jobs);
  const Json on = simulate(with, jobs);
  const NandGeometry geometry(with.nand, kUnit);
  const Picoseconds read = NandTiming(with.nand, geometry).unloaded_read(kUnit);
  const Picoseconds more = 11 * kMicrosecond + 2 * (read + 7 * kMicrosecond + 11 * kMicrosecond);
  for (int bound = 0; bound < 2; ++bound)
    EXPECT_EQ(on["latency_ps"]["read"][bound].get<Picoseconds>(),
              off["latency_ps"]["read"][bound].get<Picoseconds>() + more);
  EXPECT_EQ(on["reliability"]["retries"][0]["reads"], 150);
  EXPECT_EQ(on["reliability"]["retries"][0]["recovered"], 0);
  EXPECT_EQ(on["reliability"]["retries"][1]["recovered"], 150);
  EXPECT_EQ(on["flash"]["reads"]["host"]["pages"], 450);
  EXPECT_EQ(on["host"]["media_errors"], 0);
}

// After the last retry level the drive senses three more times, and decodes these reads softly together.
TEST(ReadRetry, EndsInSoftDecoding) {
  const DeviceConfig config = small_preset(
      "tiny", errors("0.02", {"precondition.fill=0.9", "nand.errors.retry_rates=[0.6]", "nand.ecc.strength=72",
                              "nand.ecc.soft_strength=200", "nand.ecc.soft_reads=3"}));
  const Json result = simulate(config, {{reads_of(200, 100), 1, 0}});  // 184 errors, then 110
  EXPECT_EQ(result["reliability"]["soft_decodes"], 100);
  EXPECT_EQ(result["reliability"]["soft_recovered"], 100);
  EXPECT_EQ(result["flash"]["reads"]["host"]["pages"], 100 * (1 + 1 + 3));
  EXPECT_EQ(result["reliability"]["uncorrectable_total"], 0);
}

// Every unit of a drive is read once: the number of retries matches 1 - F(t)^codewords within five standard deviations.
TEST(ReadRetry, IsAsFrequentAsTheBinomialDistributionSays) {
  const DeviceConfig config =
      preset("tiny", errors("1.3e-3", {"nand.ecc.strength=20", "nand.errors.retry_rates=[0.7, 0.3]"}));
  InstantDevice device(config);
  const std::uint64_t units = device.firmware->capacity_bytes() / kUnit;
  for (std::uint64_t unit = 0; unit < units; ++unit) device.write(unit * kUnit, kUnit);
  device.run({.kind = RequestKind::Flush});
  device.ecc->reset_statistics();
  for (std::uint64_t unit = 0; unit < units; ++unit)
    EXPECT_EQ(device.run({.offset = unit * kUnit, .length = kUnit, .kind = RequestKind::Read}), IoStatus::Ok);
  const double reads = static_cast<double>(units);
  const auto fails = [](double rate) {
    return 1 - std::pow(boost::math::cdf(boost::math::binomial_distribution<double>(1150 * 8, rate), 20), 4);
  };
  for (int level = 0; level < 2; ++level) {
    const double share = fails(1.3e-3 * (level == 0 ? 1 : 0.7));
    const double expected = reads * share;
    EXPECT_GT(level == 0 ? expected : 1, 100 * (1 - level));
    EXPECT_NEAR(static_cast<double>(device.ecc->statistics().retries[static_cast<std::size_t>(level)]), expected,
                5 * std::sqrt(expected * (1 - share)) + 1);
  }
  EXPECT_EQ(device.ecc->statistics().uncorrectable_total(), 0U);
}

class TwoClocksWithErrors : public testing::TestWithParam<const char*> {};

TEST_P(TwoClocksWithErrors, ReadRetryIsTheSameWhenTheDeviceComesToRestBetweenRequests) {
  const DeviceConfig config = small_preset(
      GetParam(), errors("1.3e-3", {"precondition.fill=0.9", "nand.ecc.strength=20", "nand.errors.disturb_factor=1e-6",
                                    "nand.errors.pe_cycles=100", "nand.program_time_spread=0.1"}));
  MixOptions mix = mix_for(config, 3, 1500);
  mix.gap_ps = 400 * kMillisecond;
  mix.whole_units = true;
  mix.max_units = 2;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 0, 0}});
  const Json instant = run_instantly(config, requests);
  expect_wrote_alike(timed, instant);
  EXPECT_EQ(timed["counters"]["read"], instant["counters"]["read"]);
  EXPECT_GT(timed["reliability"]["retries_total"], 20);
  EXPECT_EQ(timed["reliability"]["uncorrectable_total"], 0);
}

// Back to back the writes are alike, too, but not the reads: a unit that is being copied is read from its old place.
TEST_P(TwoClocksWithErrors, WritesAreTheSameBackToBack) {
  const DeviceConfig config =
      small_preset(GetParam(), errors("1.3e-3", {"precondition.fill=0.9", "nand.ecc.strength=20"}));
  MixOptions mix = mix_for(config, 4, 2000);
  mix.whole_units = true;
  mix.reads = 20;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  expect_wrote_alike(timed, run_instantly(config, requests));
  EXPECT_GT(timed["reliability"]["retries_total"], 20);
}

INSTANTIATE_TEST_SUITE_P(Presets, TwoClocksWithErrors, testing::Values("tiny", "nvme-tlc-1tb"),
                         [](const auto& test) { return std::string(test.param) == "tiny" ? "tiny" : "one_shot"; });

/// Upper pages are never readable, lower ones always: no randomness.
DeviceConfig upper_pages_lost(const std::vector<std::string>& more = {}) {
  return small_preset("tiny", errors("0.4", joined({"nand.channels=1", "nand.ways=1", "nand.blocks=32",
                                                    "nand.read_time=[\"50 us\", \"50 us\"]", "ftl.over_provisioning=1",
                                                    "nand.errors.page_factors=[0, 1]", "buffer.size=16 KiB",
                                                    "nand.errors.retry_rates=[0.9]", "nand.ecc.soft_reads=2"},
                                                   more)));
}

std::set<std::uint64_t> lost_units(InstantDevice& device, std::uint64_t units) {
  std::set<std::uint64_t> lost;
  for (std::uint64_t unit = 0; unit < units; ++unit) {
    const IoStatus status = device.run({.offset = unit * kUnit, .length = kUnit, .kind = RequestKind::Read});
    if (status == IoStatus::MediaError) lost.insert(unit);
    EXPECT_TRUE(status == IoStatus::Ok || status == IoStatus::MediaError);
  }
  return lost;
}

TEST(UncorrectablePages, AreMediaErrorsAndNeverData) {
  InstantDevice device(upper_pages_lost());
  for (std::uint64_t unit = 0; unit < 64; ++unit) device.write(unit * kUnit, kUnit);
  device.run({.kind = RequestKind::Flush});
  EXPECT_EQ(lost_units(device, 64).size(), 32U) << "each second page";
  EXPECT_EQ(device.ecc->statistics().uncorrectable[static_cast<std::size_t>(Origin::Host)], 32U);
  EXPECT_EQ(device.ecc->statistics().retries[0], 32U);
  EXPECT_EQ(device.ecc->statistics().soft_decodes, 32U);
  EXPECT_EQ(device.oracle->mismatches(), 0U);
}

// Garbage collection copies unreadable units, possibly to a lower page: they stay lost, also across power cuts, until
// they are rewritten or trimmed.
TEST(UncorrectablePages, StayLostWhereverTheyAreCopied) {
  InstantDevice device(upper_pages_lost());
  const std::uint64_t units = device.firmware->capacity_bytes() / kUnit;
  for (std::uint64_t unit = 0; unit < units; ++unit) device.write(unit * kUnit, kUnit);
  Random random(3);
  for (int i = 0; i < 1500; ++i) device.write(random.below(units) * kUnit, kUnit);
  device.run({.kind = RequestKind::Flush});
  const EccStatistics& statistics = device.ecc->statistics();
  EXPECT_GT(statistics.uncorrectable[static_cast<std::size_t>(Origin::Gc)], 100U);
  EXPECT_GT(statistics.lost_units, 100U);
  const std::set<std::uint64_t> before = lost_units(device, units);
  EXPECT_GT(before.size(), units / 2) << "half of the pages, and what was copied out of such";
  device.restart();
  EXPECT_EQ(lost_units(device, units), before);
  EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();

  std::uint64_t trimmed = 0;
  for (const std::uint64_t unit : before) {
    if (unit % 2 != 0) continue;
    device.run({.offset = unit * kUnit, .length = kUnit, .kind = RequestKind::Trim});
    ++trimmed;
    EXPECT_EQ(device.run({.offset = unit * kUnit, .length = kUnit, .kind = RequestKind::Read}), IoStatus::Ok);
  }
  EXPECT_GT(trimmed, 10U);
  std::uint64_t readable = 0;
  std::uint64_t written = 0;
  for (const std::uint64_t unit : before) {
    if (unit % 2 == 0) continue;
    device.write(unit * kUnit, kUnit);
    ++written;
  }
  device.run({.kind = RequestKind::Flush});
  for (const std::uint64_t unit : before)
    if (unit % 2 != 0 &&
        device.run({.offset = unit * kUnit, .length = kUnit, .kind = RequestKind::Read}) == IoStatus::Ok)
      ++readable;
  EXPECT_NEAR(static_cast<double>(readable), static_cast<double>(written) / 2, static_cast<double>(written) / 4);
  EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
}

// The host writes a part of a unit whose rest is unreadable: the buffer serves that part while it holds it; then the
// unit is lost until it is written as a whole.
TEST(UncorrectablePages, CannotBeCompleted) {
  InstantDevice device(upper_pages_lost({"ftl.recovery=oob_scan"}));
  for (std::uint64_t unit = 0; unit < 16; ++unit) device.write(unit * kUnit, kUnit);
  device.run({.kind = RequestKind::Flush});
  const std::set<std::uint64_t> lost = lost_units(device, 16);
  ASSERT_EQ(lost.size(), 8U);
  for (const std::uint64_t unit : lost) {
    device.write(unit * kUnit, 512);
    EXPECT_EQ(device.run({.offset = unit * kUnit, .length = 512, .kind = RequestKind::Read}), IoStatus::Ok);
    EXPECT_EQ(device.run({.offset = unit * kUnit, .length = kUnit, .kind = RequestKind::Read}), IoStatus::MediaError);
  }
  device.run({.kind = RequestKind::Flush});
  for (const std::uint64_t unit : lost)
    EXPECT_EQ(device.run({.offset = unit * kUnit, .length = kUnit, .kind = RequestKind::Read}), IoStatus::MediaError);
  EXPECT_EQ(device.ecc->statistics().lost_units, 8U);
  device.restart();
  for (const std::uint64_t unit : lost)
    EXPECT_EQ(device.run({.offset = unit * kUnit, .length = kUnit, .kind = RequestKind::Read}), IoStatus::MediaError);
  EXPECT_EQ(device.audit(), 0U);
}

// Repeated partial writes, while units whose rest is lost wait for their program units to fill: no request waits for
// them.
TEST(UncorrectablePages, AreLostAlikeOnBothClocks) {
  for (const char* const ftl : {"page_map", "log_block"}) {
    const DeviceConfig config = small_preset(
        "tiny", errors("8e-3", {"nand.blocks=32", "nand.pages=8", "nand.pages_per_program=2",
                                "nand.ecc.soft_strength=72", "nand.errors.retry_rates=[]", "buffer.size=64 KiB",
                                "ftl.over_provisioning=1", "precondition.fill=0.9", std::string("ftl.kind=") + ftl}));
    MixOptions mix = mix_for(config, 6, 1500);
    mix.gap_ps = 400 * kMillisecond;
    mix.reads = mix.trims = 0;
    mix.max_units = 2;
    const std::vector<Request> requests = random_mix(mix);
    const Json timed = simulate(config, {{requests, 0, 0}});
    const Json instant = run_instantly(config, requests);
    // The media may differ in the contents of lost units, which mean nothing.
    EXPECT_EQ(timed["counters"]["program"], instant["counters"]["program"]) << ftl;
    EXPECT_EQ(timed["counters"]["erase"], instant["counters"]["erase"]) << ftl;
    EXPECT_EQ(timed["ftl_statistics"], instant["ftl_statistics"]) << ftl;
    EXPECT_GT(timed["reliability"]["units_lost"], 100) << ftl;
    EXPECT_EQ(timed["verify"]["mismatches"], 0) << ftl;
    EXPECT_EQ(instant["verify"]["mismatches"], 0) << ftl;
  }
}

// The same on the timed clock, under load, with partial writes, trims and a power cut.
TEST(UncorrectablePages, GiveNoWrongDataUnderLoad) {
  for (const char* const cut : {"power.cut_at=0 s", "power.cut_at=20 ms"}) {
    const DeviceConfig config = small_preset(
        "tiny", errors("1.3e-3", {"precondition.fill=0.9", "nand.ecc.strength=18", "nand.errors.retry_rates=[]",
                                  "nand.ecc.soft_reads=0", "power.off_time=1 ms", cut}));
    const Json result = simulate(config, {{random_mix(mix_for(config, 8, 3000)), 8, 0}});
    EXPECT_GT(result["reliability"]["uncorrectable_total"], 50);
    EXPECT_GT(result["reliability"]["units_lost"], 10);
    EXPECT_GT(result["host"]["media_errors"], 10);
    EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
    EXPECT_GT(result["verify"]["unreadable_sectors"], 8);
    EXPECT_GT(result["verify"]["audited_sectors"], result["verify"]["unreadable_sectors"]);
  }
}

// --- Scrubbing.

std::vector<std::string> disturbed(const std::vector<std::string>& more = {}) {
  return errors(
      "1e-3", joined({"precondition.fill=0.9", "nand.errors.disturb_factor=4e-6", "nand.errors.pe_cycles=1000",
                      "nand.errors.disturb_wear_exponent=0", "nand.errors.disturb_exponent=1.5", "nand.ecc.strength=30",
                      "ftl.over_provisioning=1.5"},
                     more));
}

TEST(Scrubbing, LowersTheRetriesOfWhatIsReadOften) {
  const DeviceConfig without = small_preset("tiny", disturbed());
  const std::vector<TestJob> jobs = {{reads_of(48, 20000, 300 * kMicrosecond), 0, 0}};
  const Json off = simulate(without, jobs);
  EXPECT_EQ(off["reliability"]["scrub_moves"], 0);
  EXPECT_EQ(off["counters"]["program"]["scrub"][1], 0);
  ASSERT_GT(off["reliability"]["retries_total"], 2000);
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"ftl.scrub_reads=500"}, std::vector<std::string>{"ftl.scrub_level=1"}}) {
    const DeviceConfig with = small_preset("tiny", joined(disturbed({"ftl.gc_idle_time=50 us"}), how));
    const Json on = simulate(with, jobs);
    EXPECT_GT(on["reliability"]["scrub_moves"], 4) << how[0];
    EXPECT_EQ(on["counters"]["program"]["scrub"][2], on["ftl_statistics"]["units_scrubbed"]);
    EXPECT_EQ(on["counters"]["erase"]["scrub"][1], on["ftl_statistics"]["scrub_moves"]);
    EXPECT_LT(on["reliability"]["retries_total"].get<std::uint64_t>(),
              off["reliability"]["retries_total"].get<std::uint64_t>() / 2)
        << how[0];
    EXPECT_EQ(on["verify"]["mismatches"], 0);
  }
}

// Without idle time scrubbing is paced with the writes, like garbage collection.
TEST(Scrubbing, GoesOnUnderWrites) {
  for (const char* const unit : {"ftl.gc_unit=block", "ftl.gc_unit=superblock"}) {
    const DeviceConfig config = small_preset("tiny", disturbed({"ftl.scrub_reads=50", "ftl.gc_idle_time=1 s",
                                                                "nand.blocks=32", "ftl.over_provisioning=1.5", unit}));
    MixOptions mix = mix_for(config, 9, 6000);
    mix.reads = 80;
    const Json result = simulate(config, {{random_mix(mix), 4, 0}});
    EXPECT_GT(result["reliability"]["scrub_moves"], 4) << unit;
    EXPECT_EQ(result["counters"]["program"]["scrub"][2], result["ftl_statistics"]["units_scrubbed"]);
    EXPECT_EQ(result["verify"]["mismatches"], 0);
  }
}

// --- Saved states.

TEST(SavedStatesWithErrors, TheRunIsTheSame) {
  const DeviceConfig config = small_preset(
      "tiny",
      disturbed({"ftl.scrub_reads=300", "precondition.steady=true", "precondition.max_passes=1",
                 "nand.factory_bad_blocks=0.03", "nand.erase_failure_rate=0.001", "nand.blocks=32",
                 "ftl.over_provisioning=2", "nand.errors.retention_age=90 d", "nand.errors.retention_factor=1e-5"}));
  const std::vector<TestJob> jobs = {{random_mix(mix_for(config, 11, 2000)), 8, 0}};
  const std::string path = testing::TempDir() + "flashloom_errors.state";
  save_state(config, path);
  EXPECT_EQ(simulate(config, jobs).dump(2), simulate(config, jobs, path).dump(2));
}

// --- Power cuts.

struct TortureCase {
  const char* name;
  std::vector<std::string> overrides;
  bool page_maps_only = false;
};

const std::vector<TortureCase> kTortures = {
    {"retries", errors("1.3e-3", {"nand.blocks=24", "nand.pages=8", "nand.ecc.strength=20", "buffer.size=64 KiB",
                                  "ftl.over_provisioning=1.5"})},
    {"losses", errors("1.3e-3", {"nand.blocks=24", "nand.pages=8", "nand.ecc.strength=19", "buffer.size=64 KiB",
                                 "nand.errors.retry_rates=[]", "nand.ecc.soft_reads=0", "ftl.over_provisioning=1.5"})},
    // Units whose rest is lost wait for their program units to fill.
    {"losses_in_program_units",
     errors("8e-3", {"nand.blocks=32", "nand.pages=8", "nand.pages_per_program=2", "nand.ecc.soft_strength=72",
                     "nand.errors.retry_rates=[]", "buffer.size=128 KiB", "ftl.over_provisioning=1"})},
    {"scrubbing",
     errors("1.3e-3", {"nand.blocks=32", "nand.pages=8", "nand.ecc.strength=20", "buffer.size=64 KiB",
                       "ftl.scrub_reads=40", "ftl.scrub_level=1", "ftl.over_provisioning=2.5"}),
     true},
    {"scrubbing_superblocks",
     errors("1.3e-3",
            {"nand.planes=2", "nand.blocks=32", "nand.pages=8", "nand.ecc.strength=20", "buffer.size=64 KiB",
             "ftl.scrub_level=1", "ftl.over_provisioning=3.5", "ftl.gc_unit=superblock", "ftl.superblock_dies=2"}),
     true},
    {"random_failures",
     {"nand.blocks=32", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=3", "nand.erase_failure_rate=0.02",
      "nand.program_failure_rate=0.003", "nand.program_failure_at=cycle"}},
    {"failed_programs",
     {"nand.blocks=32", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=3", "nand.erase_failure_rate=0.01",
      "nand.program_failure_rate=0.01", "nand.failure_growth=20"},
     true},
    {"failed_programs_of_word_lines",
     {"nand.blocks=32", "nand.pages=16", "nand.paired_pages=true", "nand.page_order=shadow",
      "nand.program_time=[\"300 us\", \"900 us\"]", "nand.read_time=[\"30 us\", \"50 us\"]", "buffer.size=512 KiB",
      "ftl.over_provisioning=3", "nand.program_failure_rate=0.01"},
     true},
    {"failed_programs_of_superblocks",
     {"nand.planes=2", "nand.blocks=32", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=4",
      "ftl.gc_unit=superblock", "ftl.superblock_dies=2", "nand.program_failure_rate=0.005"},
     true},
    {"die_failure",
     errors("0", {"nand.blocks=32", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=3",
                  "nand.die_failure_at=900", "nand.failed_die=2"}),
     true},
    {"die_failure_and_failed_programs",
     errors("0", {"nand.blocks=32", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=4",
                  "nand.die_failure_at=2000", "nand.program_failure_rate=0.003"}),
     true},
    {"die_failure_with_parity",
     errors("0", {"nand.blocks=32", "nand.pages=8", "buffer.size=128 KiB", "ftl.over_provisioning=4",
                  "ftl.gc_unit=superblock", "ftl.rain=1", "ftl.queue_limit=2", "nand.die_failure_at=900",
                  "nand.failed_die=2"}),
     true},
    {"die_failure_with_two_parities_on_planes",
     errors("0", {"nand.blocks=32", "nand.pages=8", "nand.planes=2", "buffer.size=256 KiB", "ftl.over_provisioning=7",
                  "ftl.gc_unit=superblock", "ftl.rain=2", "nand.die_failure_at=1500", "nand.failed_die=1"}),
     true},
    {"failed_programs_with_parity",
     errors("0", {"nand.blocks=32", "nand.pages=8", "buffer.size=128 KiB", "ftl.over_provisioning=5",
                  "ftl.gc_unit=superblock", "ftl.rain=1", "nand.program_failure_rate=0.003"}),
     true},
    {"factory_bad_blocks",
     {"nand.blocks=32", "nand.pages=8", "buffer.size=64 KiB", "ftl.over_provisioning=3", "nand.factory_bad_blocks=0.06",
      "nand.erase_failure_rate=0.005"},
     true}};

struct DriveCase {
  std::size_t torture;
  std::string ftl;
};

void PrintTo(const DriveCase& each, std::ostream* out) { *out << kTortures[each.torture].name << ' ' << each.ftl; }

std::vector<DriveCase> drive_cases() {
  std::vector<DriveCase> all;
  for (std::size_t i = 0; i < kTortures.size(); ++i)
    for (const char* const ftl : {"page_map", "dftl", "log_block", "fast"})
      if (!kTortures[i].page_maps_only || std::string(ftl) == "page_map" || std::string(ftl) == "dftl")
        all.push_back({i, ftl});
  return all;
}

class TortureWithErrors : public testing::TestWithParam<DriveCase> {};

TEST_P(TortureWithErrors, NothingIsReadWrong) {
  const TortureCase& each = kTortures[GetParam().torture];
  const std::string& ftl = GetParam().ftl;
  const DeviceConfig config = small_preset("tiny", joined(each.overrides, {"ftl.kind=" + ftl}));
  TortureCounts sum;
  for (std::uint64_t seed = 1; sum.cuts < 200; ++seed) {
    DriveTorture drive(config, seed);
    bool good = true;
    while (good && drive.counts().cuts < 60 && drive.counts().read_only < 8) good = drive.run(drive.counts().cuts + 1);
    sum += drive.counts();
    if (good) continue;
    for (const std::string& line : drive.failure().history) std::cout << "  " << line << '\n';
    FAIL() << "seed " << seed << ", cut " << drive.failure().cut << ": " << drive.failure().what << "; struck "
           << drive.failure().struck;
  }
  std::cout << sum.cuts << " cuts, " << sum.sectors_checked << " sectors verified, " << sum.read_retries
            << " read retries, " << sum.lost_units << " units lost, " << sum.scrub_moves << " scrub moves, "
            << sum.bad_blocks << " bad blocks, " << sum.read_only << " read-only mounts\n";
  const std::string name = each.name;
  EXPECT_EQ(sum.bad_blocks != 0, name == "random_failures" || name == "factory_bad_blocks" ||
                                     name.starts_with("failed_programs") || name.starts_with("die_failure"));
  if (name.find("failed_programs") != std::string::npos) {
    EXPECT_GT(sum.program_failures, 20U);
  }
  const bool parity = name.find("parit") != std::string::npos;  // data reconstructed from parity count as read
  if (!parity) {
    EXPECT_EQ(name.starts_with("losses") || name.starts_with("die_failure"), sum.uncorrectable_reads != 0);
  }
  if (parity) {
    EXPECT_EQ(sum.lost_units, 0U);
  }
  if (name == "retries" || name.starts_with("scrubbing")) {
    EXPECT_GT(sum.read_retries, 200U);
  }
  if (name.starts_with("losses")) {
    EXPECT_GT(sum.lost_units, 20U);
  }
  if (name == "scrubbing") {
    EXPECT_GT(sum.scrub_moves, 20U);
  }
}

INSTANTIATE_TEST_SUITE_P(Drives, TortureWithErrors, testing::ValuesIn(drive_cases()), [](const auto& test) {
  return std::string(kTortures[test.param.torture].name) + "_" + test.param.ftl;
});

TEST(FactoryBadBlocks, AreNeverUsedAndCountAsBad) {
  const DeviceConfig config = small_preset(
      "tiny", {"nand.blocks=64", "nand.factory_bad_blocks=0.05", "ftl.over_provisioning=1", "precondition.fill=1.0"});
  const Json result = simulate(config, {{random_mix(mix_for(config, 2, 1500)), 4, 0}});
  const std::uint64_t bad = result["wear"]["bad_blocks"].get<std::uint64_t>();
  EXPECT_NEAR(static_cast<double>(bad), 0.05 * 256, 5 * std::sqrt(0.05 * 256));
  EXPECT_GT(bad, 0U);
  EXPECT_GT(result["ftl"]["gc_runs"], 0);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
}

}  // namespace
}  // namespace flashloom::reliability_test
