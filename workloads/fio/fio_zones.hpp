// zonemode=zbd: where the requests of a fio job go on a device with zones. The rules are those of fio 3.33's zbd.c.
//
// * Zones are the device's, or `zonesize` bytes each where the device has none: then fio keeps write pointers itself, and
//   resets send nothing.
// * A write goes to the write pointer of the zone that it was drawn for, or with a limit of open zones to that of one
//   that is open. A zone that is full is reset when a write comes to it.
// * A read stays below the write pointer, unless read_beyond_wp; a trim, of whole zones, is a reset.
// * Jobs on one file share its zones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/fio/fio_files.hpp"
#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// The zones of one file, whatever job writes them (fio's zoned_block_device_info).
struct FioZoneTable {
  struct Zone {
    std::uint64_t start = 0;  ///< bytes in the file
    std::uint64_t capacity = 0;
    std::uint64_t write_pointer = 0;
    bool open = false;        ///< counts towards the limit
    bool reset_next = false;  ///< by the next write

    std::uint64_t end() const { return start + capacity; }
    std::uint64_t data() const { return write_pointer - start; }
  };

  std::uint64_t zone_bytes = 0;
  std::vector<Zone> zones;
  bool commands = false;               ///< resets are commands to the device
  std::uint32_t max_open = 0;          ///< of all jobs; 0: no limit, and nothing is tracked
  std::vector<std::uint32_t> open{};   ///< in the order in which they were opened
  std::uint64_t bytes = 0;             ///< data in all zones
  std::uint64_t writes_to_reset = 0;   ///< zone_reset_frequency counts down

  std::uint32_t zone_of(std::uint64_t offset) const;
};

/// Tables by the begin of their files: of all jobs of a run.
using FioZoneTables = std::map<std::uint64_t, std::shared_ptr<FioZoneTable>>;

/// One job's use of one file (fio's fio_file and thread_data).
class FioZones {
 public:
  /// `file` is rounded to whole zones where the job writes. Throws WorkloadError (file, line, key).
  FioZones(const FioJob& job, FioFile& file, const DeviceSpace& device, FioZoneTables& tables);

  /// A pass over the file begins.
  void begin_pass();
  /// No read while there is nothing to read, if the job can write.
  std::size_t direction(std::size_t direction) const;

  /// Before a request is drawn (setup_zbd_zone_mode): `next`, `window`: as in FioSource, bytes from the job's begin in
  /// the file; `window_bytes`: sent since the window has moved.
  void before(std::size_t direction, std::uint64_t& next, std::uint64_t& window, std::uint64_t& window_bytes) const;

  struct Place {
    std::uint64_t at = 0;  ///< bytes in the file
    std::uint64_t length = 0;
    bool drain = false;                    ///< what the job has in flight completes first
    std::optional<std::uint64_t> reset{};  ///< begin of a zone that is reset by a command first
  };
  /// Where a request that was drawn goes (zbd_adjust_block); nothing: the file has ended. What is reset is reset.
  std::optional<Place> adjust(std::size_t direction, Place drawn);
  /// It is sent, so long as it is now.
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
  std::uint32_t first_ = 0;  // zones of the job's part
  std::uint32_t end_ = 0;
  std::uint32_t opened_ = 0;                // by this job
  std::optional<std::uint32_t> closing_{};  // filled by the last write: it closes when that completes
};

}  // namespace flashloom
