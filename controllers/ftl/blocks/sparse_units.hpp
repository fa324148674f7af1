// Places of a few units of a large map: a hash table with linear probing, in which neighbours lie together.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "controllers/ftl/records/block_numbers.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class SparseUnits {
 public:
  /// So many neighbours, from a multiple of it on, are a group, which is found in one go.
  static constexpr std::uint32_t kGroup = 16;

  /// Null: it has none of this unit.
  PhysicalUnit* find(std::uint32_t unit) { return const_cast<PhysicalUnit*>(std::as_const(*this).find(unit)); }
  const PhysicalUnit* find(std::uint32_t unit) const {
    for (std::size_t at = home(unit); slots_[at].key != 0; at = after(at))
      if (slots_[at].key == unit + 1) return &slots_[at].place;
    return nullptr;
  }
  /// Adds a unit that it does not have. Before it grows, it drops the units for which `keep(unit)` is false.
  template <class Keep>
  void add(std::uint32_t unit, PhysicalUnit place, Keep keep) {
    if (2 * ++used_ > slots_.size()) grow(keep);
    put({unit + 1, place});
  }
  /// Calls f(unit, place) for each unit that it has of a group.
  template <class F>
  void for_group(std::uint32_t group, F f) const {
    for (std::size_t at = home(group * kGroup); slots_[at].key != 0; at = after(at))
      if ((slots_[at].key - 1) / kGroup == group) f(slots_[at].key - 1, slots_[at].place);
  }

  void state(StateArchive& archive) { archive(slots_, used_); }

 private:
  struct Slot {
    std::uint32_t key;  // unit + 1; 0: free
    PhysicalUnit place;
  };

  std::size_t home(std::uint32_t unit) const {  // Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4
    return (unit / kGroup * std::uint64_t{0x9E3779B97F4A7C15}) >> (64 - std::countr_zero(slots_.size()));
  }
  std::size_t after(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void put(Slot slot) {
    std::size_t at = home(slot.key - 1);
    while (slots_[at].key != 0) at = after(at);
    slots_[at] = slot;
  }
  template <class Keep>
  void grow(Keep keep) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    used_ = 1;
    for (const Slot& slot : old) {
      if (slot.key == 0 || !keep(slot.key - 1)) continue;
      put(slot);
      ++used_;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two
  std::uint64_t used_ = 0;
};

}  // namespace flashloom
