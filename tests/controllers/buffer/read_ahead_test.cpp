// The ranges that the read-ahead asks for, worked by hand.
#include "controllers/buffer/read_ahead.hpp"

#include <gtest/gtest.h>

namespace flashloom::read_ahead_test {
namespace {

void expect(ReadAhead::Range range, std::uint64_t first, std::uint64_t count) {
  EXPECT_EQ(range.count, count);
  if (count != 0) {
    EXPECT_EQ(range.first, first);
  }
}

TEST(ReadAhead, DoublesUpToItsMaximum) {
  ReadAhead ahead(8);
  expect(ahead.read(100, 1), 0, 0);    // one read is no stream yet
  expect(ahead.read(101, 1), 102, 2);  // window 2: reads ahead up to 104
  expect(ahead.read(102, 1), 104, 3);  // 1 unit is left, half the window or less: window 4, up to 107
  expect(ahead.read(103, 1), 0, 0);    // 3 units are left, more than half of 4
  expect(ahead.read(104, 1), 107, 6);  // 2 units are left: window 8, up to 113
  expect(ahead.read(105, 1), 0, 0);    // 7 units are left
  expect(ahead.read(106, 3), 113, 4);  // 4 units are left; the window stays 8: up to 117
}

TEST(ReadAhead, FollowsStreamsApart) {
  ReadAhead ahead(4);
  for (std::uint64_t stream = 0; stream < ReadAhead::kStreams; ++stream) expect(ahead.read(1000 * stream, 1), 0, 0);
  for (std::uint64_t stream = 0; stream < ReadAhead::kStreams; ++stream)
    expect(ahead.read(1000 * stream + 1, 1), 1000 * stream + 2, 2);
  expect(ahead.read(500'000, 1), 0, 0);  // evicts the stream that continued longest ago
  expect(ahead.read(2, 1), 0, 0);        // and that stream starts anew
}

TEST(ReadAhead, RandomReadsAskForNothing) {
  ReadAhead ahead(64);
  for (std::uint64_t i = 0; i < 1000; ++i) expect(ahead.read(i * 7919 % 100'003, 1), 0, 0);
}

}  // namespace
}  // namespace flashloom::read_ahead_test
