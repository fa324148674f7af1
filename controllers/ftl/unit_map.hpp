// L2P: logical unit -> physical unit, 4 bytes a unit, memory committed as it is touched.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <new>

#include "controllers/ftl/block_table.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class UnitMap {
 public:
  explicit UnitMap(std::uint64_t units) : units_(units), bytes_((units + 1) * sizeof(std::uint32_t)) {
    // Anonymous mappings begin as zeroes and cost nothing until they are written; an entry holds physical unit + 1.
    void* const memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    entries_ = static_cast<std::uint32_t*>(memory);
  }
  UnitMap(const UnitMap&) = delete;
  UnitMap& operator=(const UnitMap&) = delete;
  ~UnitMap() { ::munmap(entries_, bytes_); }

  std::uint64_t size() const { return units_; }
  void prefetch(std::uint32_t unit) const { __builtin_prefetch(entries_ + unit); }
  PhysicalUnit get(std::uint32_t unit) const { return entries_[unit] - 1; }  // 0 - 1 = kNoPhysicalUnit
  void set(std::uint32_t unit, PhysicalUnit to) { entries_[unit] = to + 1; }
  void clear(std::uint32_t unit) { entries_[unit] = 0; }
  void state(StateArchive& archive) { archive.differences(entries_, units_); }

 private:
  std::uint64_t units_;
  std::size_t bytes_;
  std::uint32_t* entries_;
};

}  // namespace flashloom
