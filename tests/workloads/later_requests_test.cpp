#include "workloads/later_requests.hpp"

#include <gtest/gtest.h>

#include "tests/support/request_sources.hpp"
#include "tests/workloads/input_files.hpp"
#include "workloads/first_requests.hpp"

namespace flashloom::later_requests_test {
namespace {

std::unique_ptr<RequestSource> ten() {
  std::vector<Request> requests(10);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].offset = 512 * i;
    requests[i].length = 512;
    requests[i].arrival_ps = 100 + 7 * i;
  }
  return std::make_unique<ListSource>(requests);
}

TEST(LaterRequests, TimesCountFromTheFirstThatIsLeft) {
  const auto source = later_requests(ten(), 7);
  EXPECT_EQ(source->expected_requests(), 3U);
  const auto left = all_requests(*source);
  ASSERT_EQ(left.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(left[i].offset, 512 * (7 + i));
    EXPECT_EQ(left[i].arrival_ps, 7 * i);
  }
}

TEST(LaterRequests, NoneLeftOutIsTheSourceItself) {
  const auto source = later_requests(ten(), 0);
  EXPECT_EQ(all_requests(*source).front().arrival_ps, 100U);
}

// Days of three requests each, and the rest: together they are the whole trace.
TEST(LaterRequests, CutATraceIntoDays) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t day = 0; day < 4; ++day) {
    const auto source = first_requests(later_requests(ten(), 3 * day), 3);
    for (const Request& request : all_requests(*source)) offsets.push_back(request.offset / 512);
  }
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(LaterRequests, ADayBeyondTheEndIsAnError) {
  const auto source = later_requests(ten(), 10);
  EXPECT_EQ(source->expected_requests(), 0U);
  Request request;
  EXPECT_THROW(source->next(request), WorkloadError);
}

TEST(LaterRequests, DroppedAreAsManyAsThereAre) {
  const auto source = ten();
  EXPECT_EQ(drop_requests(*source, 4), 4U);
  Request request;
  ASSERT_TRUE(source->next(request));
  EXPECT_EQ(request.offset, 512 * 4U);
  EXPECT_EQ(drop_requests(*source, 0), 0U);
  EXPECT_EQ(drop_requests(*source, 10), 5U);
}

}  // namespace
}  // namespace flashloom::later_requests_test
