#include "policies/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/nearest.hpp"

namespace flashloom::registry_test {
namespace {

struct TestContext {
  int base = 0;
};

/// A family that only this test knows.
struct Greeter {
  static constexpr const char* kFamily = "registry_test_greeter";
  using Context = TestContext;
  Greeter() = default;
  Greeter(const Greeter&) = delete;
  Greeter& operator=(const Greeter&) = delete;
  virtual ~Greeter() = default;
  virtual std::int64_t value() const = 0;
};

struct Adder : Greeter {
  Adder(int base, std::int64_t step) : total(base + step) {}
  std::int64_t value() const override { return total; }
  std::int64_t total;
};

const Registration<Greeter> adder{
    {.name = "adder",
     .summary = "adds",
     .source = "this test",
     .parameters = {{.name = "step", .default_value = std::int64_t{5}, .choices = {}, .help = "what to add"}},
     .aliases = {"plus"}},
    [](const TestContext& context, const ParameterValues& values) {
      return std::make_unique<Adder>(context.base, values.get<std::int64_t>("step"));
    }};

const Registration<Greeter> zero{
    {.name = "zero", .summary = "adds nothing", .source = "this test", .parameters = {}},
    [](const TestContext& context, const ParameterValues&) { return std::make_unique<Adder>(context.base, 0); }};

TEST(Registry, MakesByNameAndByAliasWithDefaults) {
  EXPECT_EQ(Family<Greeter>::make({"adder", {}}, {10})->value(), 15);
  EXPECT_EQ(Family<Greeter>::make({"plus", {}}, {10})->value(), 15);
  EXPECT_EQ(Family<Greeter>::make({"zero", {}}, {10})->value(), 10);
}

TEST(Registry, GivenParametersReplaceDefaults) {
  const ParameterValues values({{"step", std::int64_t{-3}}});
  EXPECT_EQ(Family<Greeter>::make({"adder", values}, {10})->value(), 7);
}

TEST(Registry, UndeclaredParameterIsAProgrammingError) {
  const ParameterValues values({{"step", std::int64_t{1}}});
  EXPECT_THROW(values.get<std::int64_t>("stride"), std::logic_error);
}

TEST(Registry, ListsPartsAlphabetically) {
  const auto parts = PartCatalog::instance().parts(Greeter::kFamily);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]->name, "adder");
  EXPECT_EQ(parts[1]->name, "zero");
  const auto families = PartCatalog::instance().families();
  EXPECT_TRUE(std::is_sorted(families.begin(), families.end()));
  EXPECT_NE(std::find(families.begin(), families.end(), Greeter::kFamily), families.end());
}

TEST(Registry, FindKnowsAliasesAndNothingElse) {
  const PartCatalog& catalog = PartCatalog::instance();
  ASSERT_NE(catalog.find(Greeter::kFamily, "plus"), nullptr);
  EXPECT_EQ(catalog.find(Greeter::kFamily, "plus")->name, "adder");
  EXPECT_EQ(catalog.find(Greeter::kFamily, "minus"), nullptr);
  EXPECT_EQ(catalog.find("no_such_family", "adder"), nullptr);
  EXPECT_TRUE(catalog.parts("no_such_family").empty());
}

TEST(Registry, UnknownPartNamesTheNearestAndTheValid) {
  try {
    Family<Greeter>::make({"ader", {}}, {0});
    FAIL() << "made a part that does not exist";
  } catch (const UnknownPart& error) {
    EXPECT_STREQ(error.what(), "unknown registry_test_greeter \"ader\" (did you mean \"adder\"?); valid: adder, zero");
  }
}

TEST(Registry, DuplicateNameOrAliasThrows) {
  PartCatalog& catalog = PartCatalog::instance();
  const auto info = [](std::string name, std::vector<std::string> aliases) {
    return PartInfo{
        .name = std::move(name), .summary = "", .source = "", .parameters = {}, .aliases = std::move(aliases)};
  };
  catalog.add("registry_test_duplicates", info("one", {"first"}));
  EXPECT_THROW(catalog.add("registry_test_duplicates", info("one", {})), std::logic_error);
  EXPECT_THROW(catalog.add("registry_test_duplicates", info("first", {})), std::logic_error);
  EXPECT_THROW(catalog.add("registry_test_duplicates", info("two", {"one"})), std::logic_error);
  EXPECT_THROW(catalog.add("registry_test_duplicates", info("two", {"second", "second"})), std::logic_error);
  EXPECT_THROW(catalog.add("registry_test_duplicates", info("", {})), std::logic_error);
  EXPECT_EQ(catalog.parts("registry_test_duplicates").size(), 1u);
  EXPECT_EQ(catalog.find("registry_test_duplicates", "two"), nullptr);
  catalog.add("registry_test_other", info("one", {}));  // families do not collide
  EXPECT_EQ(catalog.parts("registry_test_other").size(), 1u);
}

TEST(Nearest, EditDistance) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("rnu", "run"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);
  EXPECT_EQ(edit_distance("chanels", "channels"), 1u);
}

TEST(Nearest, SuggestsBestFirstAndNothingFar) {
  EXPECT_EQ(nearest_names("chanels", {"ways", "channels", "planes"}), std::vector<std::string>{"channels"});
  EXPECT_TRUE(nearest_names("voltage", {"ways", "dies"}).empty());
  EXPECT_EQ(nearest_names("time", {"read_time", "erase_time", "pages"}, 1), std::vector<std::string>{"read_time"});
}

}  // namespace
}  // namespace flashloom::registry_test
