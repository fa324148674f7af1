#include "workloads/composite/concat_source.hpp"

#include <gtest/gtest.h>

#include "tests/support/request_sources.hpp"
#include "tests/workloads/input_files.hpp"

namespace flashloom::concat_source_test {
namespace {

Request at(std::uint64_t arrival_ps, std::uint64_t offset = 0) {
  Request request;
  request.offset = offset;
  request.length = 4096;
  request.arrival_ps = arrival_ps;
  return request;
}

SourceOpener part(const std::vector<std::uint64_t>& arrivals, bool timed = true, int* opened = nullptr) {
  return [=] {
    if (opened != nullptr) ++*opened;
    std::vector<Request> requests;
    for (const std::uint64_t arrival : arrivals) requests.push_back(at(arrival, arrival * 512));
    return std::make_unique<ListSource>(requests, timed);
  };
}

std::vector<std::uint64_t> arrivals(RequestSource& source) {
  std::vector<std::uint64_t> times;
  for (const Request& request : all_requests(source)) times.push_back(request.arrival_ps);
  return times;
}

TEST(ConcatSource, TimeGoesOnAfterTheGap) {
  ConcatSource source({part({0, 5, 7}), part({0, 1}), part({0, 0, 9})}, 100);
  EXPECT_EQ(arrivals(source), (std::vector<std::uint64_t>{0, 5, 7, 107, 108, 208, 208, 217}));
  ConcatSource adjacent({part({0, 5}), part({0, 1})}, 0);
  EXPECT_EQ(arrivals(adjacent), (std::vector<std::uint64_t>{0, 5, 5, 6}));
}

TEST(ConcatSource, RequestsStayWhatTheyAre) {
  ConcatSource source({part({0, 5}), part({0, 3})}, 1000);
  std::vector<std::uint64_t> offsets;
  for (const Request& request : all_requests(source)) offsets.push_back(request.offset);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 5 * 512, 0, 3 * 512}));
}

TEST(ConcatSource, OpensEveryPartAtOnceAndReadsOneAtATime) {
  int first = 0;
  int second = 0;
  ConcatSource source({part({0}, true, &first), part({0, 1}, true, &second)}, 0);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  Request request;
  ASSERT_TRUE(source.next(request));
  EXPECT_EQ(second, 1);
  ASSERT_TRUE(source.next(request));
  EXPECT_EQ(second, 2);
}

TEST(ConcatSource, AnUntimedPartMakesAllUntimed) {
  ConcatSource source({part({0, 7}), part({0, 0}, false)}, 100);
  EXPECT_FALSE(source.timed());
  EXPECT_EQ(arrivals(source), (std::vector<std::uint64_t>{0, 0, 0, 0}));
}

TEST(ConcatSource, LongerThanTimeIsAnError) {
  const std::uint64_t far = ~std::uint64_t{0} - 10;
  ConcatSource gap({part({0, far}), part({0})}, 100);
  EXPECT_NE(std::string(error_of([&] { all_requests(gap); }).what()).find("213 days"), std::string::npos);
  ConcatSource parts({part({0, far}), part({0, 100})}, 0);
  EXPECT_NE(std::string(error_of([&] { all_requests(parts); }).what()).find("213 days"), std::string::npos);
}

TEST(ConcatSource, EmptyPartsAndNoParts) {
  ConcatSource source({part({}), part({0, 2}), part({}), part({0})}, 10);
  EXPECT_EQ(arrivals(source), (std::vector<std::uint64_t>{0, 2, 12}));
  EXPECT_THROW(ConcatSource({}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace flashloom::concat_source_test
