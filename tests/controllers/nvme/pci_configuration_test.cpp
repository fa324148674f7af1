#include "controllers/nvme/pci_configuration.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace flashloom::nvme::pci_configuration_test {
namespace {

std::uint32_t read(const PciConfiguration& space, std::uint32_t offset, std::uint32_t bytes = 4) {
  std::uint32_t value = 0;
  space.read(offset, reinterpret_cast<std::byte*>(&value), bytes);
  return value;
}

void write(PciConfiguration& space, std::uint32_t offset, std::uint32_t value, std::uint32_t bytes = 4) {
  space.write(offset, reinterpret_cast<const std::byte*>(&value), bytes);
}

TEST(PciConfiguration, MasksWritesByteByByte) {
  PciConfiguration space({.bar_bytes = 32768, .vectors = 5, .table_first = 0x2000, .pending_first = 0x3000});
  const std::uint32_t identity = read(space, 0);
  for (std::uint32_t offset = 0; offset < 4096; offset += 4) write(space, offset, 0xffffffff);
  EXPECT_EQ(read(space, 0), identity);
  EXPECT_EQ(read(space, 0x10), 0xffff8004U);
  EXPECT_EQ(read(space, 0x14), 0xffffffffU);
  EXPECT_EQ(read(space, 0x52, 2), 0xc004U);
  EXPECT_EQ(read(space, 0x54), 0x2000U);
  EXPECT_EQ(read(space, 0x200), 0U);
  EXPECT_FALSE(space.answers());  // the first write also set D3
  write(space, 0x44, 0, 1);
  EXPECT_TRUE(space.answers());
  EXPECT_TRUE(space.vectors_enabled());
  EXPECT_TRUE(space.vectors_masked());
  write(space, 0x53, 0x80, 1);
  EXPECT_FALSE(space.vectors_masked());
  space.reset();
  EXPECT_FALSE(space.answers());
  EXPECT_FALSE(space.bus_master());
  EXPECT_FALSE(space.vectors_enabled());
}

TEST(PciConfiguration, TellsOfAFunctionLevelReset) {
  PciConfiguration space({.bar_bytes = 32768, .vectors = 5, .table_first = 0x2000, .pending_first = 0x3000});
  EXPECT_EQ(read(space, 0x64) >> 28U & 1U, 1U);
  const auto tells = [&](std::uint32_t offset, std::uint32_t value, std::uint32_t bytes) {
    return space.write(offset, reinterpret_cast<const std::byte*>(&value), bytes);
  };
  EXPECT_TRUE(tells(0x68, 0x8000, 2));
  EXPECT_TRUE(tells(0x68, 0x8000, 4));
  EXPECT_TRUE(tells(0x69, 0x80, 1));
  EXPECT_EQ(read(space, 0x68, 2), 0U);  // it is not kept
  EXPECT_FALSE(tells(0x68, 0x7fff, 2));
  EXPECT_FALSE(tells(0x68, 0x80, 1));
  EXPECT_FALSE(tells(0x6a, 0x8000, 2));
}

}  // namespace
}  // namespace flashloom::nvme::pci_configuration_test
