#include "controllers/array/array_layout.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flashloom::layout_of_arrays {
namespace {

constexpr std::uint64_t kChunk = 64 << 10;

ArrayLayout layout_of(const std::string& level, std::uint32_t drives, std::uint64_t drive_bytes = 64 * kChunk) {
  ArrayConfig array;
  array.level = level;
  array.drives = drives;
  array.chunk = kChunk;
  return {array, drive_bytes};
}

// The column that each drive holds of a stripe, by slot; 'P' and 'Q' are the parities.
std::string drives_of(const ArrayLayout& layout, std::uint64_t stripe) {
  std::string text(layout.slots(), '?');
  for (std::uint32_t column = 0; column < layout.columns(); ++column) {
    const bool parity = column >= layout.data_columns();
    text[layout.slot_of(stripe, column)] =
        parity ? "PQ"[column - layout.data_columns()] : static_cast<char>('0' + column);
  }
  return text;
}

// Linux's ALGORITHM_LEFT_SYMMETRIC (drivers/md/raid5.c): parity moves from the last drive to the first, and the data
// start on the drive after it.
TEST(ArrayLayout, Raid5IsLeftSymmetric) {
  const ArrayLayout layout = layout_of("raid5", 5);
  EXPECT_EQ(drives_of(layout, 0), "0123P");
  EXPECT_EQ(drives_of(layout, 1), "123P0");
  EXPECT_EQ(drives_of(layout, 2), "23P01");
  EXPECT_EQ(drives_of(layout, 3), "3P012");
  EXPECT_EQ(drives_of(layout, 4), "P0123");
  EXPECT_EQ(drives_of(layout, 5), "0123P");
  EXPECT_EQ(layout.capacity(), 4 * 64 * kChunk);
}

TEST(ArrayLayout, Raid6PutsQBehindP) {
  const ArrayLayout layout = layout_of("raid6", 5);
  EXPECT_EQ(drives_of(layout, 0), "Q012P");
  EXPECT_EQ(drives_of(layout, 1), "012PQ");
  EXPECT_EQ(drives_of(layout, 2), "12PQ0");
  EXPECT_EQ(layout.capacity(), 3 * 64 * kChunk);
}

TEST(ArrayLayout, ColumnsAndSlotsAreEachOthersInverse) {
  for (const char* const level : {"raid0", "raid5", "raid6"}) {
    const ArrayLayout layout = layout_of(level, 7);
    for (std::uint64_t stripe = 0; stripe < 9; ++stripe)
      for (std::uint32_t column = 0; column < layout.columns(); ++column)
        EXPECT_EQ(layout.column_of(stripe, layout.slot_of(stripe, column)), column) << level << stripe;
  }
}

TEST(ArrayLayout, CapacitiesOfLevelsWithoutParity) {
  EXPECT_EQ(layout_of("jbod", 3).capacity(), 3 * 64 * kChunk);
  EXPECT_EQ(layout_of("raid0", 3).capacity(), 3 * 64 * kChunk);
  EXPECT_EQ(layout_of("raid1", 3).capacity(), 64 * kChunk);
  EXPECT_EQ(layout_of("raid10", 4).capacity(), 2 * 64 * kChunk);
  // a partial chunk at the end is unused
  EXPECT_EQ(layout_of("raid0", 3, 64 * kChunk + 4096).capacity(), 3 * 64 * kChunk);
  EXPECT_EQ(layout_of("raid10", 4).slot_of(9, 1, 1), 3U);
}

// An extent of three chunks that starts 8 KiB before the end of chunk 1 of a RAID-5 of four drives: it touches columns
// 1 and 2 of stripe 0, then columns 0 and 1 of stripe 1.
TEST(ArrayLayout, AnExtentEndsWithItsChunk) {
  const ArrayLayout layout = layout_of("raid5", 4);
  std::vector<std::vector<std::uint64_t>> seen;
  layout.each_extent(2 * kChunk - 8192, 3 * kChunk, [&](const ArrayExtent& part) {
    seen.push_back({part.stripe, part.column, part.row, part.length, part.at});
  });
  const std::vector<std::vector<std::uint64_t>> expected = {{0, 1, kChunk - 8192, 8192, 0},
                                                            {0, 2, 0, kChunk, 8192},
                                                            {1, 0, 0, kChunk, 8192 + kChunk},
                                                            {1, 1, 0, kChunk - 8192, 8192 + 2 * kChunk}};
  EXPECT_EQ(seen, expected);
}

TEST(ArrayLayout, AJbodGoesOnWithTheNextDrive) {
  const ArrayLayout layout = layout_of("jbod", 2);
  const ArrayExtent part = layout.extent(64 * kChunk + 4096, 8192);
  EXPECT_EQ(layout.slot_of(part.stripe, part.column), 1U);
  EXPECT_EQ(layout.place(part), 4096U);
}

}  // namespace
}  // namespace flashloom::layout_of_arrays
