#include "controllers/flash/duty_gate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/nand/nand_config.hpp"
#include "tests/controllers/flash/flash_bench.hpp"

namespace flashloom::duty_gate_test {
namespace {

using enum FlashOperation;

constexpr Picoseconds kPeriod = 10 * kMillisecond;

NandConfig device() {
  NandConfig config;
  config.channels = 2;
  config.ways = 2;
  config.blocks = 1024;
  config.pages = 64;
  return config;
}

/// Dies that always have work: each die starts a program when the last one ends, and two reads with it if `reads`.
struct Busy {
  Busy(const NandConfig& config, const PowerCap& cap, bool reads, const std::string& name)
      : bench(config, 4096, {"read_first", {}}, name.c_str(), cap, kPeriod), next(bench.geometry.dies) {
    bench.on_complete = [this, reads](OnfiCommand& done) {
      const std::uint32_t die = done.address.die.value();
      if (done.operation == Read) return;
      submit(die);
      if (reads)
        for (int i = 0; i < 2; ++i) bench.submit(Read, die, done.address.block.value(), done.address.page.value());
    };
  }
  void submit(std::uint32_t die) {
    const std::uint32_t n = next[die]++;
    bench.submit(Program, die, n / bench.geometry.pages, n % bench.geometry.pages);
  }
  void start() {
    for (std::uint32_t die = 0; die < bench.geometry.dies; ++die) submit(die);
  }
  std::uint64_t programs() const {
    std::uint64_t sum = 0;
    for (const OnfiCommand* command : bench.completed) sum += command->operation == Program ? 1 : 0;
    return sum;
  }

  FlashBench bench;
  std::vector<std::uint32_t> next;
};

// A gate open for half of each 10 ms period lets ceil(5 ms / t) programs of length t begin per period on one die.
TEST(DutyGate, BoundsWhatADieBegins) {
  NandConfig config = device();
  config.channels = config.ways = 1;
  Busy busy(config, {}, false, "flash");
  const Picoseconds time = busy.bench.timing.unloaded_program(Page{0});
  busy.bench.flash.throttle(0.5);
  busy.start();
  run_until(20 * kPeriod);
  EXPECT_EQ(busy.programs(), 20 * ((kPeriod / 2 + time - 1) / time));
  for (const OnfiCommand* command : busy.bench.completed) EXPECT_LT(command->at.issued % kPeriod, kPeriod / 2);
  busy.bench.flash.throttle(1);
  const std::uint64_t before = busy.programs();
  run_until(30 * kPeriod);
  EXPECT_NEAR(static_cast<double>(busy.programs() - before),
              static_cast<double>(10 * kPeriod) / static_cast<double>(time), 2);
}

/// The gate with neither overlap nor cap, with cache commands and suspension, or with a power cap.
struct Kind {
  const char* name;
  bool overlap;
  PowerCap cap;
};
class Gated : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(DutyGate, Gated,
                         testing::Values(Kind{"plain", false, {}}, Kind{"overlap", true, {}},
                                         Kind{"capped", false, {.dies = 2}}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(Gated, NothingBeginsWhileItIsShutAndAllGoesOn) {
  NandConfig config = device();
  config.cache_program = config.cache_read = config.program_suspend = GetParam().overlap;
  Busy busy(config, GetParam().cap, true, "flash");
  busy.bench.flash.throttle(0.25);
  busy.start();
  run_until(50 * kPeriod);
  for (const OnfiCommand* command : busy.bench.completed) EXPECT_LT(command->at.issued % kPeriod, kPeriod / 4);
  EXPECT_GT(busy.programs(), 4 * 50U);
  EXPECT_EQ(busy.bench.protocol_errors(), std::vector<std::string>{});
  busy.bench.on_complete = nullptr;
  busy.bench.flash.throttle(1);
  run_until(51 * kPeriod);
  EXPECT_EQ(busy.bench.flash.pending(), 0U);
}

// A gate that opens in mid-period lets waiting commands start at once, and it schedules no event once none wait.
TEST(DutyGate, OpensAtOnceWhenItMay) {
  FlashBench bench(device(), 4096, {"fifo", {}}, "flash", {}, kPeriod);
  bench.flash.throttle(0.5);
  run_until(6 * kMillisecond);
  const OnfiCommand& waits = bench.submit(Read, 0, 0, 0);
  run_until(7 * kMillisecond);
  bench.flash.throttle(1);
  run_until(9 * kMillisecond);
  EXPECT_EQ(waits.at.issued, 7 * kMillisecond);
  EXPECT_EQ(bench.completed.size(), 1U);
  bench.flash.throttle(0.5);
  bench.submit(Read, 0, 0, 0);
  bench.flash.power_cut(kernel_now());
  sc_core::sc_start();
  EXPECT_EQ(bench.completed.size(), 1U);
}

}  // namespace
}  // namespace flashloom::duty_gate_test
