// What a power cut leaves of writes: completed writes are whole, the one under way is torn at a word, later ones wrote
// nothing.
#include "models/memory/nvram_contents.hpp"

#include <gtest/gtest.h>

#include <array>

namespace flashloom::nvram_contents_test {
namespace {

constexpr std::array<std::uint64_t, 4> kFirst = {1, 2, 3, 4};
constexpr std::array<std::uint64_t, 4> kSecond = {5, 6, 7, 8};

std::vector<std::uint64_t> words(const NvramContents& contents) {
  std::vector<std::uint64_t> all;
  for (std::size_t at = 0; at < contents.size(); ++at) all.push_back(contents.read(at));
  return all;
}

/// Two writes of four words to the same place, served in [0, 400] and [100, 800]: the second one's words reach the
/// cells at 500, 600, 700 and 800.
std::vector<std::uint64_t> after_cut(Picoseconds at) {
  NvramContents contents;
  contents.fit(4);
  contents.end(contents.begin(0, kFirst), 0, 400);
  contents.end(contents.begin(0, kSecond), 100, 800);
  // as the device sees it before the cut
  EXPECT_EQ(words(contents), std::vector<std::uint64_t>(kSecond.begin(), kSecond.end()));
  contents.power_cut(at);
  return words(contents);
}

TEST(NvramContents, KeepsWhatWasCompleteAndTearsAtAWord) {
  using Words = std::vector<std::uint64_t>;
  EXPECT_EQ(after_cut(100), (Words{1, 0, 0, 0}));
  EXPECT_EQ(after_cut(399), (Words{1, 2, 3, 0}));
  EXPECT_EQ(after_cut(400), (Words{1, 2, 3, 4}));
  EXPECT_EQ(after_cut(499), (Words{1, 2, 3, 4}));
  EXPECT_EQ(after_cut(500), (Words{5, 2, 3, 4}));
  EXPECT_EQ(after_cut(799), (Words{5, 6, 7, 4}));
  EXPECT_EQ(after_cut(800), (Words{5, 6, 7, 8}));
}

TEST(NvramContents, AWriteNobodyEndedHasWrittenNothing) {
  NvramContents contents;
  contents.fit(4);
  contents.end(contents.begin(0, kFirst), 0, 400);
  contents.begin(0, kSecond);
  contents.power_cut(1000);
  EXPECT_EQ(words(contents), std::vector<std::uint64_t>(kFirst.begin(), kFirst.end()));
}

TEST(NvramContents, AWholeWriteIsNotTorn) {
  for (const Picoseconds cut : {399, 400}) {
    NvramContents contents;
    contents.fit(4);
    contents.end(contents.begin(0, kFirst), 0, 400, true);
    contents.power_cut(cut);
    EXPECT_EQ(contents.read(0), cut == 400 ? 1U : 0U);
    EXPECT_EQ(contents.read(3), cut == 400 ? 4U : 0U);
  }
}

}  // namespace
}  // namespace flashloom::nvram_contents_test
