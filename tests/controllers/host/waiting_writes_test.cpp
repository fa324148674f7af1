#include "controllers/host/waiting_writes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace flashloom::waiting_writes_test {
namespace {

class Given final : public RequestSource {
 public:
  explicit Given(std::vector<Request> requests) : requests_(std::move(requests)) {}
  bool next(Request& request) override {
    if (at_ == requests_.size()) return false;
    request = requests_[at_++];
    return true;
  }

 private:
  std::vector<Request> requests_;
  std::size_t at_ = 0;
};

Request write(std::uint64_t offset, std::uint64_t length = 1) {
  return {.offset = offset, .length = length, .kind = RequestKind::Write};
}
Request read(std::uint64_t offset) { return {.offset = offset, .length = 1, .kind = RequestKind::Read}; }

/// A unit is one byte.
class WaitingWritesTest : public testing::Test {
 protected:
  std::vector<std::uint64_t> take(std::vector<Request> requests, std::size_t wait) {
    Given source(std::move(requests));
    WaitingWrites writes(source, [this](std::uint64_t offset, std::uint64_t length) {
      std::uint64_t dirty = 0;
      while (dirty < length && dirty_.contains(offset + dirty)) ++dirty;
      return dirty;
    });
    writes.wait_for(wait);
    std::vector<std::uint64_t> offsets;
    for (Request request; writes.next(request);) note(request, offsets);
    offsets.push_back(kEnd);
    writes.drain();
    for (Request request; writes.next(request);) note(request, offsets);
    return offsets;
  }
  void note(const Request& request, std::vector<std::uint64_t>& offsets) {
    for (std::uint64_t at = 0; at < request.length; ++at) offsets.push_back(request.offset + at);
    if (request.kind == RequestKind::Flush) offsets.push_back(kFlush);
  }

  static constexpr std::uint64_t kEnd = 1'000'000;  // of the source
  static constexpr std::uint64_t kFlush = 2'000'000;
  std::set<std::uint64_t> dirty_;
};

TEST_F(WaitingWritesTest, NoneWaitsAtFirst) {
  EXPECT_EQ(take({write(1), read(2), write(3)}, 0), (std::vector<std::uint64_t>{1, 2, 3, kEnd}));
}

// Two writes wait: each further write lets the older of them go.
TEST_F(WaitingWritesTest, SoManyWaitInTheirOrder) {
  EXPECT_EQ(take({write(1), write(2), write(3), write(4)}, 2), (std::vector<std::uint64_t>{1, 2, kEnd, 3, 4}));
}

TEST_F(WaitingWritesTest, WhatOverwritesAndWhatReadsDoesNotWait) {
  dirty_ = {7};
  EXPECT_EQ(take({write(1), read(2), write(7), write(3)}, 5), (std::vector<std::uint64_t>{2, 7, kEnd, 1, 3}));
}

// Units 4 and 5 are dirty: they are overwritten at once, and the rest waits; unit 7 is dirty, too, but lies behind unit
// 6.
TEST_F(WaitingWritesTest, ABeginThatOverwritesGoesAhead) {
  dirty_ = {4, 5, 7};
  EXPECT_EQ(take({write(1), write(4, 4)}, 5), (std::vector<std::uint64_t>{4, 5, kEnd, 1, 6, 7}));
}

TEST_F(WaitingWritesTest, AFlushComesBehindAllThatWaits) {
  const Request flush{.kind = RequestKind::Flush};
  EXPECT_EQ(take({write(1), write(2), flush, write(3), flush}, 4),
            (std::vector<std::uint64_t>{1, 2, kFlush, 3, kFlush, kEnd}));
}

// Law: every byte that came goes out exactly once.
TEST_F(WaitingWritesTest, NothingIsLostNorDoubled) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) dirty_.insert(random() % 1000);
  std::vector<Request> requests;
  std::multiset<std::uint64_t> all{kEnd};
  for (int i = 0; i < 2000; ++i) {
    const Request request = random() % 3 == 0 ? read(random() % 1000) : write(random() % 1000, 1 + random() % 8);
    for (std::uint64_t at = 0; at < request.length; ++at) all.insert(request.offset + at);
    requests.push_back(request);
  }
  const std::vector<std::uint64_t> taken = take(requests, 31);
  EXPECT_EQ(std::multiset<std::uint64_t>(taken.begin(), taken.end()), all);
}

}  // namespace
}  // namespace flashloom::waiting_writes_test
