// Trims per unit, each with the version of the newest data that it invalidates: data of the unit up to that version do
// not count. The versions make them independent of the order of programs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/nand/zeroed_memory.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class Tombstones {
 public:
  explicit Tombstones(std::uint64_t units)
      : units_(units),
        memory_(units * sizeof(std::uint64_t)),
        versions_(reinterpret_cast<std::uint64_t*>(memory_.data())) {}

  std::uint64_t size() const { return units_; }
  /// 0 if there is none; versions begin at 1.
  std::uint64_t version(std::uint32_t unit) const { return versions_[unit]; }
  void bury(std::uint32_t unit, std::uint64_t version) {
    count_ += versions_[unit] == 0 && version != 0 ? 1 : 0;
    versions_[unit] = std::max(versions_[unit], version);
  }
  /// The tombstone is no longer needed: newer data are safe on flash, or no older data are left.
  void forget(std::uint32_t unit) {
    count_ -= versions_[unit] != 0 ? 1 : 0;
    versions_[unit] = 0;
  }
  std::uint64_t count() const { return count_; }
  void state(StateArchive& archive) {
    archive(count_);
    archive.mapping(memory_.data(), memory_.size(), [&] { archive.differences(versions_, units_); });
  }

 private:
  std::uint64_t units_;
  std::uint64_t count_ = 0;
  ZeroedMemory memory_;
  std::uint64_t* versions_;
};

}  // namespace flashloom
