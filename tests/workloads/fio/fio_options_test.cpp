#include "workloads/fio/fio_options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/source_dir.hpp"
#include "workloads/fio/fio_engine.hpp"

namespace flashloom::fio_options_test {
namespace {

TEST(FioOptions, NamesAreUniqueAndSorted) {
  std::set<std::string> names;
  std::string previous;
  for (const FioOption& option : fio_options()) {
    EXPECT_LT(previous, option.name);
    previous = option.name;
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    for (const std::string& alias : option.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
    EXPECT_EQ(option.effect == FioOption::Effect::Modelled, option.apply != nullptr) << option.name;
    EXPECT_FALSE(option.help.empty());
  }
  EXPECT_TRUE(find_fio_engine("psync")->synchronous);
  EXPECT_FALSE(find_fio_engine("libaio")->synchronous);
}

// option_names.txt: each name of fio's core, engines and profiles (its master of June 2026), with its aliases.
TEST(FioOptions, EveryNameOfTheNewestFioIsKnown) {
  std::ifstream file(source_dir() + "/tests/workloads/fio/option_names.txt");
  ASSERT_TRUE(file);
  std::array<int, 3> counts{};
  int all = 0;
  for (std::string line; std::getline(file, line); ++all) {
    std::istringstream names(line);
    const FioOption* first = nullptr;
    for (std::string name; names >> name;) {
      const FioOption* const option = find_fio_option(name);
      ASSERT_NE(option, nullptr) << name;
      EXPECT_TRUE(first == nullptr || first == option) << name << " is not an alias of " << first->name;
      first = option;
    }
    ++counts[static_cast<std::size_t>(first->effect)];
  }
  EXPECT_EQ(all, 370);
  EXPECT_EQ(counts, (std::array{89, 203, 78}));
}

}  // namespace
}  // namespace flashloom::fio_options_test
