// Drives whose capacitors hold up the data buffer: latency of flush and FUA, the energy that the capacitors give
// against the estimate, and the cost of charging them.
#include "sc_main/assembly/config/hold_up.hpp"

#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom::hold_up_test {
namespace {

using enum RequestKind;

Picoseconds longest(const Json& result, const char* operation) {
  return result["latency_ps"][operation][1].get<Picoseconds>();
}

// More writes than the buffer holds, so that it is full, then a flush.
std::vector<Request> writes_and_a_flush() {
  std::vector<Request> requests;
  for (std::uint64_t unit = 0; unit < 20; ++unit)
    requests.push_back({.offset = unit * 4096, .length = 4096, .kind = Write});
  requests.push_back({.kind = Flush});
  return requests;
}

// A flush takes as long as with a buffer in NVRAM, or with an empty buffer: parsing and completion. A flush to flash
// takes at least a program time.
TEST(AFlush, WaitsForNothingThatCapacitorsHoldUp) {
  const std::vector<TestJob> jobs = {{writes_and_a_flush(), 1}};
  const Json held_up = simulate(small_preset("tiny", {"power.plp=true"}), jobs);
  const Json to_flash = simulate(small_preset("tiny", {"power.plp=true", "power.plp_flush=flash"}), jobs);
  const Json without = simulate(small_preset("tiny"), jobs);
  const Json in_nvram = simulate(small_preset("tiny", {"buffer.location=nvram", "nvram.kind=stt_mram"}), jobs);
  const Json empty = simulate(small_preset("tiny"), {{{{.kind = Flush}}, 1}});
  EXPECT_EQ(longest(held_up, "flush"), longest(empty, "flush"));
  EXPECT_EQ(longest(held_up, "flush"), longest(in_nvram, "flush"));
  EXPECT_EQ(longest(to_flash, "flush"), longest(without, "flush"));
  EXPECT_GT(longest(to_flash, "flush"), 600 * kMicrosecond);
}

TEST(AForcedWrite, WaitsForNothingThatCapacitorsHoldUp) {
  const Request write{.offset = 1 << 20, .length = 4096, .kind = Write, .fua = true};
  Request plain = write;
  plain.fua = false;
  const auto latency = [](const Request& last, const std::vector<std::string>& overrides) {
    return longest(simulate(small_preset("tiny", overrides), {{{last}, 1}}), "write");
  };
  EXPECT_EQ(latency(write, {"power.plp=true"}), latency(plain, {}));
  EXPECT_GT(latency(write, {"power.plp=true", "power.plp_flush=flash"}), 600 * kMicrosecond);
  // In write-through no write waits in the buffer, so its hold-up does not matter.
  EXPECT_EQ(latency(write, {"power.plp=true", "buffer.mode=write_through"}),
            latency(write, {"buffer.mode=write_through"}));
}

struct Drive {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
};

class HoldUp : public testing::TestWithParam<Drive> {};

// Random writes with FUA and flushes on a drive in steady state, cut at ten instants: with the estimated energy nothing
// is lost, and the drive uses less than that.
TEST_P(HoldUp, IsReckonedWell) {
  std::vector<std::string> overrides = GetParam().overrides;
  overrides.insert(overrides.end(), {"precondition.fill=1.0", "precondition.steady=true", "power.plp=true",
                                     "power.cuts=10", "power.cut_spacing=20 ms", "power.off_time=1 ms"});
  DeviceConfig config = small_preset(GetParam().preset, overrides);
  const HoldUpNeed need = hold_up_need(config);
  config.power.plp_energy = need.joules;
  MixOptions mix = mix_for(config, 5, 6000);
  mix.reads = 10;
  mix.trims = 2;
  const Json result = simulate(config, {{random_mix(mix), 16}});
  EXPECT_GE(result["power"]["cuts"], 3);
  double most = 0;
  for (const Json& cut : result["power"]["each"]) {
    EXPECT_EQ(cut["exhausted"], false);
    most = std::max(most, cut["capacitor_j"].get<double>());
  }
  std::cout << "at most " << most * 1e3 << " mJ of " << need.joules * 1e3 << " mJ\n";
  EXPECT_LE(most, need.joules);
  EXPECT_GT(most, need.joules / 20);
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
}

INSTANTIATE_TEST_SUITE_P(
    OfDrives, HoldUp,
    testing::Values(Drive{"tiny", "tiny", {"buffer.size=512 KiB"}},
                    Drive{"little_over_provisioning",
                          "tiny",
                          {"buffer.size=256 KiB", "nand.blocks=64", "ftl.over_provisioning=0.25"}},
                    Drive{"translation_pages",
                          "tiny",
                          {"buffer.size=256 KiB", "ftl.kind=dftl", "nand.blocks=64", "ftl.over_provisioning=0.5"}},
                    Drive{"checkpoints",
                          "tiny",
                          {"buffer.size=256 KiB", "nand.blocks=64", "ftl.over_provisioning=0.5",
                           "ftl.recovery={name=\"checkpoint\",interval=\"256 KiB\"}"}},
                    Drive{"checkpoints_of_translation_pages",
                          "tiny",
                          {"buffer.size=256 KiB", "ftl.kind=dftl", "nand.blocks=64", "ftl.over_provisioning=0.5",
                           "ftl.recovery={name=\"checkpoint\",interval=\"256 KiB\"}"}},
                    Drive{"journal",
                          "tiny",
                          {"buffer.size=512 KiB", "nand.blocks=64", "ftl.over_provisioning=0.5",
                           "ftl.recovery={name=\"journal\",interval=\"1 MiB\"}"}},
                    Drive{"one_shot", "nvme-tlc-1tb", {}},
                    Drive{"slc_cache", "nvme-tlc-1tb", {"nand.slc_blocks=2", "ftl.logical_size=6 MiB"}},
                    Drive{"superblocks", "tiny", {"buffer.size=256 KiB", "ftl.gc_unit=superblock"}}),
    [](const auto& test) { return test.param.name; });

// While powered, the supply makes up for leakage and, after a cut, recharges the capacitors; the charger adds its
// losses.
TEST(Capacitors, AreInTheLedger) {
  const std::vector<TestJob> jobs = {
      {{{.length = 1 << 16, .kind = Write}, {.length = 4096, .arrival_ps = 50 * kMillisecond, .kind = Read}}, 0}};
  const std::vector<std::string> cut = {"power.plp=true", "power.cut_at=10 ms", "power.off_time=1 ms"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), cut.begin(), cut.end());
    return simulate(small_preset("tiny", more), jobs);
  };
  const Json plain = with({});
  const Json lossy = with({"power.plp_leakage=5 mW", "power.plp_charge_efficiency=0.8"});
  const Json& entry = lossy["power"]["each"][0];
  const double given = entry["capacitor_j"];
  EXPECT_GT(given, 0);
  EXPECT_NEAR(lossy["energy"]["operations"]["capacitors"]["j"].get<double>(), given * (1 / 0.8 - 1), 1e-9);
  const double on = lossy["simulated_s"].get<double>() - 1e-3;
  for (const Json& component : lossy["energy"]["components"]) {
    if (component["name"] != "capacitors") continue;
    EXPECT_NEAR(component["j"].get<double>(), 5e-3 * on + given * 0.25, 1e-9);
  }
  EXPECT_NEAR(lossy["energy"]["total_j"].get<double>() - plain["energy"]["total_j"].get<double>(),
              5e-3 * on + given * 0.25, 1e-9);
}

}  // namespace
}  // namespace flashloom::hold_up_test
