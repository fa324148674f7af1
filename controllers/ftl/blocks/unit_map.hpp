// L2P: logical unit -> physical unit, 4 bytes a unit, memory committed as it is touched.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "models/nand/zeroed_memory.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class UnitMap {
 public:
  /// Throws std::runtime_error if the memory is not to be had.
  explicit UnitMap(std::uint64_t units)
      : units_(units),
        memory_((units + 1) * sizeof(std::uint32_t)),
        entries_(reinterpret_cast<std::uint32_t*>(memory_.data())) {}

  std::uint64_t size() const { return units_; }
  void prefetch(std::uint32_t unit) const { __builtin_prefetch(entries_ + unit); }
  PhysicalUnit get(std::uint32_t unit) const { return entries_[unit] - 1; }  // 0 - 1 = kNoPhysicalUnit
  void set(std::uint32_t unit, PhysicalUnit to) { entries_[unit] = to + 1; }
  void clear(std::uint32_t unit) { entries_[unit] = 0; }
  void state(StateArchive& archive) {
    archive.mapping(memory_.data(), memory_.size(), [&] { archive.differences(entries_, units_); });
  }

 private:
  std::uint64_t units_;
  ZeroedMemory memory_;
  std::uint32_t* entries_;  // an entry holds physical unit + 1
};

}  // namespace flashloom
