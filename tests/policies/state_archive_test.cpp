#include "policies/state_archive.hpp"

#include <gtest/gtest.h>

#include <random>

#include "policies/memory_archive.hpp"

namespace flashloom::state_archive_test {
namespace {

enum class Colour : std::uint8_t { Red, Green };

struct Inner {
  std::uint32_t a = 0;
  std::string b;
  void state(StateArchive& archive) { archive(a, b); }
};

struct Outer {
  bool yes = false;
  Colour colour = Colour::Red;
  double real = 0;
  std::string text;
  std::vector<std::uint16_t> numbers;
  std::vector<Inner> inner;
  std::mt19937_64 random{1};
  void state(StateArchive& archive) { archive(yes, colour, real, text, numbers, inner, random); }
};

TEST(StateArchive, FieldsComeBack) {
  Outer outer{true, Colour::Green, 0.1, "text", {1, 2, 65535}, {{7, "x"}, {8, ""}}, std::mt19937_64(5)};
  outer.random.discard(3);
  Outer again;
  again.numbers = {9};  // replaced, not added to
  ASSERT_TRUE(load_state(again, saved(outer)));
  EXPECT_TRUE(again.yes);
  EXPECT_EQ(again.colour, Colour::Green);
  EXPECT_EQ(again.real, 0.1);
  EXPECT_EQ(again.text, "text");
  EXPECT_EQ(again.numbers, (std::vector<std::uint16_t>{1, 2, 65535}));
  ASSERT_EQ(again.inner.size(), 2u);
  EXPECT_EQ(again.inner[0].a, 7u);
  EXPECT_EQ(again.inner[1].a, 8u);
  EXPECT_EQ(again.inner[0].b, "x");
  EXPECT_EQ(again.random(), outer.random());
}

// 1 bool + 1 enumeration + 8 double + (8 + 4) text + (8 + 6) numbers + 8 inner + 2 (4 + 8) + 1 + 313 words of the
// engine
TEST(StateArchive, BytesAreThoseOfTheFieldsAndNoMore) {
  Outer outer{true, Colour::Green, 0.1, "text", {1, 2, 65535}, {{7, "x"}, {8, ""}}, std::mt19937_64(5)};
  EXPECT_EQ(saved(outer).size(), 1 + 1 + 8 + 12 + 14 + 8 + 24 + 1 + 313 * 8u);
}

template <class T>
struct Table {
  std::vector<T> values;
  void state(StateArchive& archive) { archive.differences(values.data(), values.size()); }
};

template <class T>
void expect_differences_come_back(std::vector<T> values) {
  Table<T> table{std::move(values)};
  Table<T> again{std::vector<T>(table.values.size())};
  const auto bytes = saved(table);
  EXPECT_EQ(bytes.size(), table.values.size() * sizeof(T));
  ASSERT_TRUE(load_state(again, bytes));
  EXPECT_EQ(again.values, table.values);
}

TEST(StateArchive, DifferencesComeBack) {
  std::mt19937_64 random(3);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{4097}, std::size_t{20'000}}) {
    std::vector<std::uint64_t> wide(size);
    std::vector<std::uint32_t> narrow(size);
    for (std::size_t i = 0; i < size; ++i) {
      wide[i] = i / 4096 % 2 == 0 ? random() : 0;  // with stretches of zeroes
      narrow[i] = static_cast<std::uint32_t>(i % 5 == 0 ? random() : i);
    }
    expect_differences_come_back(wide);
    expect_differences_come_back(narrow);
  }
  expect_differences_come_back(std::vector<std::uint32_t>(10'000));
}

TEST(StateArchive, MissingPartIsAnError) {
  MemoryWriter writer;
  writer.part("one");
  MemoryReader reader(writer.bytes);
  try {
    reader.part("two");
    FAIL();
  } catch (const StateError& error) {
    EXPECT_STREQ(error.what(), "the part \"two\" is missing; \"one\" is there");
  }
}

}  // namespace
}  // namespace flashloom::state_archive_test
