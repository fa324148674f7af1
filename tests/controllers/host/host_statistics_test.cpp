#include "controllers/host/host_statistics.hpp"

#include <gtest/gtest.h>

namespace flashloom::host_statistics_test {
namespace {

HostStatistics stretch(Picoseconds begin, Picoseconds end, std::uint64_t ios, Picoseconds latency) {
  HostStatistics statistics;
  statistics.begin.value = begin;
  statistics.end.value = end;
  statistics.requests = statistics.completions = ios;
  HostStatistics::Operation& read = statistics.operations[0];
  read.ios = ios;
  read.bytes = ios * 4096;
  for (std::uint64_t i = 0; i < ios; ++i) read.latency.add(latency);
  return statistics;
}

TEST(HostStatistics, StretchesOneBehindTheOther) {
  HostStatistics sum;
  sum.append(stretch(1000, 3000, 10, 50), 1);
  sum.append(stretch(500, 1500, 4, 70), 2.5);
  EXPECT_EQ(sum.elapsed(), 2000 + 2500);
  EXPECT_EQ(sum.requests, 20);
  EXPECT_EQ(sum.operations[0].ios, 20);
  EXPECT_EQ(sum.operations[0].bytes, 20 * 4096);
  EXPECT_EQ(sum.operations[0].latency.count(), 20);
  EXPECT_DOUBLE_EQ(sum.operations[0].latency.mean(), 60);
  EXPECT_EQ(sum.operations[1].ios, 0);
}

}  // namespace
}  // namespace flashloom::host_statistics_test
