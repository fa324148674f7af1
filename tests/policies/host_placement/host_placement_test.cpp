// The placement identifiers that a host chooses, worked by hand.
#include "policies/host_placement/host_placement.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "policies/registry.hpp"

namespace flashloom::host_placement_test {
namespace {

constexpr std::uint64_t kPage = 4096;

class Host {
 public:
  Host(const std::string& name, ParameterValues values, std::uint32_t identifiers, std::uint64_t pages = 100)
      : policy_(Family<HostPlacementPolicy>::make(
            {name, std::move(values)}, {.identifiers = identifiers, .capacity = pages * kPage, .page_bytes = kPage})) {}

  std::optional<std::uint32_t> write(std::uint64_t page, std::uint64_t pages = 1, std::uint32_t job = 0,
                                     std::uint32_t writer = 0) {
    return policy_->choose(
        {.offset = page * kPage, .length = pages * kPage, .number = ++writes_, .job = job, .writer = writer});
  }
  void trim(std::uint64_t page, std::uint64_t pages = 1) {
    policy_->discarded({.offset = page * kPage, .length = pages * kPage});
  }
  bool active() const { return policy_->active(); }

 private:
  std::unique_ptr<HostPlacementPolicy> policy_;
  std::uint64_t writes_ = 0;
};

TEST(NoHostPlacement, ChoosesNothing) {
  Host host("none", {}, 4);
  EXPECT_FALSE(host.active());
  EXPECT_FALSE(host.write(0).has_value());
}

TEST(HostPlacementByJob, IsTheJobsNumber) {
  Host host("job", {}, 3);
  EXPECT_EQ(host.write(0, 1, 0), 0U);
  EXPECT_EQ(host.write(0, 1, 2), 2U);
  EXPECT_EQ(host.write(0, 1, 4), 1U);
}

TEST(HostPlacementByWriter, TakesFilesAndProcessesInTurn) {
  Host host("writer", {}, 3);
  EXPECT_FALSE(host.write(0, 1, 2, 0).has_value()) << "nobody knows who writes";
  EXPECT_EQ(host.write(0, 1, 2, 1), 0U);
  EXPECT_EQ(host.write(0, 1, 0, 3), 2U);
  EXPECT_EQ(host.write(0, 1, 0, 4), 0U);
}

ParameterValues classes() { return ParameterValues({{"longest", 0.4}, {"ratio", 4.0}}); }

// 100 pages: class 0 for lifetimes from 40 pages on, class 1 from 10 on, class 2 below.
TEST(HostPlacementByLifetime, IsAClassOfWhatAPageLivedBefore) {
  Host host("lifetime", classes(), 3);
  EXPECT_EQ(host.write(0), 0U);  // the first write: no lifetime is known
  EXPECT_EQ(host.write(0), 2U);  // one page later
  for (std::uint64_t page = 1; page <= 30; ++page) EXPECT_EQ(host.write(page), 0U);
  EXPECT_EQ(host.write(1), 1U);     // 30 pages later
  EXPECT_EQ(host.write(0), 1U);     // lifetimes 1, then 32: 16.5 expected
  EXPECT_EQ(host.write(0), 2U);     // then 1: 8.75 expected
  EXPECT_EQ(host.write(2, 2), 1U);  // 33 and 32 pages later
  for (std::uint64_t page = 40; page < 60; ++page) host.write(page);
  EXPECT_EQ(host.write(4), 0U);  // 52 pages later
}

TEST(HostPlacementByLifetime, ForgetsWhatIsTrimmed) {
  Host host("lifetime", classes(), 3);
  host.write(7);
  host.write(7);
  EXPECT_EQ(host.write(7), 2U);
  host.trim(7);
  EXPECT_EQ(host.write(7), 0U);
  EXPECT_EQ(host.write(7), 2U);
}

// A write of several pages takes the class of the page with the longest lifetime; with a new page it is class 0.
TEST(HostPlacementByLifetime, IsOfTheWholeWrite) {
  Host host("lifetime", classes(), 3);
  for (std::uint64_t page = 0; page < 20; ++page) host.write(page);
  EXPECT_EQ(host.write(0), 1U);      // 20 pages later
  EXPECT_EQ(host.write(0, 2), 1U);   // page 0 after 2 pages (11 expected), page 1 after 21
  EXPECT_EQ(host.write(19, 2), 0U);  // page 20 is new
}

ParameterValues sets(const std::string& detector, std::int64_t window = 64) {
  return ParameterValues({{"detector", detector}, {"threshold", std::int64_t{4}}, {"window", window}});
}

TEST(HostPlacementByCorrelation, GivesEachSetTheNextIdentifier) {
  Host host("correlation", sets("request"), 4);
  EXPECT_EQ(host.write(0), 0U);      // no set
  EXPECT_EQ(host.write(10, 4), 1U);  // one request of four pages
  EXPECT_EQ(host.write(20, 4), 2U);
  EXPECT_EQ(host.write(30, 3), 0U);  // too small
  EXPECT_EQ(host.write(30, 8), 3U);
  EXPECT_EQ(host.write(40, 4), 1U);  // identifiers go round; 0 is for pages in no set
}

// Sets are runs of consecutive pages: a page that joins a run gets the identifier of the run.
TEST(HostPlacementByCorrelation, KeepsASetTogether) {
  Host host("correlation", sets("spatial"), 4);
  EXPECT_EQ(host.write(10, 2), 0U);
  EXPECT_EQ(host.write(12), 0U);
  EXPECT_EQ(host.write(13), 1U);  // the fourth of a run
  EXPECT_EQ(host.write(50, 5), 2U);
  EXPECT_EQ(host.write(14), 1U);
  EXPECT_EQ(host.write(9), 1U);
}

// A page that has left the window, or was trimmed, is in no run any more.
TEST(HostPlacementByCorrelation, ForgetsWhatIsOld) {
  Host host("correlation", sets("spatial", 8), 4);
  EXPECT_EQ(host.write(10, 3), 0U);
  for (std::uint64_t page = 50; page < 66; page += 2) host.write(page);  // fill the window
  EXPECT_EQ(host.write(13), 0U);
  Host other("correlation", sets("spatial"), 4);
  EXPECT_EQ(other.write(10, 3), 0U);
  other.trim(11);
  EXPECT_EQ(other.write(13), 0U);
}

}  // namespace
}  // namespace flashloom::host_placement_test
