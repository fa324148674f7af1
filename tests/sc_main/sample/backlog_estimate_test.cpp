#include "sc_main/sample/backlog_estimate.hpp"

#include <gtest/gtest.h>

namespace flashloom::backlog_estimate_test {
namespace {

// By hand: 3 s of work at 0; 1 s later 2 are left, and 2 more come; at 3 of these four 2 are left; the last request's 1 s
// makes 3, of which nothing is left at 10: for 4 s.
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
