// Where the page numbers of an erase unit lie on its planes.
#include "models/nand/nand_geometry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "models/nand/nand_config.hpp"

namespace flashloom::nand_geometry_test {
namespace {

using Places = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // plane, page of its block

NandConfig device(std::uint32_t planes, std::uint32_t pages_per_program, const char* layout) {
  NandConfig config;
  config.planes = planes;
  config.multi_plane_program = true;
  config.pages_per_program = pages_per_program;
  config.pages = 12;
  config.unit_layout = layout;
  return config;
}

Places places(const NandConfig& config) {
  const NandGeometry geometry(config, 4096);
  Places all;
  for (std::uint32_t page = 0; page < geometry.pages; ++page)
    all.emplace_back(geometry.plane_of(Block{0}, Page{page}).value(), geometry.page_in_block(Page{page}));
  return all;
}

TEST(NandGeometry, PlaneFirstFillsARowOfPlanesBeforeTheNext) {
  const Places all = places(device(2, 3, "plane_first"));
  const Places first = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}};
  EXPECT_EQ(Places(all.begin(), all.begin() + 8), first);
}

TEST(NandGeometry, PageFirstFillsAPlanesPagesBeforeTheNext) {
  const Places all = places(device(2, 3, "page_first"));
  const Places first = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {0, 4}};
  EXPECT_EQ(Places(all.begin(), all.begin() + 8), first);
}

TEST(NandGeometry, WithOnePlaneOrOnePageAProgramTheyAreTheSame) {
  for (const auto& [planes, pages] : {std::pair{1U, 3U}, std::pair{4U, 1U}, std::pair{1U, 1U}})
    EXPECT_EQ(places(device(planes, pages, "plane_first")), places(device(planes, pages, "page_first")));
}

TEST(NandGeometry, EveryLayoutCoversEveryPageOnceAndAProgramUnitItsRows) {
  for (const char* const layout : {"plane_first", "page_first"})
    for (const std::uint32_t planes : {2U, 3U, 4U})
      for (const std::uint32_t pages : {1U, 2U, 3U, 4U}) {
        const Places all = places(device(planes, pages, layout));
        EXPECT_EQ(std::set(all.begin(), all.end()).size(), planes * 12);
        for (std::uint32_t page = 0; page < all.size(); ++page)
          EXPECT_EQ(all[page].second / pages, page / (planes * pages)) << layout << planes << pages;
      }
}

TEST(NandGeometry, ReadsMoveWholeFrames) {
  NandConfig config;
  config.page_size = 24576;
  config.ecc.frame = 4096;
  const auto span = [](const NandGeometry& geometry, std::uint32_t units, std::uint32_t from, std::uint32_t end) {
    const NandGeometry::ReadSpan found = geometry.read_span(units, from, end);
    return std::pair{found.skipped, found.bytes};
  };
  const NandGeometry geometry(config, 12288);
  EXPECT_EQ(span(geometry, 1, 0, 512), std::pair(0U, 4096U));
  EXPECT_EQ(span(geometry, 1, 3584, 4608), std::pair(0U, 8192U));
  EXPECT_EQ(span(geometry, 1, 11776, 12288), std::pair(8192U, 4096U));
  EXPECT_EQ(span(geometry, 2, 11776, 512), std::pair(8192U, 8192U));
  config.ecc.frame = 1 << 20;  // whole units
  EXPECT_EQ(span(NandGeometry(config, 12288), 2, 11776, 512), std::pair(0U, 24576U));
  // With bit errors a read moves whole codewords.
  config.ecc.frame = 4096;
  config.ecc.codeword = 3072;
  EXPECT_EQ(NandGeometry(config, 12288).read_frame, 4096U);
  config.errors.model = "power_law";
  EXPECT_EQ(NandGeometry(config, 12288).read_frame, 6144U);
}

}  // namespace
}  // namespace flashloom::nand_geometry_test
