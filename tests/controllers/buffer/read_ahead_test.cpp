// The ranges that the read-ahead asks for: worked by hand, and laws for streams whose requests overtake each other.
#include "controllers/buffer/read_ahead.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace flashloom::read_ahead_test {
namespace {

struct Range {
  std::uint64_t first;
  std::uint64_t end;
  bool operator==(const Range&) const = default;
};
constexpr std::optional<Range> kNothing{};

// A cache that takes all that there is to read ahead.
std::optional<Range> read(ReadAhead& ahead, std::uint64_t first, std::uint64_t count) {
  ReadAhead::Stream* const stream = ahead.read(first, count);
  if (stream == nullptr) return kNothing;
  const Range range{stream->ahead, stream->end + stream->window};
  stream->ahead = range.end;
  return range;
}

TEST(ReadAhead, GrowsUpToItsMaximum) {
  ReadAhead ahead(8);
  EXPECT_EQ(read(ahead, 100, 1), kNothing);           // one read is no stream yet
  EXPECT_EQ(read(ahead, 101, 1), (Range{102, 104}));  // window 2
  EXPECT_EQ(read(ahead, 102, 1), (Range{104, 106}));  // 3
  EXPECT_EQ(read(ahead, 103, 3), (Range{106, 112}));  // 6
  EXPECT_EQ(read(ahead, 106, 3), (Range{112, 117}));  // 8, in place of 9
  EXPECT_EQ(read(ahead, 109, 1), (Range{117, 118}));
  EXPECT_EQ(read(ahead, 109, 1), kNothing);  // the same unit once more
}

TEST(ReadAhead, RequestsMayOvertakeEachOther) {
  ReadAhead ahead(8);
  EXPECT_EQ(read(ahead, 11, 1), kNothing);
  EXPECT_EQ(read(ahead, 10, 1), kNothing);         // a stream, but nothing has advanced
  EXPECT_EQ(read(ahead, 13, 1), (Range{12, 16}));  // window 2; the hole is read, too
  EXPECT_EQ(read(ahead, 12, 1), kNothing);         // which fills it
  EXPECT_EQ(read(ahead, 14, 1), (Range{16, 18}));  // window 3
}

// Every third unit: no more than half of any range.
TEST(ReadAhead, WhatLeavesHolesIsNoStream) {
  ReadAhead ahead(64);
  for (std::uint64_t unit = 0; unit < 1000; unit += 3) EXPECT_EQ(read(ahead, unit, 1), kNothing);
}

TEST(ReadAhead, WhatFindsNoRoomIsAskedForAgain) {
  ReadAhead ahead(8);
  ahead.read(0, 1);
  ASSERT_NE(ahead.read(1, 1), nullptr);
  EXPECT_EQ(read(ahead, 1, 1), (Range{2, 4}));
}

TEST(ReadAhead, FollowsStreamsApart) {
  ReadAhead ahead(4);
  for (std::uint64_t stream = 0; stream < ReadAhead::kStreams; ++stream)
    EXPECT_EQ(read(ahead, 1000 * stream, 1), kNothing);
  for (std::uint64_t stream = 0; stream < ReadAhead::kStreams; ++stream)
    EXPECT_EQ(read(ahead, 1000 * stream + 1, 1), (Range{1000 * stream + 2, 1000 * stream + 4}));
  EXPECT_EQ(read(ahead, 500'000, 1), kNothing);  // replaces the stream that continued longest ago
  EXPECT_EQ(read(ahead, 2, 1), kNothing);        // and that stream starts anew
}

TEST(ReadAhead, RandomReadsAskForNothing) {
  ReadAhead ahead(64);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(read(ahead, i * 7919 % 100'003, 1), kNothing);
}

// Whatever the order of the requests in flight, which span `depth` times `count` units: data are read ahead no further
// than the maximum from the furthest unit asked for; in the end all that is so near has been read ahead, and each unit
// once since the stream was found.
RC_GTEST_PROP(ReadAheadProperty, KeepsItsDistanceInWhateverOrder, ()) {
  const std::uint64_t count = *rc::gen::inRange(1, 9);
  const std::uint64_t span = count * *rc::gen::inRange(1, 17);
  const auto maximum = static_cast<std::uint32_t>(*rc::gen::inRange<std::uint64_t>(span, 257));
  std::uint64_t next = *rc::gen::inRange(0, 1000);
  ReadAhead ahead(maximum);
  std::vector<std::uint64_t> in_flight;
  std::uint64_t furthest = 0, read_up_to = 0;
  for (int i = 0; i < 600; ++i) {
    for (; in_flight.empty() || next < in_flight.front() + span; next += count) in_flight.push_back(next);
    const auto which = in_flight.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(in_flight));
    const std::uint64_t first = *which;
    in_flight.erase(which);
    furthest = std::max(furthest, first + count);
    if (const std::optional<Range> range = read(ahead, first, count)) {
      RC_ASSERT(range->end <= furthest + maximum);
      RC_ASSERT(i < 100 || range->first == read_up_to);
      read_up_to = std::max(read_up_to, range->end);
    }
  }
  RC_ASSERT(read_up_to == furthest + maximum);
}

}  // namespace
}  // namespace flashloom::read_ahead_test
