#include "models/common/config_problem.hpp"

#include <gtest/gtest.h>

namespace flashloom::config_problem_test {
namespace {

TEST(ConfigProblem, NamesTheKeyAndKeepsThePartsOfTheMessage) {
  try {
    require(false, "buffer.size", MessageBytes{4096}, " is less than ", std::uint32_t{7}, " of ", 0.5);
    ADD_FAILURE();
  } catch (const ConfigProblem& problem) {
    EXPECT_EQ(problem.key(), "buffer.size");
    ASSERT_EQ(problem.message().size(), 5U);
    EXPECT_EQ(std::get<MessageBytes>(problem.message()[0]).value, 4096U);
    EXPECT_EQ(std::get<std::string>(problem.message()[1]), " is less than ");
    EXPECT_EQ(std::get<std::uint64_t>(problem.message()[2]), 7U);
    EXPECT_EQ(std::get<double>(problem.message()[4]), 0.5);
  }
}

TEST(ConfigProblem, IsNotThrownForWhatIsValid) { EXPECT_NO_THROW(require(true, "buffer.size", "is fine")); }

}  // namespace
}  // namespace flashloom::config_problem_test
