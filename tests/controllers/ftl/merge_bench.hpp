// A device without time for FTLs that merge blocks, on sequences worked by hand: what its flash did, by origin.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>

#include "controllers/ssd/instant_device.hpp"

namespace flashloom {

inline constexpr std::uint64_t kUnit = 512;

/// Of programs, reads and erases, in units and erase units.
struct Counts {
  std::uint64_t host, merge_reads, merges, erases;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << "host programs " << c.host << ", merge reads " << c.merge_reads << ", merge programs " << c.merges
               << ", erases " << c.erases;
  }
};

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
