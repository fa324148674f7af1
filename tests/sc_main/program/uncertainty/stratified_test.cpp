#include "sc_main/program/uncertainty/stratified.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace flashloom::stratified_test {
namespace {

TEST(Stratified, HasOneInEachPart) {
  std::vector<double> shares = stratified("nand.read_current", 7, 1000);
  EXPECT_FALSE(std::is_sorted(shares.begin(), shares.end()));
  std::sort(shares.begin(), shares.end());
  for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_EQ(std::floor(shares[i] * 1000), static_cast<double>(i));
}

TEST(Stratified, DependsOnNameSeedAndNumber) {
  EXPECT_EQ(stratified("a", 1, 50), stratified("a", 1, 50));
  EXPECT_NE(stratified("a", 1, 50), stratified("b", 1, 50));
  EXPECT_NE(stratified("a", 1, 50), stratified("a", 2, 50));
}

// Columns of different names are independent: the correlation of 1,000 pairs has a standard deviation of 0.032.
TEST(Stratified, ColumnsAreNotCorrelated) {
  const std::vector<std::string> names = {"nand.read_current", "nand.program_current", "dram.read_energy",
                                          "link.idle_power", "cpu.active_power"};
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const auto x = stratified(names[a], 1, 1000), y = stratified(names[b], 1, 1000);
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - 0.5) * (y[i] - 0.5);
      EXPECT_LT(std::abs(sum / 1000 * 12), 0.13) << names[a] << ", " << names[b];
    }
}

}  // namespace
}  // namespace flashloom::stratified_test
