// Write amplification of the victim policies in steady state against published models (tests/support/waf_models.hpp):
// uniform random writes within 3 %, two classes within 5 %.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "policies/streams/streams.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/waf_models.hpp"
#include "workloads/random.hpp"

namespace flashloom::victim_models_test {
namespace {

namespace models = waf_models;

constexpr std::uint32_t kBlocks = 1024;  // per die
constexpr std::uint32_t kPages = 64;

DeviceConfig device(double over_provisioning, std::uint32_t blocks = kBlocks) {
  DeviceConfig config;
  config.nand.channels = 1;
  config.nand.ways = 1;
  config.nand.blocks = blocks;
  config.nand.pages = kPages;
  config.ftl.over_provisioning = over_provisioning;
  config.buffer.mode = "write_through";  // no buffer hits: every write counts in the model
  config.buffer.size = 1 << 20;
  return config;
}

/// Live data over flash that holds data, excluding the mean number of free blocks, between gc_low and gc_high, and half
/// of the `open` blocks.
double utilization(const InstantDevice& drive, double open) {
  const FtlConfig& ftl = drive.config.ftl;
  const double reserve = (ftl.gc_low + ftl.gc_high) / 2.0 + open / 2;
  return static_cast<double>(drive.firmware->capacity_bytes()) / 4096.0 /
         ((drive.config.nand.blocks - reserve) * drive.config.nand.pages);
}

/// A share `writes` of the writes goes to the first share `data` of the units.
struct Skew {
  double data = 1;
  double writes = 1;
};

/// Fills the drive, brings it to steady state, and measures WAF.
double measured_waf(InstantDevice& drive, Skew skew = {}) {
  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  const auto hot = static_cast<std::uint64_t>(skew.data * static_cast<double>(units));
  const auto write = [&](std::uint64_t unit) {
    drive.run({.offset = unit * 4096,
               .length = 4096,
               .kind = RequestKind::Write,
               .stream = static_cast<std::uint8_t>(unit < hot && hot != units ? 1 : 0)});
  };
  Random random(1);
  const auto overwrite = [&](std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
      const bool to_hot = random.chance(skew.writes);
      write(to_hot ? random.below(hot) : hot + random.below(units - hot));
    }
  };
  for (std::uint64_t unit = 0; unit < units; ++unit) write(unit);
  overwrite(8 * units);
  const FtlStatistics before = drive.firmware->ftl().statistics();
  overwrite(4 * units);
  const FtlStatistics after = drive.firmware->ftl().statistics();
  drive.firmware->ftl().check();
  return 1 + static_cast<double>(after.units_moved - before.units_moved) /
                 static_cast<double>(after.units_written - before.units_written);
}

void expect_near(const std::string& what, double u, double waf, double model, double share) {
  std::printf("%s, u = %.4f: WAF %.3f, model %.3f (%+.2f %%)\n", what.c_str(), u, waf, model, 100 * (waf / model - 1));
  EXPECT_LT(std::abs(waf / model - 1), share) << what;
}

struct Uniform {
  std::string name;
  PolicyChoice policy;
  double (*model)(double u);
};
void PrintTo(const Uniform& uniform, std::ostream* out) { *out << uniform.name; }

PolicyChoice choices(std::int64_t d) {
  return {"d_choices", ParameterValues(std::map<std::string, ParameterValue>{{"d", d}})};
}

class UniformWaf : public testing::TestWithParam<Uniform> {};

TEST_P(UniformWaf, IsWithinThreePerCentOfTheModel) {
  for (const double over_provisioning : {0.10, 0.28}) {
    DeviceConfig config = device(over_provisioning);
    config.ftl.garbage_collection = GetParam().policy;
    InstantDevice drive(config);
    const double u = utilization(drive, 2);
    expect_near(GetParam().name, u, measured_waf(drive), GetParam().model(u), 0.03);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, UniformWaf,
    testing::Values(Uniform{"greedy", {"greedy", {}}, [](double u) { return models::greedy(u, kPages); }},
                    Uniform{"fifo", {"fifo", {}}, models::fifo},
                    Uniform{"random", {"random", {}}, [](double u) { return models::d_choices(u, kPages, 1); }},
                    Uniform{"d_choices_2", choices(2), [](double u) { return models::d_choices(u, kPages, 2); }},
                    Uniform{"d_choices_10", choices(10), [](double u) { return models::d_choices(u, kPages, 10); }}),
    [](const auto& test) { return test.param.name; });

// The simplest form of the model, valid when hardly any block is fully valid.
TEST(RandomWaf, OfLargeBlocksIsOneOverTheSpareShare) {
  DeviceConfig config = device(0.4);
  config.nand.pages = 512;
  config.nand.blocks = kBlocks / 2;
  config.ftl.garbage_collection = {"random", {}};
  InstantDevice drive(config);
  const double u = utilization(drive, 2);
  expect_near("random", u, measured_waf(drive), models::random(u), 0.03);
}

// Where the models must agree, they do.
TEST(WafModels, MeetInTheirLimits) {
  EXPECT_NEAR(models::d_choices(0.8, 1 << 15, 1), models::random(0.8), 0.01);  // hardly any block is fully valid
  EXPECT_NEAR(models::greedy(0.85, 4096), models::fifo(0.85), 0.01);           // large blocks
  EXPECT_LT(models::greedy(0.85, 32), models::greedy(0.85, 256));
  EXPECT_NEAR(models::fifo_two_classes(0.85, 0.3, 0.3), models::fifo(0.85), 1e-6);  // no skew
}

constexpr Skew kSkew{.data = 0.1, .writes = 0.9};

TEST(TwoClassWaf, OfFifoWithoutSeparationMeetsDesnoyers) {
  DeviceConfig config = device(0.20);
  config.ftl.garbage_collection = {"fifo", {}};
  config.ftl.streams = {"single", {}};
  InstantDevice drive(config);
  const double u = utilization(drive, 1);
  expect_near("FIFO, 10 % of the data with 90 % of the writes", u, measured_waf(drive, kSkew),
              models::fifo_two_classes(u, kSkew.data, kSkew.writes), 0.05);
}

// "Separation eliminates any loss in performance due to nonuniform traffic" (Desnoyers 2014): greedy collects both
// classes at the same number of valid units, so both have the spare share and the WAF of uniform traffic.
TEST(TwoClassWaf, OfGreedyWithSeparatedStreamsIsThatOfUniformTraffic) {
  DeviceConfig config = device(0.20, 4 * kBlocks);  // the hot class is a tenth of it
  config.ftl.streams = {"host", ParameterValues(std::map<std::string, ParameterValue>{{"count", std::int64_t{2}}})};
  InstantDevice drive(config);
  const double u = utilization(drive, 4);
  const double separated = measured_waf(drive, kSkew);
  expect_near("greedy, separated streams", u, separated, models::greedy(u, kPages), 0.05);

  DeviceConfig mixed = device(0.20);
  mixed.ftl.streams = {"single", {}};
  InstantDevice together(mixed);
  EXPECT_GT(measured_waf(together, kSkew), 1.2 * separated) << "separation gains nothing";
}

// Windowed greedy lies between FIFO and greedy, and approaches greedy as the window grows (Bux and Iliadis 2010).
TEST(WindowedWaf, LiesBetweenFifoAndGreedy) {
  double last = 0;
  for (const std::int64_t window : {1, 64, 512}) {
    DeviceConfig config = device(0.28);
    config.ftl.garbage_collection = {"windowed_greedy",
                                     ParameterValues(std::map<std::string, ParameterValue>{{"window", window}})};
    InstantDevice drive(config);
    const double u = utilization(drive, 2);
    const double waf = measured_waf(drive);
    std::printf("window %3d: WAF %.3f, FIFO %.3f, greedy %.3f\n", static_cast<int>(window), waf, models::fifo(u),
                models::greedy(u, kPages));
    EXPECT_LT(waf, 1.03 * models::fifo(u));
    EXPECT_GT(waf, 0.97 * models::greedy(u, kPages));
    if (last != 0) {
      EXPECT_LT(waf, last);
    }
    last = waf;
  }
}

// Collecting cold blocks at a higher utilization than hot ones pays under skew (Rosenblum and Ousterhout 1992).
TEST(AgeingWaf, OfCostBenefitAndCatIsBelowGreedyUnderSkew) {
  const auto waf = [](const char* policy) {
    DeviceConfig config = device(0.15);
    config.ftl.garbage_collection = {policy, {}};
    InstantDevice drive(config);
    return measured_waf(drive, kSkew);
  };
  const double greedy = waf("greedy");
  const double benefit = waf("cost_benefit");
  const double times = waf("cost_age_times");
  std::printf("90/10 skew: greedy %.3f, cost_benefit %.3f, cost_age_times %.3f\n", greedy, benefit, times);
  EXPECT_LT(benefit, 0.9 * greedy);
  EXPECT_LT(times, 0.9 * greedy);
}

}  // namespace
}  // namespace flashloom::victim_models_test
