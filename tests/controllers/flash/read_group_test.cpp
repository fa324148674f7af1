// Which reads of a request go to a die as one group.
#include "controllers/flash/read_group.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "models/nand/nand_config.hpp"

namespace flashloom::read_group_test {
namespace {

NandConfig device(const char* layout) {
  NandConfig config;
  config.channels = 2;
  config.ways = 1;
  config.planes = 2;
  config.blocks = 4;
  config.pages = 12;
  config.multi_plane_program = true;
  config.multi_plane_read = true;
  config.pages_per_program = 3;
  config.unit_layout = layout;
  return config;
}

struct Read {
  std::uint32_t die, page;
};

/// The groups in which reads are issued, as "die:page,page ...".
std::string groups(const NandConfig& config, const std::vector<Read>& reads) {
  const NandGeometry geometry(config, 4096);
  NandMedia media(geometry, true, 0);
  ReadGroups gather(geometry);
  EXPECT_FALSE(gather.none());
  std::deque<OnfiCommand> commands;
  for (const Read& read : reads) {
    commands.emplace_back().address = {Die{read.die}, Block{1}, Page{read.page}};
    gather.add(commands.back(), media);
  }
  std::string text;
  for (int twice = 0; twice < 2; ++twice)  // the second pass finds nothing left
    gather.take_all([&](OnfiCommand& first) {
      text += (text.empty() ? "" : " ") + std::to_string(first.address.die.value()) + ":";
      for (const OnfiCommand* each = &first; each != nullptr; each = each->together)
        text += (each == &first ? "" : ",") + std::to_string(each->address.page.value());
    });
  return text;
}

TEST(ReadGroups, RowsInEitherLayout) {
  EXPECT_EQ(groups(device("plane_first"), {{0, 0}, {0, 1}, {0, 2}, {0, 3}}), "0:0,1 0:2,3");
  EXPECT_EQ(groups(device("page_first"), {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}), "0:0,3 0:1,4 0:2,5");
}

TEST(ReadGroups, WhateverOrderTheyComeIn) {
  EXPECT_EQ(groups(device("plane_first"), {{0, 1}, {0, 0}}), "0:1,0");
  EXPECT_EQ(groups(device("plane_first"), {{0, 0}, {0, 2}, {0, 1}, {0, 4}, {0, 3}}), "0:0,1 0:2,3 0:4");
  EXPECT_EQ(groups(device("plane_first"), {{0, 0}, {1, 1}, {0, 3}, {1, 0}, {0, 1}}), "0:0,1 1:1,0 0:3");
}

TEST(ReadGroups, AGroupHasAPageOfEachPlaneAtMost) {
  EXPECT_EQ(groups(device("plane_first"), {{0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}}), "0:0,1 0:0,1 0:1");
}

TEST(ReadGroups, NoneWithoutMultiPlaneReads) {
  NandConfig config = device("plane_first");
  config.multi_plane_read = false;
  EXPECT_TRUE(ReadGroups(NandGeometry(config, 4096)).none());
}

}  // namespace
}  // namespace flashloom::read_group_test
