#include "sc_main/program/sample/backlog_estimate.hpp"

#include <gtest/gtest.h>

namespace flashloom::backlog_estimate_test {
namespace {

// By hand: 3 s of work at 0; at 1 s 2 s are left, and 2 s more come; at 3 s 2 of these 4 s are left; the last request's
// 1 s makes 3 s, which are done at 6 s, so that the backlog is idle for 4 s until 10 s.
TEST(BacklogEstimate, ByHand) {
  BacklogEstimate backlog;
  backlog.arrive(0, 3);
  EXPECT_EQ(backlog.behind(), 0);
  backlog.arrive(1, 2);
  EXPECT_EQ(backlog.behind(), 2);
  EXPECT_EQ(backlog.rest(), 0);
  backlog.arrive(3, 1);
  EXPECT_EQ(backlog.behind(), 2);
  backlog.arrive(10, 5);
  EXPECT_EQ(backlog.behind(), 0);
  EXPECT_EQ(backlog.rest(), 4);
  backlog.arrive(10, 0);
  EXPECT_EQ(backlog.behind(), 5);
}

}  // namespace
}  // namespace flashloom::backlog_estimate_test
