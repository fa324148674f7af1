#include "sc_main/assembly/state/state_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

namespace flashloom::state_file_test {
namespace {

constexpr std::size_t kNumbers = 100'000;  // more than a buffer holds

class StateFile : public testing::Test {
 protected:
  StateFile()
      : path_(testing::TempDir() + "flashloom_" + testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~StateFile() override { std::filesystem::remove(path_); }

  void write(std::size_t count) {
    StateWriter writer(path_, {.device = "d", .keys = {{"k", "1"}}, .precondition = {{"p", "2"}}, .seed = 7});
    std::vector<std::uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1000);
    std::string text = "text";
    writer(text, numbers);
    writer.commit();
  }
  /// Reads the file and returns the sum of its numbers.
  std::uint64_t read() const {
    const StateHeader header = read_state_header(path_);
    EXPECT_EQ(header.device, "d");
    EXPECT_EQ(header.keys, (StateKeys{{"k", "1"}}));
    EXPECT_EQ(header.precondition, (StateKeys{{"p", "2"}}));
    EXPECT_EQ(header.seed, 7u);
    StateReader reader(path_);
    std::string text;
    std::vector<std::uint64_t> numbers;
    reader(text, numbers);
    reader.finish();
    EXPECT_EQ(text, "text");
    return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
  }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }

  std::string path_;
};

constexpr std::uint64_t sum_of(std::uint64_t n) { return n * 1000 + n * (n - 1) / 2; }

TEST_F(StateFile, IsThereOnlyOnceCommitted) {
  {
    StateWriter writer(path_, {.device = "d", .keys = {}, .precondition = {}, .seed = 7});
    std::string text = "text";
    writer(text);
    writer.complete();
    EXPECT_TRUE(std::filesystem::exists(path_ + ".part"));
  }
  EXPECT_FALSE(std::filesystem::exists(path_ + ".part"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(StateFile, ComesBack) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kNumbers}) {
    write(count);
    EXPECT_EQ(read(), sum_of(count));
  }
  EXPECT_FALSE(std::filesystem::exists(path_ + ".part"));
}

TEST_F(StateFile, SameContentSameBytes) {
  write(kNumbers);
  const std::string first = bytes();
  write(kNumbers);
  EXPECT_EQ(bytes(), first);
}

TEST_F(StateFile, WithoutCommitThereIsNone) {
  { StateWriter writer(path_, {}); }
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".part"));
}

TEST_F(StateFile, AnyTruncationIsAnError) {
  write(100);
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(whole.substr(0, length));
    try {
      read();
      FAIL() << "cut to " << length << " of " << whole.size() << " bytes";
    } catch (const StateError& error) {
      EXPECT_NE(std::string(error.what()).find(path_), std::string::npos) << error.what();
    }
  }
}

// A bit that the compressed format does not use may change without harm; such bits are few.
TEST_F(StateFile, NoChangedByteChangesTheContent) {
  write(100);
  const std::string whole = bytes();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int bit : {0, 7}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      put(damaged);
      try {
        ASSERT_EQ(read(), sum_of(100)) << "byte " << at << ", bit " << bit;
      } catch (const StateError&) {
        ++refused;
      }
    }
  EXPECT_GE(refused, 2 * whole.size() * 97 / 100);
}

TEST_F(StateFile, WhatFollowsIsAnError) {
  write(100);
  put(bytes() + "more");
  EXPECT_THROW(read(), StateError);
}

TEST_F(StateFile, EverythingMustBeRead) {
  write(1);
  StateReader reader(path_);
  std::string text;
  reader(text);
  EXPECT_THROW(reader.finish(), StateError);
  std::vector<std::uint64_t> numbers;
  reader(numbers);
  EXPECT_NO_THROW(reader.finish());
  EXPECT_THROW(reader(text), StateError);
}

}  // namespace
}  // namespace flashloom::state_file_test
