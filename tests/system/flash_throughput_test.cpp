// Latency and throughput of the whole flash back end against closed forms, over a grid of devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/controllers/flash/flash_bench.hpp"

namespace flashloom::flash_throughput_test {
namespace {

using enum FlashOperation;

constexpr double kCommand = 7 * 25e-9;

struct Shape {
  std::uint32_t channels, ways, page_size;
  std::uint64_t mega_transfers;
  std::string name() const {
    return std::to_string(channels) + "x" + std::to_string(ways) + " " + std::to_string(page_size) + " B " +
           std::to_string(mega_transfers) + " MT/s";
  }
};

NandConfig device(const Shape& shape) {
  NandConfig config;
  config.channels = shape.channels;
  config.ways = shape.ways;
  config.page_size = shape.page_size;
  config.transfer_rate = shape.mega_transfers * 1'000'000;
  config.blocks = 2;
  config.pages = 256;
  return config;
}

/// Keeps every die of a device busy with reads or programs, and measures once it has warmed up.
class Saturated {
 public:
  static constexpr std::uint32_t kDepth = 3;       // commands a die
  static constexpr std::uint32_t kWarmUp = 20;     // completions a die
  static constexpr std::uint32_t kMeasured = 100;  // completions a die: whole periods

  Saturated(const Shape& s, FlashOperation operation, int number)
      : shape(s),
        bench(device(s), s.page_size, {"read_first", {}}, ("flash" + std::to_string(number)).c_str()),
        operation_(operation),
        next_page_(bench.geometry.dies) {
    bench.on_complete = [this](OnfiCommand& done) { completed(done); };
  }
  void begin() {
    for (std::uint32_t depth = 0; depth < kDepth; ++depth)
      for (std::uint32_t die = 0; die < bench.geometry.dies; ++die) bench.submit(operation_, die, 0, next_page_[die]++);
  }
  bool done() const { return bench.completed.size() >= std::size_t{kWarmUp + kMeasured} * bench.geometry.dies; }
  double pages_per_second() const {
    const double time = static_cast<double>(until_ - from_) * 1e-12;
    return kMeasured * bench.geometry.dies / time;
  }
  /// min(channels x bus, dies x page / (array + bus)).
  double closed_form() const {
    const double bus = kCommand + shape.page_size / (static_cast<double>(shape.mega_transfers) * 1e6);
    const double array = operation_ == Read ? 50e-6 : 600e-6;
    return std::min(shape.channels / bus, shape.channels * shape.ways / (bus + array));
  }

  Shape shape;
  FlashBench bench;

 private:
  void completed(OnfiCommand& done) {
    const std::size_t dies = bench.geometry.dies;
    if (bench.completed.size() == kWarmUp * dies) from_ = kernel_now();
    if (bench.completed.size() == (kWarmUp + kMeasured) * dies) until_ = kernel_now();
    if (this->done()) return;
    const std::uint32_t die = done.address.die.value();
    const std::uint32_t page = next_page_[die]++;
    done.address.block = Block{(page / 256) % 2};
    done.address.page = Page{page % 256};
    bench.flash.submit(done);
  }

  FlashOperation operation_;
  std::vector<std::uint32_t> next_page_;
  Picoseconds from_ = 0;
  Picoseconds until_ = 0;
};

/// Runs all devices side by side.
void run(std::deque<Saturated>& devices) {
  for (Saturated& device : devices) device.begin();
  const auto busy = [&devices] {
    return std::any_of(devices.begin(), devices.end(), [](const Saturated& device) { return !device.done(); });
  };
  while (busy()) run_until(kernel_now() + kMillisecond);
  for (const Saturated& device : devices)
    EXPECT_EQ(device.bench.protocol_errors(), std::vector<std::string>{}) << device.shape.name();
}

void expect_peak(FlashOperation operation) {
  std::deque<Saturated> devices;
  int number = 0;
  for (const std::uint32_t channels : {1U, 2U, 8U})
    for (const std::uint32_t ways : {1U, 2U, 4U, 8U})
      for (const std::uint32_t page_size : {4096U, 16384U})
        for (const std::uint64_t rate : {40U, 200U, 800U, 3600U})
          devices.emplace_back(Shape{channels, ways, page_size, rate}, operation, number++);
  run(devices);
  double worst = 0;
  for (const Saturated& device : devices) {
    const double deviation = device.pages_per_second() / device.closed_form() - 1;
    worst = std::max(worst, std::abs(deviation));
    EXPECT_LT(std::abs(deviation), 0.01) << device.shape.name() << ": " << device.pages_per_second()
                                         << " pages/s, closed form " << device.closed_form();
  }
  std::printf("%d devices, worst deviation from the closed form %.5f %%\n", number, worst * 100);
}

TEST(FlashThroughput, PeakReadsMeetTheClosedForm) { expect_peak(Read); }
TEST(FlashThroughput, PeakProgramsMeetTheClosedForm) { expect_peak(Program); }

TEST(FlashThroughput, RisesStrictlyWithTheTransferRate) {
  const std::uint64_t rates[] = {40, 80, 133, 200, 333, 400, 533, 667, 800, 1200, 1600, 2400, 3200, 3600};
  std::deque<Saturated> devices;
  int number = 0;
  for (const FlashOperation operation : {Read, Program})
    for (const std::uint32_t ways : {1U, 4U, 8U})
      for (const std::uint64_t rate : rates) devices.emplace_back(Shape{1, ways, 16384, rate}, operation, number++);
  run(devices);
  for (std::size_t i = 1; i < devices.size(); ++i) {
    if (i % std::size(rates) == 0) continue;
    EXPECT_GT(devices[i].pages_per_second(), devices[i - 1].pages_per_second()) << devices[i].shape.name();
  }
}

TEST(FlashThroughput, UnloadedLatenciesAreExactOverTheGrid) {
  std::deque<FlashBench> benches;
  std::vector<Shape> shapes;
  for (const std::uint32_t channels : {1U, 4U})
    for (const std::uint32_t ways : {1U, 8U})
      for (const std::uint32_t page_size : {512U, 4096U, 16384U})
        for (const std::uint64_t rate : {40U, 166U, 333U, 1000U, 3600U})
          shapes.push_back({channels, ways, page_size, rate});
  for (std::size_t i = 0; i < shapes.size(); ++i)
    benches.emplace_back(device(shapes[i]), shapes[i].page_size, PolicyChoice{"read_first", {}},
                         ("flash" + std::to_string(i)).c_str());
  Picoseconds now = 0;
  for (const FlashOperation operation : {Program, Read, Erase}) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      // On the last die; the devices are independent.
      const std::uint32_t die = shapes[i].channels * shapes[i].ways - 1;
      benches[i].submit(operation, die, 1, 0);
    }
    run_until(now + 10 * kMillisecond);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      // One transfer per byte, rounded up to the tick.
      const std::uint64_t rate = shapes[i].mega_transfers;
      const Picoseconds data = (std::uint64_t{shapes[i].page_size} * 1'000'000 + rate - 1) / rate;
      Picoseconds expected = 3'000'125'000;
      if (operation == Read) expected = 50'175'000 + data;
      if (operation == Program) expected = 600'175'000 + data;
      EXPECT_EQ(benches[i].completed.back()->at.complete - now, expected) << shapes[i].name();
    }
    now += 10 * kMillisecond;
  }
}

}  // namespace
}  // namespace flashloom::flash_throughput_test
