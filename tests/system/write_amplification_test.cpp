// Write amplification of greedy garbage collection against the analytic model and an independent Monte Carlo of greedy.
//
// Model (uniform random writes): with a share v of valid units in the victims, WAF = 1/(1 - v) and u = (1 - v)/(-ln v),
// where u is the share of live data in the flash that holds data: live/(raw - free reserve). It is exact for FIFO;
// greedy lies slightly lower.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "workloads/random.hpp"

namespace flashloom::write_amplification_test {
namespace {

constexpr std::uint32_t kBlocks = 1024;  // per die
constexpr std::uint32_t kPages = 128;
constexpr std::uint32_t kDies = 2;

/// WAF of the model, by bisection for v.
double model(double u) {
  double low = 1e-9;
  double high = 1 - 1e-9;
  for (int i = 0; i < 200; ++i) {
    const double v = (low + high) / 2;
    ((1 - v) / -std::log(v) < u ? low : high) = v;
  }
  return 1 / (1 - low);
}

/// Greedy on one die, with arrays only: `live` units in kBlocks blocks of kPages, `reserve` blocks kept free, host data
/// and copies in separate blocks.
class GreedyMonteCarlo {
 public:
  GreedyMonteCarlo(std::uint32_t live, std::uint32_t reserve)
      : reserve_(reserve),
        place_(live, kNowhere),
        owner_(kBlocks * kPages, kNowhere),
        valid_(kBlocks),
        closed_(kBlocks) {
    for (std::uint32_t block = kBlocks; block-- > 0;) free_.push_back(block);
  }
  void write(std::uint32_t unit) {
    put(host_, unit);
    ++written_;
  }
  void start_counting() { written_ = copied_ = 0; }
  double waf() const { return 1 + static_cast<double>(copied_) / static_cast<double>(written_); }

 private:
  static constexpr std::uint32_t kNowhere = ~0U;
  struct Stream {
    std::uint32_t block = kNowhere;
    std::uint32_t next = kPages;
  };
  void put(Stream& stream, std::uint32_t unit) {
    if (stream.next == kPages) {
      if (stream.block != kNowhere) closed_[stream.block] = 1;
      if (&stream == &host_)
        while (free_.size() <= reserve_) collect();
      stream.block = free_.back();
      free_.pop_back();
      stream.next = 0;
    }
    if (place_[unit] != kNowhere) {
      --valid_[place_[unit] / kPages];
      owner_[place_[unit]] = kNowhere;
    }
    place_[unit] = stream.block * kPages + stream.next++;
    owner_[place_[unit]] = unit;
    ++valid_[stream.block];
  }
  void collect() {
    std::uint32_t victim = kNowhere;
    for (std::uint32_t block = 0; block < kBlocks; ++block)
      if (closed_[block] != 0 && (victim == kNowhere || valid_[block] < valid_[victim])) victim = block;
    closed_[victim] = 0;
    for (std::uint32_t i = victim * kPages; i < (victim + 1) * kPages; ++i)
      if (owner_[i] != kNowhere) {
        ++copied_;
        put(copies_, owner_[i]);
      }
    free_.push_back(victim);
  }

  std::uint32_t reserve_;
  std::vector<std::uint32_t> place_, owner_, valid_;
  std::vector<char> closed_;
  std::vector<std::uint32_t> free_;
  Stream host_, copies_;
  std::uint64_t written_ = 0, copied_ = 0;
};

DeviceConfig device(double over_provisioning) {
  DeviceConfig config;
  config.nand.channels = kDies;
  config.nand.ways = 1;
  config.nand.blocks = kBlocks;
  config.nand.pages = kPages;
  config.ftl.over_provisioning = over_provisioning;
  config.buffer.mode = "write_through";  // no buffer hits: every write counts in the model
  config.buffer.size = 1 << 20;
  return config;
}

class GreedyWaf : public testing::TestWithParam<double> {};

TEST_P(GreedyWaf, MeetsTheModelOrAnIndependentMonteCarlo) {
  InstantDevice drive(device(GetParam()));
  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * 4096, 4096);
  Random random(1);
  const auto overwrite = [&](std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) drive.write(random.below(units) * 4096, 4096);
  };
  overwrite(5 * units);
  const FtlStatistics before = drive.firmware->ftl().statistics();
  overwrite(3 * units);
  const FtlStatistics after = drive.firmware->ftl().statistics();
  const double written = static_cast<double>(after.units_written - before.units_written);
  const double waf = 1 + static_cast<double>(after.units_moved - before.units_moved) / written;

