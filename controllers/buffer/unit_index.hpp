// Which slot of the data buffer has the newest data of a mapping unit.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/eviction.hpp"

namespace flashloom {

/// A hash table of slots by unit, with linear probing (Knuth, TAOCP 3, 6.4, algorithms L and R). A row has eight bytes
/// and at most a third of the rows is used, so that a miss usually touches one cache line. (Boost has such tables from
/// 1.81 on; Debian 12 has 1.74, whose chains run through the memory of other entries.)
class UnitIndex {
 public:
  /// For so many slots at most.
  explicit UnitIndex(std::size_t slots)
      : rows_(std::bit_ceil(std::max<std::size_t>(3 * slots, 16))),
        mask_(rows_.size() - 1),
        shift_(64 - static_cast<unsigned>(std::countr_zero(rows_.size()))) {}

  /// kNoSlot: there is none.
  Slot find(std::uint32_t unit) const {
    for (std::size_t row = home(unit);; row = next(row))
      if (rows_[row].unit == unit || rows_[row].slot == kNoSlot) return rows_[row].slot;
  }
  /// Prefetches the row that find() reads first. always_inline, since GCC drops calls of functions that only prefetch.
  [[gnu::always_inline]] void prefetch(std::uint32_t unit) const { __builtin_prefetch(rows_.data() + home(unit)); }
  /// The slot that find() looks into first; kNoSlot: the unit is not there.
  Slot first_looked_into(std::uint32_t unit) const { return rows_[home(unit)].slot; }
  /// If the unit has another slot already, find() continues to return that one.
  void insert(std::uint32_t unit, Slot slot) {
    std::size_t row = home(unit);
    while (rows_[row].slot != kNoSlot) row = next(row);
    rows_[row] = {unit, slot};
  }
  /// It must be there.
  void erase(std::uint32_t unit, Slot slot) {
    std::size_t gap = home(unit);
    while (rows_[gap].slot != slot) {
      assert(rows_[gap].slot != kNoSlot);
      gap = next(gap);
    }
    // Rows up to the next empty one move up, unless they would then lie before the home row of their unit.
    for (std::size_t row = next(gap); rows_[row].slot != kNoSlot; row = next(row)) {
      if (((row - home(rows_[row].unit)) & mask_) < ((row - gap) & mask_)) continue;
      rows_[gap] = rows_[row];
      gap = row;
    }
    rows_[gap] = {};
  }

 private:
  struct Row {
    std::uint32_t unit = 0;
    Slot slot = kNoSlot;
  };
  // Fibonacci hashing (TAOCP 3, 6.4) of groups of four units, whose rows lie in one line of memory, two apart: a
  // sequential command touches few lines, and its units are not in each other's way.
  std::size_t home(std::uint32_t unit) const {
    return (((unit >> 2) * std::uint64_t{0x9E3779B97F4A7C15}) >> shift_) ^ ((unit & 3) << 1);
  }
  std::size_t next(std::size_t row) const { return (row + 1) & mask_; }

  std::vector<Row> rows_;  // their number is a power of two
  std::size_t mask_;
  unsigned shift_;
};

}  // namespace flashloom
