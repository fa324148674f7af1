// Paths through networks, by hand and against a search of all paths.
#include "models/channel/path_finder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>

#include "models/nand/network_config.hpp"

namespace flashloom::path_finder_test {
namespace {

using Links = std::vector<std::uint32_t>;

std::unique_ptr<PathFinder> mesh(const char* routing, std::uint32_t rows, std::uint32_t columns,
                                 std::uint32_t detour = 8) {
  NetworkConfig config;
  config.topology = "mesh";
  config.routing = routing;
  config.detour = detour;
  return PathFinder::make(config, rows, columns);
}

NetworkPath find(PathFinder& finder, std::uint32_t row, std::uint32_t column, const Links& taken) {
  std::vector<std::uint8_t> flags(finder.links());
  for (const std::uint32_t link : taken) flags[link] = 1;
  NetworkPath path;
  const bool found = finder.find(row, column, flags, path);
  EXPECT_EQ(found, !path.links.empty());
  return path;
}

// 3 rows, 3 columns. Ports 0 to 2; links along rows 3, 4 | 5, 6 | 7, 8; along columns 9, 10, 11 | 12, 13, 14.
//
//   0 o-3-o-4-o
//     9  10   11
//   1 o-5-o-6-o
//     12 13   14
//   2 o-7-o-8-o
TEST(Mesh, LinksAreNumberedByPortsRowsAndColumns) {
  const auto finder = mesh("minimal", 3, 3);
  EXPECT_EQ(finder->links(), 15U);
  EXPECT_EQ(finder->ports(), 3U);
  EXPECT_EQ(finder->longest(), 5U);
  EXPECT_EQ(find(*finder, 0, 0, {}).links, (Links{0}));
  EXPECT_EQ(find(*finder, 1, 2, {}).links, (Links{1, 5, 6}));
  EXPECT_EQ(find(*finder, 1, 2, {}).steps, 3U);
}

// A chip's own port is tried first, then the one above, then the one below; each path goes along its row, then the
// chip's column.
TEST(Mesh, MinimalRoutingTakesTheNearestPortWhosePathIsFree) {
  const auto finder = mesh("minimal", 3, 3);
  EXPECT_EQ(find(*finder, 1, 2, {1}).links, (Links{0, 3, 4, 11}));
  EXPECT_EQ(find(*finder, 1, 2, {6, 4}).links, (Links{2, 7, 8, 14}));
  EXPECT_EQ(find(*finder, 2, 1, {2, 13}).links, (Links{}));  // both other ports come down column 1
  EXPECT_EQ(find(*finder, 2, 1, {2}).links, (Links{1, 5, 13}));
  EXPECT_TRUE(find(*finder, 2, 1, {2}).minimal);
}

// To (1, 2) with 6 taken: at (1, 1) the scout tries up before down, as neither is nearer; row 0 leads it to (0, 2),
// then down.
TEST(Mesh, AdaptiveRoutingGoesRound) {
  const auto finder = mesh("adaptive", 3, 3);
  const NetworkPath straight = find(*finder, 1, 2, {});
  EXPECT_EQ(straight.links, (Links{1, 5, 6}));
  EXPECT_TRUE(straight.minimal);
  const NetworkPath round = find(*finder, 1, 2, {6});
  EXPECT_EQ(round.links, (Links{1, 5, 10, 4, 11}));
  EXPECT_EQ(round.hops(), 5U);
  EXPECT_EQ(round.steps, 5U);
  EXPECT_FALSE(round.minimal);
}

// With 4 and 9 taken, too, (0, 1) leads only to (0, 0), a dead end: the scout goes back twice, then down and round.
TEST(Mesh, AScoutComesBackFromDeadEnds) {
  const auto finder = mesh("adaptive", 3, 3);
  const NetworkPath path = find(*finder, 1, 2, {6, 4, 9});
  EXPECT_EQ(path.links, (Links{1, 5, 13, 8, 14}));
  EXPECT_EQ(path.steps, 5U + 4);  // two steps into the dead end, and two back
}

TEST(Mesh, DetoursAreLimited) {
  EXPECT_EQ(find(*mesh("adaptive", 3, 3, 2), 1, 2, {6}).hops(), 5U);
  // With a limit of 1 or 0 the path with two more hops than the shortest is too long; from row 0 the chip is at 4 hops.
  EXPECT_EQ(find(*mesh("adaptive", 3, 3, 1), 1, 2, {6}).links, (Links{0, 3, 4, 11}));
  EXPECT_EQ(find(*mesh("adaptive", 3, 3, 0), 1, 2, {6}).links, (Links{0, 3, 4, 11}));
}

TEST(Mesh, OneRowIsABus) {
  const auto finder = mesh("adaptive", 1, 4);
  EXPECT_EQ(finder->links(), 4U);
  EXPECT_EQ(find(*finder, 0, 3, {}).links, (Links{0, 1, 2, 3}));
  EXPECT_EQ(find(*finder, 0, 0, {0}).links, (Links{}));
}

TEST(Crossbar, TakesTheNearestFreePort) {
  NetworkConfig config;
  config.topology = "crossbar";
  const auto finder = PathFinder::make(config, 4, 8);
  EXPECT_EQ(finder->links(), 4U);
  EXPECT_EQ(find(*finder, 1, 7, {}).links, (Links{1}));
  EXPECT_EQ(find(*finder, 1, 7, {1}).links, (Links{0}));
  EXPECT_EQ(find(*finder, 1, 7, {1, 0}).links, (Links{2}));
  EXPECT_EQ(find(*finder, 1, 7, {1, 0, 2}).links, (Links{3}));
  EXPECT_EQ(find(*finder, 1, 7, {0, 1, 2, 3}).links, (Links{}));
}

TEST(Vertical, HasABusAChannelAndABusAWay) {
  NetworkConfig config;
  config.topology = "vertical";
  const auto finder = PathFinder::make(config, 4, 8);
  EXPECT_EQ(finder->ports(), 12U);
  EXPECT_EQ(find(*finder, 1, 7, {}).links, (Links{1}));
  EXPECT_EQ(find(*finder, 1, 7, {1}).links, (Links{11}));
  EXPECT_EQ(find(*finder, 1, 7, {1, 11}).links, (Links{}));
}

TEST(PathFinder, RefusesWhatHasNoPaths) {
  EXPECT_THROW(PathFinder::make(NetworkConfig{}, 2, 2), std::invalid_argument);
}

/// Routers that free links connect to a free port, in a mesh as in the figure above.
std::set<std::uint32_t> reachable(std::uint32_t rows, std::uint32_t columns, const std::vector<std::uint8_t>& flags) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t r = 0; r < rows; ++r)
    if (flags[r] == 0) seen.insert(r * columns);
  for (std::size_t before = 0; before != seen.size();) {
    before = seen.size();
    for (std::uint32_t r = 0; r < rows; ++r)
      for (std::uint32_t c = 0; c < columns; ++c) {
        const auto join = [&](std::uint32_t link, std::uint32_t other) {
          const std::uint32_t here = r * columns + c;
          if (flags[link] == 0 && (seen.contains(here) || seen.contains(other))) seen.insert({here, other});
        };
        if (c + 1 < columns) join(rows + r * (columns - 1) + c, r * columns + c + 1);
        if (r + 1 < rows) join(rows + rows * (columns - 1) + r * columns + c, (r + 1) * columns + c);
      }
  }
  return seen;
}

// A scout without a limit on detours finds a path where there is one. The path has free links only, and none twice; its
// hops are the steps forward less the steps back, of which there are at most as many.
RC_GTEST_PROP(PathFinder, AScoutFindsWhateverPathThereIs, ()) {
  const auto rows = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto columns = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto finder = mesh("adaptive", rows, columns, 64);
  const auto share = *rc::gen::inRange(0, 100);
  std::vector<std::uint8_t> flags(finder->links());
  for (std::uint8_t& flag : flags) flag = *rc::gen::inRange(0, 100) < share ? 1 : 0;
  const std::set<std::uint32_t> free = reachable(rows, columns, flags);
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = 0; c < columns; ++c) {
      NetworkPath path;
      RC_ASSERT(finder->find(r, c, flags, path) == free.contains(r * columns + c));
      RC_ASSERT(std::set(path.links.begin(), path.links.end()).size() == path.links.size());
      for (const std::uint32_t link : path.links) RC_ASSERT(flags[link] == 0);
      RC_ASSERT(path.hops() <= finder->longest());
      if (!path.links.empty()) RC_ASSERT(path.steps >= path.hops() && (path.steps - path.hops()) % 2 == 0);
    }
}

}  // namespace
}  // namespace flashloom::path_finder_test
