#include "controllers/nvme/life.hpp"

#include <gtest/gtest.h>

#include <set>

#include "workloads/random.hpp"

namespace flashloom::nvme::life_test {
namespace {

// Against a std::set of sectors.
TEST(MarkedSectors, MarksAndClearsAsASetOfSectorsWould) {
  Random random(7);
  MarkedSectors marked;
  std::set<std::uint64_t> model;
  for (int step = 0; step < 5'000; ++step) {
    const std::uint64_t begin = random.below(200);
    const std::uint64_t end = begin + 1 + random.below(20);
    const bool marks = random.below(2) == 0;
    if (marks)
      marked.mark(begin, end);
    else
      marked.clear(begin, end);
    for (std::uint64_t sector = begin; sector < end; ++sector) {
      if (marks)
        model.insert(sector);
      else
        model.erase(sector);
    }
    const std::uint64_t from = random.below(230);
    const std::uint64_t to = from + random.below(30);
    const auto found = model.lower_bound(from);
    ASSERT_EQ(marked.first(from, to), found == model.end() || *found >= to ? to : *found) << step;
    ASSERT_EQ(marked.empty(), model.empty());
  }
}

}  // namespace
}  // namespace flashloom::nvme::life_test
