#include "workloads/look_ahead.hpp"

#include <gtest/gtest.h>

namespace flashloom::look_ahead_test {
namespace {

// Trims of two ranges each; the ranges belong to the source and change with its next request.
class Trims final : public RequestSource {
 public:
  explicit Trims(std::uint64_t requests) : left_(requests) {}
  bool next(Request& request) override {
    if (left_ == 0) return false;
    ++read;
    const std::uint64_t at = left_-- * 100;
    ranges_[0] = {at, 10};
    ranges_[1] = {at + 50, 20};
    request = {.offset = at, .length = 30, .kind = RequestKind::Trim, .range_count = 2, .ranges = ranges_};
    return true;
  }
  int read = 0;

 private:
  std::uint64_t left_;
  RequestRange ranges_[2];
};

std::vector<std::uint64_t> drain(RequestSource& source) {
  std::vector<std::uint64_t> seen;
  Request request;
  while (source.next(request)) {
    seen.push_back(request.offset);
    EXPECT_EQ(request.ranges[0].offset, request.offset);
    EXPECT_EQ(request.ranges[1].offset, request.offset + 50);
  }
  return seen;
}

TEST(LookAhead, GivesTheSameRequestsHoweverFarItHasRead) {
  for (const std::uint64_t ahead : {0, 1, 3, 5, 9}) {
    LookAhead source(std::make_unique<Trims>(5));
    EXPECT_EQ(source.fill(ahead), std::min<std::uint64_t>(ahead, 5));
    EXPECT_EQ(drain(source), (std::vector<std::uint64_t>{500, 400, 300, 200, 100})) << ahead;
  }
}

// Reads without end, all of which are passed over.
class Reads final : public RequestSource {
 public:
  bool next(Request& request) override {
    request = {.offset = at_++, .length = 1};
    return true;
  }
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override {
    at_ += most;
    bytes += most;
    return most;
  }

 private:
  std::uint64_t at_ = 0;
};

TEST(LookAhead, PassesOverNothingThatItHasRead) {
  LookAhead source(std::make_unique<Reads>());
  source.fill(1);
  std::uint64_t bytes = 0;
  EXPECT_EQ(source.pass_reads(10, bytes), 0);
  Request request;
  ASSERT_TRUE(source.next(request));
  EXPECT_EQ(source.pass_reads(10, bytes), 10);
  EXPECT_EQ(bytes, 10);
  ASSERT_TRUE(source.next(request));
  EXPECT_EQ(request.offset, 11);
  source.cut();
  EXPECT_EQ(source.pass_reads(10, bytes), 0);
}

TEST(LookAhead, ReadsNoMoreThanIsAskedFor) {
  auto trims = std::make_unique<Trims>(9);
  Trims& inner = *trims;
  LookAhead source(std::move(trims));
  source.fill(4);
  source.fill(2);
  EXPECT_EQ(inner.read, 4);
  Request request;
  ASSERT_TRUE(source.next(request));
  EXPECT_EQ(inner.read, 4);
  EXPECT_EQ(source.fill(4), 4);
  EXPECT_EQ(inner.read, 5);
  std::uint64_t waiting = 0;
  source.for_each_waiting([&](const Request& each) { waiting += each.offset; });
  EXPECT_EQ(waiting, 800 + 700 + 600 + 500);
}

TEST(LookAhead, CutOffItEndsWithWhatItHasRead) {
  LookAhead source(std::make_unique<Trims>(5));
  source.fill(2);
  source.cut();
  EXPECT_EQ(source.fill(4), 2);
  EXPECT_EQ(drain(source), (std::vector<std::uint64_t>{500, 400}));
}

}  // namespace
}  // namespace flashloom::look_ahead_test
