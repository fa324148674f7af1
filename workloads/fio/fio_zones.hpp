// zonemode=zbd: where the requests of a fio job go on a device with zones. The rules are those of fio 3.33's zbd.c.
//
// * The zones are the device's. If it has none, they are `zonesize` bytes each: fio keeps the write pointers itself,
//   and a reset sends no command.
// * A write goes to the write pointer of the zone that it was drawn for; with a limit on open zones it goes to another
//   zone if the drawn one cannot be opened. A write to a full zone resets the zone first.
// * A read stays below the write pointer, unless read_beyond_wp is given. A trim is of a whole zone, and resets it.
// * Jobs on one file share its zones.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/fio/fio_files.hpp"
#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// The zones of one file, shared by all jobs (fio's zoned_block_device_info).
struct FioZoneTable {
  struct Zone {
    std::uint64_t start = 0;  ///< bytes in the file
    std::uint64_t capacity = 0;
    std::uint64_t write_pointer = 0;
    bool open = false;        ///< counts towards the limit
    bool reset_next = false;  ///< the next write resets the zone

    std::uint64_t end() const { return start + capacity; }
    std::uint64_t data() const { return write_pointer - start; }
  };

  std::uint64_t zone_bytes = 0;
  std::vector<Zone> zones;
  bool commands = false;               ///< resets are commands to the device
  std::uint32_t max_open = 0;          ///< open zones of all jobs; 0: no limit, and open zones are not tracked
  std::vector<std::uint32_t> open{};   ///< open zones in the order in which they were opened
  std::deque<std::uint64_t> filled{};  ///< starts of filled zones whose last writes may be under way
  std::uint64_t bytes = 0;             ///< data in all zones
  std::uint64_t writes_to_reset = 0;   ///< zone_reset_frequency: writes left before one resets its zone

  std::uint32_t zone_of(std::uint64_t offset) const;
};

/// The zone tables of all jobs of a run, by the offset of their file on the device.
using FioZoneTables = std::map<std::uint64_t, std::shared_ptr<FioZoneTable>>;

/// One job's use of one file (fio's fio_file and thread_data).
class FioZones {
 public:
  /// Rounds `file` to whole zones if the job writes or trims. Throws WorkloadError (file, line, key).
  FioZones(const FioJob& job, FioFile& file, const DeviceSpace& device, FioZoneTables& tables);

  /// The direction to send in: `direction`, but a write instead of a read if the job is mixed and no zone holds data.
  std::size_t direction(std::size_t direction) const;

  /// Before a request is drawn, moves `next` and `window` to the next zone if the zone is finished
  /// (setup_zbd_zone_mode). `next` (bytes from the window's start) and `window` (bytes from the start of the job's
  /// part) are FioSource's; `window_bytes`: bytes sent since the window last moved.
  void before(std::size_t direction, std::uint64_t& next, std::uint64_t& window, std::uint64_t& window_bytes) const;

  struct Place {
    std::uint64_t at = 0;  ///< bytes in the file
    std::uint64_t length = 0;
    bool drain = false;                    ///< the job's requests in flight complete first
    std::optional<std::uint64_t> after{};  ///< start of a filled zone in whose place this one opens another
    std::optional<std::uint64_t> reset{};  ///< start of a zone that a command must reset first, bytes in the file
  };
  /// Moves a drawn request to its place in the zones, and resets a zone in the table if that place needs it
  /// (zbd_adjust_block). Returns nullopt if the file has no place for it.
  std::optional<Place> adjust(std::size_t direction, Place drawn);
  /// Start of the zone of a place, in bytes in the file.
  std::uint64_t start_of(std::uint64_t at) const { return table_->zones[table_->zone_of(at)].start; }
  /// Records that the request was sent, at its final place and length.
  void sent(std::size_t direction, std::uint64_t at, std::uint64_t length);

 private:
  using Zone = FioZoneTable::Zone;

  bool random() const { return job_->rw.random; }
  std::uint64_t least(std::size_t direction) const { return job_->bs[direction].least; }
  bool valid(std::uint64_t offset) const { return offset - file_.offset < file_.size; }
  bool limited() const { return table_->max_open != 0 || job_->zbd.job_max_open != 0; }
  bool full(const Zone& zone, std::uint64_t required) const { return zone.write_pointer + required > zone.end(); }
  std::uint32_t open_zone_for(std::uint64_t offset) const;
  bool open(std::uint32_t zone);
  void close(std::uint32_t zone);
  std::optional<std::uint32_t> other_zone(std::uint64_t offset, std::uint64_t required, bool& drain);
  std::optional<std::uint32_t> open_another(std::uint32_t zone, std::uint64_t required, bool& drain);
  std::optional<std::uint32_t> readable_zone(std::uint32_t from, std::uint64_t required) const;
  void reset(std::uint32_t zone, Place& place);
  bool reset_is_due();
  std::optional<Place> write(Place drawn);
  std::optional<Place> read(Place drawn) const;
  std::optional<Place> trim(Place drawn);
  void round_to_zones(FioFile& file) const;
  void count_writes_to_reset();

  const FioJob* job_;
  std::shared_ptr<FioZoneTable> table_;
  FioFile file_;
  std::uint32_t first_ = 0;  // zones of the job's part: [first_, end_)
  std::uint32_t end_ = 0;
  std::uint32_t opened_ = 0;              // open zones that this job opened
  std::optional<std::uint64_t> after_{};  // of the request being placed
};

}  // namespace flashloom
