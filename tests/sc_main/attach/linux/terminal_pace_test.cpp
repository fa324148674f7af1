#include "sc_main/attach/linux/terminal_pace.hpp"

#include <gtest/gtest.h>

namespace flashloom::terminal_pace_test {
namespace {

constexpr Picoseconds kMs = kSecond / 1000;
constexpr std::int64_t kWallMs = 1'000'000;  // ns
constexpr std::int64_t kBegin = 5'000'000'000'000'000;

TEST(TerminalPace, SimulatedTimeLeadsByTenMillisecondsAtMost) {
  TerminalPace pace;
  EXPECT_EQ(pace.horizon(0, kBegin), 10 * kMs);
  EXPECT_EQ(pace.horizon(0, kBegin + 30 * kWallMs), 40 * kMs);  // the machine waits: wall time goes on
  EXPECT_EQ(pace.horizon(40 * kMs, kBegin + 30 * kWallMs), 40 * kMs);
  EXPECT_EQ(pace.horizon(40 * kMs, kBegin + 35 * kWallMs), 45 * kMs);
  EXPECT_EQ(pace.horizon(40 * kMs, kBegin + 90 * kWallMs), 100 * kMs);
}

TEST(TerminalPace, ASlowSimulationDoesNotCatchUp) {
  TerminalPace pace;
  EXPECT_EQ(pace.horizon(0, kBegin), 10 * kMs);
  EXPECT_EQ(pace.horizon(1 * kMs, kBegin + 900 * kWallMs), 11 * kMs);
  EXPECT_EQ(pace.horizon(1 * kMs, kBegin + 905 * kWallMs), 16 * kMs);
}

}  // namespace
}  // namespace flashloom::terminal_pace_test
