#include "sc_main/program/sample/service_times.hpp"

#include <gtest/gtest.h>

#include "policies/memory_archive.hpp"

namespace flashloom::service_times_test {
namespace {

constexpr std::uint64_t kKiB = 1024;

TEST(ServiceTimes, MeansByOperationLengthAndLoad) {
  ServiceTimes times;
  EXPECT_EQ(times.mean(IoOperation::Read, 4 * kKiB, 4 * kKiB), 0);
  times.add(IoOperation::Read, 4 * kKiB, 4 * kKiB, 100);
  times.add(IoOperation::Read, 7 * kKiB, 5 * kKiB, 200);  // in the same octaves
  times.add(IoOperation::Read, 4 * kKiB, 64 * kKiB, 900);
  times.add(IoOperation::Write, 4 * kKiB, 4 * kKiB, 40);
  EXPECT_EQ(times.mean(IoOperation::Read, 4 * kKiB, 4 * kKiB), 150);
  EXPECT_EQ(times.mean(IoOperation::Read, 4 * kKiB, 100 * kKiB), 900);
  EXPECT_EQ(times.mean(IoOperation::Write, 4 * kKiB, 4 * kKiB), 40);
  EXPECT_EQ(times.mean(IoOperation::Flush, 0, 0), 0);
}

TEST(ServiceTimes, WhatWasNotSeenIsAsTheNearest) {
  ServiceTimes times;
  times.add(IoOperation::Read, 4 * kKiB, 4 * kKiB, 100);
  times.add(IoOperation::Read, 4 * kKiB, 256 * kKiB, 900);
  EXPECT_EQ(times.mean(IoOperation::Read, 4 * kKiB, 8 * kKiB), 100);
  EXPECT_EQ(times.mean(IoOperation::Read, 4 * kKiB, 128 * kKiB), 900);
  // Another length goes by its load, even one that is far longer than all that were seen.
  EXPECT_EQ(times.mean(IoOperation::Read, 512, 256 * kKiB), 900);
  EXPECT_EQ(times.mean(IoOperation::Read, std::uint64_t{1} << 40, 4 * kKiB), 100);
}

TEST(ServiceTimes, NewerOnesCountMore) {
  ServiceTimes times;
  ServiceTimes window;
  window.add(IoOperation::Write, 4 * kKiB, 4 * kKiB, 100);
  times.learn(window);
  ServiceTimes newer;
  newer.add(IoOperation::Write, 4 * kKiB, 4 * kKiB, 190);
  times.learn(newer);
  EXPECT_EQ(times.mean(IoOperation::Write, 4 * kKiB, 4 * kKiB), 150);  // (0.8 x 100 + 190) / 1.8
}

TEST(ServiceTimes, ManyOldOnesDoNotOutweighNewerOnes) {
  ServiceTimes begin;
  for (int i = 0; i < 10'000; ++i) begin.add(IoOperation::Write, 4 * kKiB, 4 * kKiB, 1000);
  ServiceTimes window;
  for (int i = 0; i < 200; ++i) window.add(IoOperation::Write, 4 * kKiB, 4 * kKiB, 2800);
  ServiceTimes times;
  times.learn(begin);
  times.learn(window);
  EXPECT_EQ(times.mean(IoOperation::Write, 4 * kKiB, 4 * kKiB), 2000);  // (0.8 x 200 x 1000 + 200 x 2800) / 360
}

TEST(ServiceTimes, ArchivedAsTheyWereAdded) {
  ServiceTimes times;
  times.add(IoOperation::Read, 4 * kKiB, 4 * kKiB, 100);
  times.add(IoOperation::Write, 512 * kKiB, kKiB * kKiB, 7'000'000'000'001);
  MemoryWriter writer;
  times.state(writer);
  ServiceTimes loaded;
  MemoryReader reader(writer.bytes);
  loaded.state(reader);
  EXPECT_EQ(loaded.mean(IoOperation::Read, 4 * kKiB, 4 * kKiB), 100);
  EXPECT_EQ(loaded.mean(IoOperation::Write, 512 * kKiB, kKiB * kKiB), 7'000'000'000'001);
  EXPECT_EQ(loaded.mean(IoOperation::Trim, 0, 0), 0);
}

}  // namespace
}  // namespace flashloom::service_times_test
