#include "sc_main/program/pictures/tables.hpp"

#include <gtest/gtest.h>

#include "models/nand/nand_config.hpp"

namespace flashloom::tables_test {
namespace {

TEST(PictureTables, LatencyCdfStepsByBucket) {
  HostStatistics statistics;
  // Below 128 ps each value has a bucket of its own.
  for (const Picoseconds latency : {100, 100, 120, 7}) statistics.operations[1].latency.add(latency);
  EXPECT_EQ(latency_cdf_csv(statistics),
            "operation,latency_ns,share,above\n"
            "write,0.007,0.25,0.75\n"
            "write,0.1,0.75,0.25\n"
            "write,0.12,1,0\n");
}

TEST(PictureTables, WearCountsEraseUnitsByErases) {
  NandConfig config;
  config.channels = 1;
  config.ways = 2;
  config.blocks = 3;
  config.pages = 4;
  const NandGeometry geometry(config, 4096);
  NandMedia media(geometry, true, 0);
  for (const std::uint32_t block : {0, 1, 1}) {
    OnfiCommand erase;
    erase.operation = FlashOperation::Erase;
    erase.address = {Die{1}, Block{block}, Page{0}};
    media.apply(erase);
  }
  EXPECT_EQ(wear_csv(media), "erases,blocks\n0,4\n1,1\n2,1\n");
}

TEST(PictureTables, SharesTurnPartsIntoLines) {
  const auto utilization = nlohmann::ordered_json::parse(
      R"({"dies": [{"idle": 0.5, "read": 0.25, "erase": 0.25}, {"idle": 1.0, "read": 0, "erase": 0}]})");
  EXPECT_EQ(shares_csv(utilization, "dies"), "row,part,idle,read,erase\n0,die 0,0.5,0.25,0.25\n1,die 1,1,0,0\n");
}

// Two steps of 1 us from 3 us on, at a supply of 2 V.
TEST(PictureTables, PowerByKind) {
  PowerByKind power;
  power.from = 3 * kMicrosecond;
  power.bins = BinCut(kMicrosecond, 2 * kMicrosecond);
  power.kinds = {"nand", "link"};
  power.watts = {{1, 2}, {0.5, 0.25}};
  power.total = {1.5, 2.25};
  const std::string lines =
      "time_s,duration_s,power_w,current_a,nand_w,link_w\n"
      "3e-06,1e-06,1.5,0.75,1,0.5\n"
      "4e-06,1e-06,2.25,1.125,2,0.25\n";
  EXPECT_EQ(power_by_kind_csv(power, 2), lines);
  EXPECT_EQ(power_by_kind_csv(power, 2, true), lines + "5e-06,0,2.25,1.125,2,0.25\n");
  EXPECT_EQ(power_by_kind_csv({}, 2, true), "time_s,duration_s,power_w,current_a\n");
}

}  // namespace
}  // namespace flashloom::tables_test
