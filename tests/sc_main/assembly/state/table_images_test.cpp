// Tables in a state file: which bytes are stored, which are mapped, and that no damage passes.
#include "sc_main/assembly/state/table_images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/nand/zeroed_memory.hpp"
#include "sc_main/assembly/state/state_file.hpp"

namespace flashloom::table_images_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// A device of two large tables and a small one.
struct Tables {
  Tables() : first(5 * kMiB + 12345), second(kSmallestImage), small(kSmallestImage - 1) {}
  void fill() {
    first.data()[0] = std::byte{1};
    first.data()[2 * kMiB - 1] = std::byte{2};      // pieces 0 and 1; 2, 3 and 4 stay zero
    first.data()[first.size() - 1] = std::byte{3};  // in the last piece, which is a partial one
    std::memset(second.data(), 0x5A, second.size());
    std::memset(small.data(), 0x33, small.size());
  }
  void state(StateArchive& archive) {
    archive(before);
    moved = 0;
    for (const ZeroedMemory* memory : {&first, &second, &small})
      archive.mapping(memory->data(), memory->size(), [&] {
        ++moved;
        archive.differences(reinterpret_cast<std::uint8_t*>(memory->data()), memory->size());
      });
    archive(after);
  }
  bool operator==(const Tables& other) const {
    const auto same = [](const ZeroedMemory& a, const ZeroedMemory& b) {
      return std::equal(a.data(), a.data() + a.size(), b.data());
    };
    return before == other.before && after == other.after && same(first, other.first) && same(second, other.second) &&
           same(small, other.small);
  }

  ZeroedMemory first;
  ZeroedMemory second;
  ZeroedMemory small;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::uint32_t moved = 0;
};

class TableImagesTest : public testing::Test {
 protected:
  TableImagesTest()
      : path_(testing::TempDir() + "flashloom_" + testing::UnitTest::GetInstance()->current_test_info()->name()) {
    saved_.fill();
    saved_.before = 7;
    saved_.after = 8;
  }
  ~TableImagesTest() override { std::filesystem::remove(path_); }

  void write(bool compact = false) {
    StateWriter writer(path_, {.device = "d", .keys = {}, .precondition = {}, .seed = 1, .compact = compact});
    saved_.state(writer);
    writer.commit();
  }
  void read(Tables& tables) const {
    StateReader reader(path_);
    tables.state(reader);
    reader.finish();
  }
  void change(std::uint64_t at) const {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }
  std::string refusal() const {
    try {
      Tables tables;
      read(tables);
    } catch (const StateError& error) {
      return error.what();
    }
    return {};
  }

  std::string path_;
  Tables saved_;
};

TEST_F(TableImagesTest, ComeBack) {
  write();
  EXPECT_EQ(saved_.moved, 1U);  // the small table
  Tables loaded;
  read(loaded);
  EXPECT_EQ(loaded.moved, 1U);
  EXPECT_TRUE(loaded == saved_);
}

TEST_F(TableImagesTest, CompactOnesComeBack) {
  write(true);
  EXPECT_EQ(saved_.moved, 3U);
  EXPECT_LT(std::filesystem::file_size(path_), 10'000U);
  Tables loaded;
  read(loaded);
  EXPECT_TRUE(loaded == saved_);
}

// Stored are pieces 0, 1 and 5 of the first table (5 is 12,345 bytes, 64 KiB in the file) and the second table: 2 MiB +
// 128 KiB, from a boundary of 64 KiB on, which the compressed part of some hundred bytes does not reach; and checksums.
TEST_F(TableImagesTest, ZeroesAreLeftOut) {
  write();
  EXPECT_EQ(std::filesystem::file_size(path_), 3 * kSmallestImage + 2 * kMiB + 3 * 8 + 5 * 8);
}

TEST_F(TableImagesTest, SameTablesSameBytes) {
  const auto bytes = [&] {
    write();
    std::ifstream file(path_, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  };
  const std::string once = bytes();
  EXPECT_EQ(bytes(), once);
}

TEST_F(TableImagesTest, WhatIsWrittenStaysWithTheProcess) {
  write();
  {
    Tables loaded;
    read(loaded);
    loaded.first.data()[5] = std::byte{9};
    loaded.second.data()[0] = std::byte{9};
    loaded.first.data()[3 * kMiB] = std::byte{9};
  }
  Tables again;
  read(again);
  EXPECT_TRUE(again == saved_);
}

TEST_F(TableImagesTest, AFileThatIsReplacedServesWhoHasItOpen) {
  write();
  Tables loaded;
  read(loaded);
  saved_.second.data()[1] = std::byte{1};
  write();
  EXPECT_EQ(loaded.second.data()[1], std::byte{0x5A});
}

// Changed bytes behind the compressed part: in tables, in the zeroes around them, in checksums and in the footer.
TEST_F(TableImagesTest, NoChangedBytePasses) {
  write();
  const std::uint64_t size = std::filesystem::file_size(path_);
  for (std::uint64_t at = 2000; at < size; at += at < size - 200 ? 40'009 : 1) {
    change(at);
    const std::string said = refusal();
    EXPECT_NE(said.find(path_), std::string::npos) << at;
    change(at);
  }
  EXPECT_EQ(refusal(), "");
}

TEST_F(TableImagesTest, DamageIsNamedByItsPlace) {
  write();
  change(kSmallestImage + kMiB);
  const std::string said = refusal();
  EXPECT_NE(said.find("is damaged between bytes "), std::string::npos) << said;
}

TEST_F(TableImagesTest, NoTruncationPasses) {
  write();
  for (const std::uint64_t left : {std::uint64_t{40}, kMiB, 2 * kMiB, std::filesystem::file_size(path_) - 8}) {
    write();
    std::filesystem::resize_file(path_, left);
    EXPECT_NE(refusal().find("truncated"), std::string::npos) << left;
  }
}

TEST_F(TableImagesTest, ATableOfAnotherSizeIsRefused) {
  write();
  StateReader reader(path_);
  std::uint64_t before = 0;
  reader(before);
  const ZeroedMemory larger(7 * kMiB);
  EXPECT_THROW(reader.mapping(larger.data(), larger.size(), [] {}), StateError);
}

TEST_F(TableImagesTest, EveryTableMustBeMapped) {
  write();
  StateReader reader(path_);
  EXPECT_THROW(reader.finish(), StateError);
}

}  // namespace
}  // namespace flashloom::table_images_test
