// An instant-clock device for FTLs that merge blocks, on sequences worked by hand, and its flash counts by origin.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/instant_device.hpp"

namespace flashloom {

inline constexpr std::uint64_t kUnit = 512;

/// Programs and reads in units, erases in erase units.
struct Counts {
  std::uint64_t host, merge_reads, merges, erases;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << "host programs " << c.host << ", merge reads " << c.merge_reads << ", merge programs " << c.merges
               << ", erases " << c.erases;
  }
};

/// One die of 12 blocks of 8 pages of one unit, 6 logical blocks.
inline DeviceConfig twelve_blocks(bool in_order) {
  DeviceConfig config;
  config.verify = true;
  config.nand.channels = config.nand.ways = 1;
  config.nand.blocks = 12;
  config.nand.pages = 8;
  config.nand.page_size = kUnit;
  config.nand.in_order_program = in_order;
  config.ftl.mapping_unit = kUnit;
  config.ftl.logical_size = 48 * kUnit;
  return config;
}

/// The same device with nvram_block and a write buffer of 16 units in NVRAM: 8 resident and 8 in flight to flash.
inline DeviceConfig buffered_blocks(const char* policy, bool in_order = false) {
  DeviceConfig config = twelve_blocks(in_order);
  config.ftl.kind = {"nvram_block", {}};
  config.buffer.size = 16 * kUnit;
  config.buffer.destage_units = 8;
  config.buffer.evict = "blocks";
  config.buffer.write_buffer = {policy, {}};
  return config;
}

class MergeBench {
 public:
  explicit MergeBench(const DeviceConfig& config) : device(config) {}
  ~MergeBench() { EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch(); }
  MergeBench(const MergeBench&) = delete;
  MergeBench& operator=(const MergeBench&) = delete;
  void write(std::initializer_list<std::uint64_t> units) {
    for (const std::uint64_t unit : units) device.write(unit * kUnit, kUnit);
  }
  void write_block(std::uint64_t block) {
    for (std::uint64_t unit = 8 * block; unit < 8 * block + 8; ++unit) device.write(unit * kUnit, kUnit);
  }
  Counts counts() const {
    const FlashCounters& counters = device.flash.counters();
    return {counters.at(FlashOperation::Program, Origin::Host).units,
            counters.at(FlashOperation::Read, Origin::Merge).units,
            counters.at(FlashOperation::Program, Origin::Merge).units,
            counters.at(FlashOperation::Erase, Origin::Merge).pages};
  }
  std::array<std::uint64_t, 3> merges() const {
    const FtlStatistics::Merges& merges = device.firmware->ftl().statistics().merges;
    return {merges.switched, merges.partial, merges.full};
  }
  InstantDevice device;
};

}  // namespace flashloom
