// The state machine of a zoned namespace, as in the NVMe Zoned Namespace Command Set Specification 1.1, chapter 2.1:
// zone states and resources, write pointers, what each command may do and its status. It decides by itself, in the
// order of commands; the FTL carries the decisions out. Addresses and lengths are logical blocks, which are mapping
// units on a zoned device.
//
// Where the specification leaves a choice:
//  * If all open resources are in use, a write, append or open that needs one closes the zone that was opened
//    implicitly longest ago. (There are no Zone Active Excursions: the controller never finishes a zone by itself.)
//  * Active resources are checked before open resources.
//  * An open with a random write area requires an empty zone, or one that has an area already. Lack of an area is
//    reported before lack of other resources. Finish, reset and the end of the zone release the area; close does not.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "models/block/io_command.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

inline constexpr std::uint32_t kNoZone = ~std::uint32_t{0};

/// Command counts, as reported in result.json.
struct ZoneStatistics {
  std::uint64_t writes = 0;
  std::uint64_t appends = 0;
  std::uint64_t opens = 0;  ///< commands that opened a zone
  std::uint64_t closes = 0;
  std::uint64_t finishes = 0;
  std::uint64_t resets = 0;
  std::uint64_t commits = 0;          ///< commits of random write areas, by command
  std::uint64_t implicit_opens = 0;   ///< by writes and appends
  std::uint64_t implicit_closes = 0;  ///< to make room for opening another zone
  std::uint64_t implicit_commits = 0;
  std::uint64_t filled = 0;                          ///< zones that were written to their end
  std::uint64_t area_blocks = 0;                     ///< logical blocks written to random write areas
  std::uint64_t overwritten_blocks = 0;              ///< of these, blocks written again before their commit
  std::array<std::uint64_t, kIoStatuses> refused{};  ///< commands, by status

  template <class F>
  void each(F&& f) {
    f(writes, appends, opens, closes, finishes, resets, commits, implicit_opens, implicit_closes, implicit_commits,
      filled, refused);
  }
  /// Only for devices with random write areas.
  template <class F>
  void each_of_areas(F&& f) {
    f(area_blocks, overwritten_blocks);
  }
};

class ZoneTable {
 public:
  struct Shape {
    std::uint32_t zones = 0;
    std::uint32_t zone_size = 0;  ///< logical blocks from the start of one zone to the next
    std::uint32_t capacity = 0;   ///< writable logical blocks of a zone; at most zone_size
    std::uint32_t max_open = 0;   ///< zones; at least 1, at most max_active
    std::uint32_t max_active = 0;
    std::uint32_t append_limit = 0;      ///< most logical blocks of an append; 0: no limit
    std::uint32_t random_area = 0;       ///< logical blocks of a zone's random write area (ZRWA); 0: none
    std::uint32_t random_granule = 1;    ///< commits are multiples of this (ZRWAFG)
    std::uint32_t max_random_areas = 0;  ///< most zones with an area at a time (NUMZRWA); 0: no limit
  };

  struct Zone {
    ZoneState state = ZoneState::Empty;
    bool random_area = false;
    bool unordered = false;            ///< it has had a random write area since its last reset or power cut
    bool releasing = false;            ///< its area is released, but the device must still carry out accepted writes
    std::uint32_t written = 0;         ///< logical blocks before the write pointer
    std::vector<std::uint8_t> area{};  ///< by logical block modulo two areas: written and not committed
  };

  explicit ZoneTable(const Shape& shape);

