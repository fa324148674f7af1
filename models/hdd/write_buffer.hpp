// Written data on their way to a disk's platters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

#include "models/common/sector_token.hpp"
#include "models/hdd/disk_geometry.hpp"
#include "models/hdd/disk_order.hpp"

namespace flashloom {

/// Dirty physical sectors by address and by age. Data are put there, taken (a copy goes onto the platter) and retired
/// once they are on it; what is written anew meanwhile stays dirty. Whoever wants to know when data are on the platter
/// leaves a ticket. Memory is reused: none is allocated once the buffer has been full.
class WriteBuffer {
 public:
  static constexpr std::uint32_t kMostParts = 8;
  using Parts = std::uint8_t;  ///< bit i: logical sector i of a physical one

  struct Sector {
    Parts parts = 0;        ///< that are dirty
    Parts parts_after = 0;  ///< of those, written since the sector was taken
    bool taken = false;
    std::uint64_t oldest = 0;  ///< stamp of the first write that is not on the platter
    std::uint64_t oldest_after = 0;
    std::array<SectorToken, kMostParts> tokens{};
    Sector* older = nullptr;  // by age
    Sector* newer = nullptr;
    DiskSector number = 0;
  };

  /// `capacity`: sectors.
  explicit WriteBuffer(std::uint64_t capacity) : capacity_(capacity), sectors_(&memory_) {}

  std::uint64_t room() const { return capacity_ - sectors_.size() - reserved_; }
  std::uint64_t dirty() const { return sectors_.size(); }
  /// Room for so many is somebody's from now on; put() takes it.
  void reserve(std::uint64_t sectors) { reserved_ += sectors; }
  /// Begins a write: all that is put belongs to it. Stamps rise.
  void begin_write(std::uint64_t stamp) { stamp_ = stamp; }
  /// `tokens` of the dirty parts, kMostParts of them.
  void put(DiskSector number, Parts parts, const std::array<SectorToken, kMostParts>& tokens);
  /// Null if it is not dirty.
  const Sector* find(DiskSector number) const {
    const auto found = sectors_.find(number);
    return found == sectors_.end() ? nullptr : &found->second;
  }

  /// First dirty sector in [first, end); `end` if there is none.
  DiskSector first_in(DiskSector first, DiskSector end) const {
    const auto found = sectors_.lower_bound(first);
    return found == sectors_.end() || found->first >= end ? end : found->first;
  }
  /// The one that has been waiting longest; null if none is dirty.
  const Sector* oldest() const { return oldest_; }
  /// Of those that were dirty when the stamp was the newest; null if none is any more.
  const Sector* oldest_until(std::uint64_t stamp) const;
  /// Adds the begins of up to `count` runs of consecutive dirty sectors around a sector, half of them on each side.
  void runs_around(DiskSector sector, std::uint32_t count, std::vector<DiskTask>& tasks) const;
  /// Consecutive dirty sectors from `first` on, `most` at most.
  std::uint32_t run_length(DiskSector first, std::uint32_t most) const;

  /// It is being written. Dirty, and not taken.
  const Sector& take(DiskSector number);
  /// What was taken is on the platter. Adds the tickets' numbers that have waited for it only.
  void retire(DiskSector number, std::vector<std::uint32_t>& durable);

  /// Wants to know when all that is dirty in [first, end) now is on the platter. False: nothing is dirty there.
  bool await(std::uint32_t number, DiskSector first, DiskSector end);
  struct Ticket {
    std::uint32_t number;
    std::uint64_t stamp;
    DiskSector first;
    DiskSector end;
    std::uint64_t remaining;
  };
  const std::vector<Ticket>& tickets() const { return tickets_; }

  /// Power is lost.
  void clear();

 private:
  void append(Sector& sector);
  void remove(Sector& sector);

  std::uint64_t capacity_;
  std::uint64_t reserved_ = 0;
  std::uint64_t stamp_ = 0;
  std::pmr::unsynchronized_pool_resource memory_;
  std::pmr::map<DiskSector, Sector> sectors_;
  Sector* oldest_ = nullptr;
  Sector* newest_ = nullptr;
  std::vector<Ticket> tickets_;
};

}  // namespace flashloom
