// A small drive with flexible data placement, on the instant clock.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/ftl/features/fdp/reclaim_units.hpp"
#include "controllers/ftl/oob.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "workloads/request.hpp"

namespace flashloom {

class FdpDrive final : public InstantDevice {
 public:
  static constexpr std::uint64_t kUnit = 4096;
  using InstantDevice::InstantDevice;

  void put(std::uint64_t unit, std::uint16_t identifier) {
    ASSERT_EQ(run({.offset = unit * kUnit,
                   .length = kUnit,
                   .kind = RequestKind::Write,
                   .directive = RequestDirective::DataPlacement,
                   .identifier = identifier}),
              IoStatus::Ok);
  }
  void update(std::uint16_t identifier) {
    run({.kind = RequestKind::Flush, .directive = RequestDirective::DataPlacement, .identifier = identifier});
  }
  FtlStatistics statistics() const { return firmware->ftl().statistics(); }
  std::uint64_t room(std::uint32_t stream) const { return firmware->ftl().reclaim_units()->room(stream).units; }
  std::uint32_t units() const { return static_cast<std::uint32_t>(firmware->capacity_bytes() / kUnit); }

  /// Logical units stored in a block, valid or not.
  std::vector<std::uint32_t> units_on(std::uint32_t die, std::uint32_t block) const {
    const OobLayout layout(firmware->capacity_bytes() / kUnit);
    const NandMedia::BlockWords words = media.words(Die{die}, Block{block});
    std::vector<std::uint32_t> found;
    for (std::uint32_t unit = 0; unit < geometry.units_per_block(); ++unit)
      if (layout.is_data(words[unit])) found.push_back(layout.unit(words[unit]));
    return found;
  }
};

// 4 dies of 32 blocks of 16 pages; a page holds one mapping unit: a superblock over all dies has 64 units.
inline DeviceConfig fdp_device(std::uint32_t groups = 1, std::uint32_t handles = 2,
                               std::vector<std::uint32_t> persistent = {}) {
  DeviceConfig config;
  config.nand.channels = 2;
  config.nand.ways = 2;
  config.nand.planes = 1;
  config.nand.blocks = 32;
  config.nand.pages = 16;
  config.nand.page_size = FdpDrive::kUnit;
  config.ftl.over_provisioning = 0.6;
  config.ftl.gc_unit = "superblock";
  config.ftl.superblock_dies = 4 / groups;
  config.ftl.fdp = {.groups = groups, .handles = handles, .persistent = std::move(persistent)};
  config.buffer.mode = "write_through";  // every write reaches the FTL
  config.buffer.size = 1 << 20;
  return config;
}

}  // namespace flashloom
