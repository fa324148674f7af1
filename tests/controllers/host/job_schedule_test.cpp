#include "controllers/host/job_schedule.hpp"

#include <gtest/gtest.h>

namespace flashloom::job_schedule_test {
namespace {

std::vector<std::uint32_t> startable(JobSchedule& schedule, Picoseconds now) {
  std::vector<std::uint32_t> numbers;
  while (const auto number = schedule.next(now)) numbers.push_back(*number);
  return numbers;
}

using Numbers = std::vector<std::uint32_t>;

TEST(JobSchedule, AStonewallWaitsForWhatRunsNotForWhatIsDelayed) {
  JobSchedule schedule;
  schedule.add("a", 0, {});
  schedule.add("delayed", 100, {});
  schedule.add("wall", 0, {.stonewall = true});
  schedule.add("after", 0, {});
  EXPECT_EQ(startable(schedule, 0), (Numbers{0}));
  EXPECT_EQ(startable(schedule, 50), (Numbers{}));
  schedule.ended(0, 60);
  EXPECT_EQ(startable(schedule, 60), (Numbers{2, 3}));
  EXPECT_EQ(startable(schedule, 100), (Numbers{1}));
}

TEST(JobSchedule, WaitsForAllOfAName) {
  JobSchedule schedule;
  schedule.add("a", 0, {});
  schedule.add("a", 0, {});
  schedule.add("b", 0, {.wait_for = "a"});
  schedule.add("c", 0, {});
  EXPECT_EQ(startable(schedule, 0), (Numbers{0, 1, 3}));
  schedule.ended(0, 0);
  EXPECT_EQ(startable(schedule, 0), (Numbers{}));
  schedule.ended(1, 0);
  EXPECT_EQ(startable(schedule, 0), (Numbers{2}));
}

TEST(JobSchedule, AnEndEndsItsGroupWhatRunsOrAll) {
  for (const auto& [ends, stopped] : {std::pair{JobRules::Ends::Nothing, Numbers{}},
                                      {JobRules::Ends::Group, Numbers{1}},
                                      {JobRules::Ends::Running, Numbers{1, 2}},
                                      {JobRules::Ends::All, Numbers{1, 2, 3}}}) {
    JobSchedule schedule;
    schedule.add("ends", 0, {.ends = ends});
    schedule.add("same group", 0, {});
    schedule.add("other group", 0, {.group = 1});
    schedule.add("waits", 0, {.stonewall = true, .group = 2});
    EXPECT_EQ(startable(schedule, 0), (Numbers{0, 1, 2}));
    EXPECT_EQ(schedule.ended(0, 0), stopped);
    if (ends == JobRules::Ends::All) {
      EXPECT_FALSE(schedule.next(0));
    }
  }
}

TEST(JobSchedule, APauseAfterAllThatIsReportedUnderAName) {
  JobSchedule schedule;
  schedule.add("read", 0, {}, "monday");
  schedule.add("write", 0, {}, "monday");
  schedule.add("tuesday", 0, {.after = "monday", .pause = 10});
  schedule.add("wednesday", 0, {.after = "tuesday"});
  schedule.add("alone", 0, {.after = "nobody", .pause = 5});
  EXPECT_EQ(schedule.next_pause_over(0), 5U);
  EXPECT_EQ(startable(schedule, 0), (Numbers{0, 1}));
  EXPECT_EQ(startable(schedule, 5), (Numbers{4}));
  schedule.ended(1, 20);
  EXPECT_EQ(schedule.next_pause_over(20), kNever);
  schedule.ended(0, 30);
  EXPECT_EQ(startable(schedule, 39), (Numbers{}));
  EXPECT_EQ(schedule.next_pause_over(39), 40U);
  EXPECT_EQ(startable(schedule, 40), (Numbers{2}));
  schedule.ended(2, 50);
  EXPECT_EQ(startable(schedule, 50), (Numbers{3}));
}

}  // namespace
}  // namespace flashloom::job_schedule_test