  // --- Commands. Each changes the table at once, or returns an error and changes nothing.
  IoStatus write(std::uint64_t first, std::uint64_t count);
  /// Appends to the zone that starts at `start`; sets `placed` to the address written.
  IoStatus append(std::uint64_t start, std::uint64_t count, std::uint64_t& placed);
  IoStatus read(std::uint64_t first, std::uint64_t count) const;
  /// `start`: of the zone, or kAll (Select All).
  IoStatus open(std::uint64_t start, bool random_area);
  IoStatus close(std::uint64_t start);
  IoStatus finish(std::uint64_t start);
  IoStatus reset(std::uint64_t start);
  IoStatus offline(std::uint64_t start);
  /// Commits the zone's random write area up to and including the logical block `last`.
  IoStatus commit(std::uint64_t last);
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  /// Zones that the last command finished, reset or gave a random write area, or whose write pointer moved; in order.
  const std::vector<std::uint32_t>& changed() const { return changed_; }

  // --- State changes by the device.
  /// The zone's blocks fail: data already written stay readable; further writes are refused.
  void make_read_only(std::uint32_t zone);
  void make_offline(std::uint32_t zone);
  /// Zones changed by these functions since power-on, in order.
  const std::vector<std::uint32_t>& device_changes() const { return device_changes_; }
  /// All writes accepted for the zone are carried out: a random write area that it has released becomes available.
  void settle(std::uint32_t zone);
  /// After power-on: all data before `written` are present. Open zones become closed; a zone that is fully written or
  /// was `finished` is full.
  void restore(std::uint32_t zone, std::uint32_t written, bool finished);

  const Shape& shape() const { return shape_; }
  const Zone& operator[](std::uint32_t zone) const { return zones_[zone]; }
  std::uint32_t zone_of(std::uint64_t block) const { return static_cast<std::uint32_t>(block / shape_.zone_size); }
  std::uint64_t start_of(std::uint32_t zone) const { return std::uint64_t{zone} * shape_.zone_size; }
  /// The zone descriptor, with addresses and capacity in bytes.
  ZoneDescriptor describe(std::uint32_t zone, std::uint32_t block_bytes) const;
  std::uint32_t open_zones() const { return open_; }
  std::uint32_t active_zones() const { return active_; }
  std::uint32_t random_areas() const { return areas_; }  ///< random write areas in use
  std::uint32_t count(ZoneState state) const;
  const ZoneStatistics& statistics() const { return statistics_; }
  ZoneStatistics& statistics() { return statistics_; }

  void state(StateArchive& archive);

 private:
  bool is_open(const Zone& zone) const {
    return zone.state == ZoneState::ImplicitlyOpened || zone.state == ZoneState::ExplicitlyOpened;
  }
  bool is_active(const Zone& zone) const { return is_open(zone) || zone.state == ZoneState::Closed; }
  std::uint64_t blocks() const { return std::uint64_t{shape_.zones} * shape_.zone_size; }
  void enter(std::uint32_t zone, ZoneState state);
  void take_offline(std::uint32_t zone);
  IoStatus writable(std::uint32_t zone) const;
  IoStatus take_resources(std::uint32_t zone);
  IoStatus open_implicitly(std::uint32_t zone);
  void advance(std::uint32_t zone, std::uint32_t written);
  void note_in_area(Zone& zone, std::uint64_t begin, std::uint64_t end);
  template <class Wanted, class Each>
  IoStatus manage(std::uint64_t start, Wanted wanted, Each each);
  IoStatus open_zone(std::uint32_t zone, bool random_area);
  IoStatus close_zone(std::uint32_t zone);
  IoStatus finish_zone(std::uint32_t zone);
  IoStatus reset_zone(std::uint32_t zone);
  IoStatus open_all();
  IoStatus counted(IoStatus status) {
    if (status != IoStatus::Ok) ++statistics_.refused[static_cast<std::size_t>(status)];
    return status;
  }

  Shape shape_;
  std::vector<Zone> zones_;
  std::list<std::uint32_t> implicit_;  // implicitly opened zones, oldest first
  std::uint32_t open_ = 0;
  std::uint32_t active_ = 0;
  std::uint32_t areas_ = 0;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint32_t> device_changes_;
  ZoneStatistics statistics_;
};

}  // namespace flashloom
