#include "models/memory/nvram_kinds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flashloom::nvram_kinds_test {
namespace {

TEST(NvramKinds, AllHaveFiguresAndSources) {
  std::vector<std::string> names;
  for (const NvramKind& kind : nvram_kinds()) {
    names.emplace_back(kind.name);
    EXPECT_EQ(kind.defaults.kind, kind.name);
    EXPECT_FALSE(kind.summary.empty());
    EXPECT_FALSE(kind.source.empty());
    EXPECT_GT(kind.defaults.size, 0U);
    EXPECT_GT(kind.defaults.bandwidth, 0U);
    EXPECT_GT(kind.defaults.read_latency, 0U);
    EXPECT_GT(kind.defaults.write_latency, 0U);
    EXPECT_GT(kind.defaults.write_energy, 0.0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"stt_mram", "pcm", "feram", "bbdram"}));
}

TEST(NvramKinds, OnlyDramRefreshesAndLastsForEver) {
  for (const NvramKind& kind : nvram_kinds()) {
    EXPECT_EQ(kind.defaults.refresh_interval != 0, kind.name == "bbdram");
    EXPECT_EQ(kind.defaults.endurance == 0, kind.name == "bbdram");
  }
}

TEST(NvramKinds, FiguresOfTheDataSheets) {
  const NvramConfig& feram = find_nvram_kind("feram")->defaults;
  EXPECT_NEAR(feram.read_energy, 1.45e-9, 1e-15);       // 2.9 nJ per 2 bytes
  EXPECT_NEAR(feram.background_power, 1.188e-3, 1e-9);  // 4 x 90 uA x 3.3 V
  const NvramConfig& stt = find_nvram_kind("stt_mram")->defaults;
  EXPECT_NEAR(stt.write_energy, 12.125e-9, 1e-15);  // 97 nJ per 8 bytes
  const NvramConfig& dram = find_nvram_kind("bbdram")->defaults;
  EXPECT_NEAR(dram.read_energy, 73.5e-12, 1e-15);  // 0.2352 W / 3.2 GB/s
  EXPECT_NEAR(dram.background_power, 32.64e-3, 1e-9);
  EXPECT_NEAR(dram.refresh_energy, 25.7088e-9, 1e-15);  // 0.19776 W x 130 ns
}

TEST(NvramKinds, Unknown) {
  EXPECT_EQ(find_nvram_kind("none"), nullptr);
  EXPECT_EQ(find_nvram_kind("STT_MRAM"), nullptr);
}

}  // namespace
}  // namespace flashloom::nvram_kinds_test