  const auto live = static_cast<std::uint32_t>(units / kDies);
  // Free on average: gc_low to gc_high blocks of a die, and half of each of the two open blocks.
  const double reserve = (drive.config.ftl.gc_low + drive.config.ftl.gc_high) / 2.0 + 1.0;
  const double u = live / ((kBlocks - reserve) * kPages);
  GreedyMonteCarlo monte_carlo(live, drive.config.ftl.gc_low);
  Random other(2);
  for (std::uint32_t unit = 0; unit < live; ++unit) monte_carlo.write(unit);
  for (std::uint64_t i = 0; i < std::uint64_t{5} * live; ++i)
    monte_carlo.write(static_cast<std::uint32_t>(other.below(live)));
  monte_carlo.start_counting();
  for (std::uint64_t i = 0; i < std::uint64_t{3} * live; ++i)
    monte_carlo.write(static_cast<std::uint32_t>(other.below(live)));

  std::printf("over-provisioning %2.0f %%, u = %.4f: WAF %.3f, model %.3f (%+.1f %%), Monte Carlo %.3f (%+.1f %%)\n",
              100 * GetParam(), u, waf, model(u), 100 * (waf / model(u) - 1), monte_carlo.waf(),
              100 * (waf / monte_carlo.waf() - 1));
  const double deviation = std::min(std::abs(waf / model(u) - 1), std::abs(waf / monte_carlo.waf() - 1));
  EXPECT_LT(deviation, 0.03);
  drive.firmware->ftl().check();
}

INSTANTIATE_TEST_SUITE_P(OverProvisioning, GreedyWaf, testing::Values(0.07, 0.15, 0.28),
                         [](const auto& test) { return std::to_string(static_cast<int>(test.param * 100 + 0.5)); });

struct Layout {
  std::uint32_t channels, page, unit, planes, pages_per_program;
  bool multi_plane;
};

class SequentialWaf : public testing::TestWithParam<Layout> {};

// A full drive overwritten in order: blocks become fully invalid one after the other, so nothing is copied.
TEST_P(SequentialWaf, IsOne) {
  const Layout& layout = GetParam();
  DeviceConfig config;
  config.nand.channels = layout.channels;
  config.nand.ways = 2;
  config.nand.planes = layout.planes;
  config.nand.multi_plane_program = layout.multi_plane;
  config.nand.pages_per_program = layout.pages_per_program;
  config.nand.page_size = layout.page;
  config.ftl.mapping_unit = layout.unit;
  config.nand.blocks = 64;
  config.nand.pages = 48;
  config.ftl.over_provisioning = 0.28;
  config.buffer.size = 4 << 20;
  InstantDevice drive(config);
  const std::uint64_t capacity = drive.firmware->capacity_bytes();
  constexpr std::uint64_t kLength = 64 << 10;
  for (int pass = 0; pass < 5; ++pass)
    for (std::uint64_t at = 0; at < capacity; at += kLength) drive.write(at, std::min(kLength, capacity - at));
  const FtlStatistics& statistics = drive.firmware->ftl().statistics();
  EXPECT_EQ(statistics.units_moved, 0U);
  EXPECT_EQ(statistics.units_padded, 0U);
  EXPECT_GT(statistics.gc_runs, 0U);
  const FlashCount programs = drive.flash.counters().total(FlashOperation::Program);
  EXPECT_LE(programs.pages * layout.page, 5 * capacity);
  EXPECT_EQ(drive.flash.counters().at(FlashOperation::Program, Origin::Gc).pages, 0U);
}

INSTANTIATE_TEST_SUITE_P(Layouts, SequentialWaf,
                         testing::Values(Layout{2, 4096, 4096, 1, 1, false}, Layout{1, 16384, 4096, 1, 1, false},
                                         Layout{2, 16384, 16384, 2, 1, true}, Layout{2, 16384, 4096, 4, 3, true},
                                         Layout{4, 512, 512, 1, 1, false}, Layout{2, 8192, 4096, 2, 1, false}));

}  // namespace
}  // namespace flashloom::write_amplification_test
