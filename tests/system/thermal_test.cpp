// Thermal model in whole devices: disabled it changes nothing, enabled its heat balances with the energy ledger, and
// throttled devices lose the expected throughput and no data.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sc_main/assembly/config/load.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::thermal_test {
namespace {

using Overrides = std::vector<std::string>;

Overrides joined(Overrides first, const Overrides& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Overrides kRc = {"thermal.model=rc"};
/// Heat capacities so large that the temperature stays at its start value.
const Overrides kHot = {"thermal.model=rc",
                        "thermal.start_temperatures=[\"90 C\", \"90 C\", \"90 C\"]",
                        "thermal.controller_capacity=10000 J/K",
                        "thermal.nand_capacity=10000 J/K",
                        "thermal.board_capacity=10000 J/K",
                        "thermal.throttle=[\"60 C\"]"};

Json mixed(const std::string& name, const Overrides& overrides, std::uint64_t requests = 4000) {
  const DeviceConfig config = small_preset(name, joined({"precondition.fill=0.8"}, overrides));
  return simulate(config, {{random_mix(mix_for(config, 3, requests)), 8, 0}});
}

// A drive that never gets hot gives the same result, to the byte, as one without the thermal model.
TEST(Thermal, ChangesNothingButTemperaturesWhileItDoesNotThrottle) {
  for (const Overrides& more :
       {Overrides{}, Overrides{"power.cap_dies=2"}, Overrides{"nand.cache_program=true", "nand.program_suspend=true"},
        Overrides{"nand.program_suspend=true", "nand.cache_read=true", "power.cap_dies=1"}}) {
    Json off = mixed("tiny", more);
    Json on = mixed("tiny", joined(kRc, more));
    EXPECT_TRUE(on.contains("thermal"));
    EXPECT_FALSE(off.contains("thermal"));
    EXPECT_EQ(on["thermal"]["transitions"], 0);
    on.erase("thermal");
    for (Json* const each : {&on, &off}) (*each)["config"].erase("thermal");
    EXPECT_EQ(on, off);
  }
}

// Heat in equals the energy in the ledger, and is stored in the nodes or has left. Times in the throttling levels add
// up to the measured time.
TEST(Thermal, ClosesWithTheLedger) {
  for (const char* const name : {"tiny", "nvme-tlc-1tb"})
    for (const Overrides& overrides : {kRc, joined(kHot, {"thermal.duty=[\"30 %\"]", "thermal.link=[\"50 %\"]"})}) {
      const Json result = mixed(name, overrides);
      const Json& heat = result["thermal"];
      const auto in = heat["heat_j"].get<double>();
      EXPECT_NEAR(in, result["energy"]["total_j"].get<double>(), 1e-9 * in);
      EXPECT_NEAR(in, heat["to_ambient_j"].get<double>() + heat["stored_j"].get<double>(), 1e-6 * in);
      const double window = result["window"]["end_s"].get<double>() - result["window"]["begin_s"].get<double>();
      EXPECT_NEAR(heat["throttled_s"].get<double>() + heat["unthrottled_s"].get<double>(), window, 1e-12);
      EXPECT_EQ(result["verify"]["mismatches"], 0);
    }
}

// Sequential writes to dies that always have work: only a share of each 20 ms period is open, and in it the dies begin
// as many programs as fit, the last of which runs past its end.
TEST(Thermal, ThrottledWritesAreTheDutyOfUnthrottledOnes) {
  const Overrides shape = {"link.kind=ideal", "cpu.model=ideal", "thermal.period=20 ms", "nand.channels=1",
                           "nand.ways=2",     "nand.blocks=128", "buffer.size=64 KiB",   "verify=false"};
  const auto rate = [&shape](const std::string& duty) {
    const DeviceConfig config =
        small_preset("tiny", joined(joined(kHot, shape), {"thermal.duty=[\"" + duty + "\"]", "thermal.link=[1.0]"}));
    std::vector<Request> requests;
    for (std::uint64_t i = 0; i < 3000; ++i)
      requests.push_back(
          {.offset = i * 4096 % (capacity_bytes(config) / 4096 * 4096), .length = 4096, .kind = RequestKind::Write});
    return simulate(config, {{requests, 64, 0}})["host"]["write"]["bandwidth_bytes_per_s"].get<double>();
  };
  const double whole = rate("100 %");
  EXPECT_NEAR(rate("50 %"), 0.5 * whole, 0.05 * whole);
  EXPECT_NEAR(rate("25 %"), 0.25 * whole, 0.05 * whole);
}

// Power cuts while the drive is throttled, with every kind of back end; without power the drive cools, and the mount
// evaluates its temperature.
TEST(Thermal, LosesNothingInCutsWhileItIsThrottled) {
  const Overrides cuts = {"power.cuts=4", "power.cut_spacing=40 ms", "power.off_time=5 ms"};
  const Overrides throttled = joined(kHot, {"thermal.duty=[\"20 %\"]", "thermal.link=[\"20 %\"]"});
  for (const Overrides& more :
       {Overrides{}, Overrides{"power.cap_dies=2"}, Overrides{"power.plp=true"},
        Overrides{"nand.cache_program=true", "nand.cache_read=true", "nand.program_suspend=true",
                  "nand.erase_suspend=true", "ftl.arbitration=out_of_order"}}) {
    const Json result = mixed("tiny", joined(joined(throttled, cuts), more));
    EXPECT_EQ(result["power"]["cuts"], 4);
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    const Json& heat = result["thermal"];
    EXPECT_GE(heat["transitions"].get<int>(), 8);  // each cut resets the level, each mount finds it again
    EXPECT_GT(heat["unthrottled_s"].get<double>(), 4 * 5e-3 - 1e-9);
    const auto in = heat["heat_j"].get<double>();
    EXPECT_NEAR(in, result["energy"]["total_j"].get<double>(), 1e-9 * in);
  }
}

// Ten degrees above 40 C, data age 3.53 times as fast: 1/3.53 of the age gives the same errors.
TEST(Thermal, DataAgeFasterWhereTheyAreStoredWarm) {
  const auto errors = [](const std::string& age, const std::string& at) {
    const DeviceConfig config = small_preset(
        "nvme-tlc-1tb", {"precondition.fill=1.0", "nand.errors.model=power_law", "nand.errors.pe_cycles=1000",
                         "nand.errors.retention_age=" + age, "nand.errors.retention_temperature=" + at});
    MixOptions mix = mix_for(config, 5, 300);
    mix.reads = 100;
    return simulate(config, {{random_mix(mix), 4, 0}})["reliability"]["errors_per_codeword"];
  };
  const double factor = std::exp(1.1 / 8.617333262e-5 * (1 / 313.15 - 1 / 323.15));
  EXPECT_NEAR(factor, 3.53, 0.01);
  const auto aged = static_cast<std::uint64_t>(std::lround(200 * 86400 / factor));
  EXPECT_EQ(errors(std::to_string(aged) + " s", "50 C"), errors("200 d", "40 C"));
  EXPECT_NE(errors("200 d", "50 C"), errors("200 d", "40 C"));
}

TEST(Thermal, RefusesWhatContradictsItself) {
  EXPECT_THROW(preset("tiny", joined(kRc, {"thermal.throttle=[\"80 C\"]"})), ConfigError);
  EXPECT_THROW(preset("tiny", joined(kRc, {"thermal.duty=[\"0 %\", \"0 %\"]"})), ConfigError);
  EXPECT_THROW(preset("tiny", {"thermal.ambient=25 W"}), ConfigError);
  EXPECT_NO_THROW(preset("tiny", joined(kRc, {"thermal.throttle=[]", "thermal.duty=[]", "thermal.link=[]"})));
}

}  // namespace
}  // namespace flashloom::thermal_test
