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

/// Dirty physical sectors by address and by age. Data are put, taken (copied for the write) and retired once they are
/// on the platter; data written again in between stay dirty. A ticket tells when a range is on the platter. Memory is
/// reused: nothing is allocated once the buffer has been full.
class WriteBuffer {
 public:
  static constexpr std::uint32_t kMostParts = 8;
  using Parts = std::uint8_t;  ///< bit i: logical sector i of a physical sector

  struct Sector {
    Parts parts = 0;        ///< dirty ones
    Parts parts_after = 0;  ///< dirty ones written since the sector was taken
    bool taken = false;
    std::uint64_t oldest = 0;  ///< stamp of the first write that is not on the platter yet
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
  /// Reserves space for that many sectors; put() uses it.
  void reserve(std::uint64_t sectors) { reserved_ += sectors; }
  /// Begins a write, to which later put() calls belong. Stamps rise.
  void begin_write(std::uint64_t stamp) { stamp_ = stamp; }
  /// Stores the dirty parts of a sector; `tokens` has kMostParts entries.
  void put(DiskSector number, Parts parts, const std::array<SectorToken, kMostParts>& tokens);
  /// Null if the sector is not dirty.
  const Sector* find(DiskSector number) const {
    const auto found = sectors_.find(number);
    return found == sectors_.end() ? nullptr : &found->second;
  }

  /// First dirty sector in [first, end); `end` if there is none.
  DiskSector first_in(DiskSector first, DiskSector end) const {
    const auto found = sectors_.lower_bound(first);
    return found == sectors_.end() || found->first >= end ? end : found->first;
  }
  /// The sector dirty for longest; null if none is dirty.
  const Sector* oldest() const { return oldest_; }
  /// The oldest sector that was dirty when `stamp` was the newest stamp; null if none of those is still dirty.
  const Sector* oldest_until(std::uint64_t stamp) const;
  /// Adds the starts of up to `count` runs of consecutive dirty sectors around a sector, half of them on each side.
  void runs_around(DiskSector sector, std::uint32_t count, std::vector<DiskTask>& tasks) const;
  /// Length of the run of dirty sectors from `first` on, at most `most`.
  std::uint32_t run_length(DiskSector first, std::uint32_t most) const;

  /// Marks a sector, dirty and not taken, as being written.
  const Sector& take(DiskSector number);
  /// The taken data are on the platter. Appends the numbers of tickets that waited for nothing else.
  void retire(DiskSector number, std::vector<std::uint32_t>& durable);

  /// Registers a ticket for the dirty sectors in [first, end). False: nothing is dirty there.
  bool await(std::uint32_t number, DiskSector first, DiskSector end);
  struct Ticket {
    std::uint32_t number;
    std::uint64_t stamp;
    DiskSector first;
    DiskSector end;
    std::uint64_t remaining;
  };
  const std::vector<Ticket>& tickets() const { return tickets_; }

  /// Power loss: forgets everything.
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
