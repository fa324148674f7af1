#include "sc_main/program/cli/value_completion.hpp"

#include <gtest/gtest.h>

#include "sc_main/program/options/command_table.hpp"

namespace flashloom::value_completion_test {
namespace {

TEST(ValueCompletion, KnowsTheTypeOfEveryOption) {
  const CommandTree tree;
  for (const Command& command : tree.commands())
    for (const CLI::Option* option : command.app->get_options()) {
      if (option->get_items_expected_max() == 0 || option->get_type_name() == "TOPIC") continue;
      EXPECT_NO_THROW(complete_value(option->get_type_name(), "")) << command.entry->name << " " << option->get_name();
    }
  EXPECT_THROW(complete_value("NO SUCH TYPE", ""), std::logic_error);
}

TEST(ValueCompletion, OffersWhatBeginsAsTheWordDoes) {
  const Completion completion = complete_value("csv|json", "j");
  ASSERT_EQ(completion.candidates.size(), 1U);
  EXPECT_EQ(completion.candidates[0].value, "json");
  EXPECT_FALSE(completion.open || completion.files || completion.folders);
  EXPECT_TRUE(complete_value("PATH=VALUE", "nand.").open);
  EXPECT_TRUE(complete_value("DEVICE.toml", "").files);
}

}  // namespace
}  // namespace flashloom::value_completion_test
