// Family "ftl": the flash translation layer, between the data buffer (logical units) and the flash port (pages).
//
// Decisions and deeds are apart. Every decision of an FTL (where a unit goes, which erase unit is collected, what is
// copied where) is made synchronously, in the order in which units are handed to it, and changes its tables at once;
// the flash commands follow, each waiting for what it needs (data, an erased block, its turn in the block). So the
// final state does not depend on timing: a timed run and an instant run that hand over the same units in the same order
// end alike.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "controllers/ftl/ftl_statistics.hpp"
#include "controllers/runtime/task.hpp"
#include "models/block/latency_breakdown.hpp"
#include "models/block/placement_id.hpp"
#include "models/common/cache_turnover.hpp"
#include "models/onfi/onfi_command.hpp"
#include "policies/state_archive.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom {

class DieHistory;

struct FtlConfig;
class Hardware;
class Zones;
class NandGeometry;
class NandMedia;
class NvramContents;
struct WriteUnit;

/// The instants at which the steps before a program were over, for latency breakdowns.
struct ProgramInstants {
  Picoseconds begin = 0;    ///< its units are placed, the rest of partly written ones is there
  Picoseconds mapped = 0;   ///< the map is written
  Picoseconds fetched = 0;  ///< its data are out of DRAM
  Picoseconds updated = 0;  ///< the cores are done; then it waits for its turn in the block
  FlashInstants flash;
  std::uint32_t die = 0;
  const DieHistory* history = nullptr;  ///< of that die; null on the instant clock
};

/// Told what becomes of the units handed over for writing.
class WriteListener {
 public:
  /// The sectors that the host had not written have been filled in from flash, or cannot be had (rest_lost).
  virtual void on_filled(WriteUnit& unit) = 0;
  /// The unit is on flash: its buffer space is free.
  virtual void on_durable(WriteUnit& unit, const ProgramInstants& program) = 0;

 protected:
  ~WriteListener() = default;
};

/// One mapping unit of dirty data on its way to flash. Owned by the buffer, alive until on_durable.
struct WriteUnit {
  std::uint32_t unit = 0;         ///< logical unit
  std::uint64_t version = 0;      ///< host-write sequence number of its newest data
  std::uint64_t sectors = 0;      ///< bit per sector: present in the buffer
  SectorToken* tokens = nullptr;  ///< one a sector; null when verify is off
  WriteListener* listener = nullptr;
  std::uint32_t owner_slot = 0;  ///< the owner's number for it
  std::uint8_t stream = 0;       ///< stream number of the host's newest write to it
  bool last = true;              ///< of those that leave the buffer together
  bool rest_lost = false;        ///< the sectors that it lacks cannot be read any more: on flash all of it is lost
  bool refused = false;          ///< out, of Ftl::write(): the device is worn down, and has no room for it
  std::uint32_t set = 0;         ///< of correlated data, in which it leaves; 0: none
  PlacementId placement{};       ///< of the host's newest write to it
  std::uint64_t request = 0;     ///< number of the host request that wrote its newest data
};

/// Serves units from the buffer at the instant at which a read looks them up in the map.
class FrontBuffer {
 public:
  /// Delivers those of the wanted `sectors` of `unit` that the buffer holds into `tokens` (of sector `first_sector`;
  /// null when verify is off); returns the rest.
  virtual std::uint64_t serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                              std::uint32_t first_sector) = 0;
  /// Returns those of the wanted sectors that the buffer does not hold.
  virtual std::uint64_t missing(std::uint32_t unit, std::uint64_t sectors) const = 0;
  /// The unit on its way to flash that has this owner_slot.
  virtual WriteUnit& write_unit(std::uint32_t owner_slot) = 0;

 protected:
  ~FrontBuffer() = default;
};

/// One unit that a host read wants.
struct ReadUnit {
  std::uint32_t unit = 0;
  std::uint32_t first_sector = 0;  ///< first sector wanted
  std::uint64_t sectors = 0;       ///< bit per sector of the unit: wanted, and not yet served
  SectorToken* tokens = nullptr;   ///< of `first_sector`; null when verify is off
};

/// A host read on its way through the FTL.
struct alignas(kCacheLine) ReadRequest {
  boost::container::small_vector<ReadUnit, 1> units;  ///< most have one: beside the rest, not in memory of its own
  FrontBuffer* front = nullptr;
  std::uint64_t number = 0;               ///< of the host request
  Picoseconds ready = 0;                  ///< out: when the firmware may complete the command (0 = now)
  Picoseconds data_done = 0;              ///< out: when the last data are in the host's memory
  LatencyBreakdown* breakdown = nullptr;  ///< of the host command
  std::uint64_t sent = 0;                 ///< out: bytes that went from flash to the host
  bool failed = false;                    ///< out: some page could not be read, or holds a unit that is lost
  std::uint32_t flow = kNoFlow;           ///< stream of the host command (OnfiCommand::flow)
  std::uint32_t setup = 0;                ///< bytes that go to the host ahead of its first data (DataFrames::setup)
  bool to_host = true;                    ///< what comes from flash goes on to the host, else it stays in the buffer
};

/// What the last recover() did.
struct MountReport {
  std::uint64_t reads = 0;       ///< flash reads (spare areas, and pages of the metadata log)
  std::uint64_t log_pages = 0;   ///< of them, pages of the metadata log
  std::uint64_t torn_pages = 0;  ///< of them, met torn pages
  bool from_checkpoint = false;  ///< a checkpoint of the map was found
};

struct FtlContext {
  const FtlConfig& config;
  const NandGeometry& geometry;
  NandMedia& media;  ///< firmware never reads it past the flash port, but for tables that it would keep in DRAM (see
                     ///< BlockTable)
  Hardware& hardware;
  std::uint64_t logical_units;
  std::uint64_t host_units;  ///< of them; units behind are the FTL's metadata
  std::uint32_t sectors_per_unit;
  bool verify;
  std::uint64_t seed;
  NvramContents* nvram = nullptr;  ///< outlives the firmware; null where there is none
  std::size_t nvram_first = 0;     ///< the FTL's first word of it, of as many as FtlShape::nvram_words says
};

/// What the SLC write cache holds.
struct SlcUse {
  std::uint64_t borrowed_blocks = 0;  ///< erase units of the capacity that are in use in SLC mode
  std::uint64_t valid_units = 0;
};

/// What the reclaim unit that a handle fills takes.
struct ReclaimRoom {
  std::uint64_t units = 0;  ///< mapping units; 0: it fills none, or a full one
  Picoseconds time = 0;     ///< until the handle leaves it; 0: it is up, or there is no limit
};

/// A part of a sequential fill of a new device, in program units of the fill: number n has the logical units from n *
/// units of a program unit on.
struct FillPart {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t step = 1;     ///< it may stop after any multiple of so many
  std::uint64_t version = 0;  ///< of logical unit 0; those behind have the next ones
};

class Ftl {
 public:
  static constexpr const char* kFamily = "ftl";
  using Context = FtlContext;
  virtual ~Ftl() = default;

  /// Rebuilds the tables from the media after power-on; on a fresh device there is nothing to find.
  virtual Task<void> recover() = 0;
  /// Takes one dirty unit; returns when it has its place, or has been refused. Called by one coroutine at a time.
  virtual Task<void> write(WriteUnit& unit) = 0;
  /// Programs what waits for its program unit to fill, padded. Called by the coroutine that calls write().
  virtual Task<void> seal() = 0;
  /// Programs, padded, whatever else waits for more to be written: then erases that wait for data to be safe are carried
  /// out. Called by the coroutine that calls write().
  virtual Task<void> come_to_rest() = 0;
  /// What keeps a sequential fill of this device from being told by a rule in place of tables; null: nothing.
  virtual const char* why_no_rule() const { return "ftl.kind is not page_map: it places more than program units"; }
  /// Does all that write() of the units of these program units would do, in that order, on the instant clock; all
  /// before them are written, and nothing else. Stops before garbage collection begins. Returns the program unit that
  /// comes next.
  virtual Task<std::uint32_t> fill_by_rule(FillPart part) { co_return part.first; }
  /// The highest data version that recovery found: the next write takes a higher one.
  virtual std::uint64_t newest_version() const = 0;
  /// Prefetches the table's entry of a unit that will be looked up soon into the cache of the simulating computer.
  virtual void prefetch(std::uint32_t /*unit*/) const {}
  /// The same of the data of a unit, which was prefetched a while ago.
  virtual void prefetch_data(std::uint32_t /*unit*/) const {}
  /// The same of what is kept of the erase unit where the data of `unit` are, which will be written soon and was
  /// prefetched a while ago.
  virtual void prefetch_older(std::uint32_t /*unit*/) const {}
  /// An estimate from what the firmware knows now: whether writing `count` units from `first` would make a merge,
  /// copies and an erase on its own account. FTLs that write wherever there is room make none: the garbage collection
  /// that a write brings nearer is shared by all. Asked by a cache above (CostOracle), before it writes.
  virtual bool write_merges(std::uint32_t /*first*/, std::uint32_t /*count*/) const { return false; }
  /// Reads units; unmapped ones are zeroes and cost no flash operation.
  virtual Task<void> read(ReadRequest& request) = 0;
  /// Whether a read can change what later requests meet: tables of the FTL, or cells that reading disturbs. If not, one
  /// of which nobody wants the data or the time can be left out.
  virtual bool reads_leave_traces() const { return true; }
  /// Where they do in nothing but a cache of the map: that one. No room: in others, too.
  virtual CacheTurnover map_turnover() const { return {}; }
  /// Unmaps `count` units from `first`. Called by the coroutine that calls write(), so that it keeps its place among
  /// writes. `version`: that of the newest write before it; a power cut may bring back nothing older once the trim is
  /// persistent.
  virtual Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) = 0;
  /// Returns when trims before it survive power cuts: a flush. Called by the coroutine that calls write().
  virtual Task<void> persist_trims() = 0;

  /// The host lends another amount of memory (HostMemoryBuffer::granted()), or asks it back: returns when nothing that
  /// is needed is left in what was taken away.
  virtual Task<void> host_memory_changed() { co_return; }
  /// What was in the host's memory is gone.
  virtual void host_memory_lost() {}

  /// Most units that can be in it, waiting for their program units to fill, when one more comes; at least 1.
  virtual std::uint32_t waiting_units() const = 0;
  /// Capacitors bring up to so many units that it has not been given yet, or that wait in it, to flash: it goes on as
  /// long as there is room for them, and is read-only then.
  virtual void hold_up(std::uint32_t /*units*/) {}
  /// Whether a placement identifier names a reclaim unit handle of a reclaim group.
  virtual bool has_handle(PlacementId /*placement*/) const { return false; }
  /// A write has come whose placement identifier names none: its data go to the default handle. `unit`: its first.
  virtual void note_invalid_placement(PlacementId /*placement*/, std::uint32_t /*unit*/) {}
  /// The handle goes on in its next reclaim unit, be the present one full or not; there must be such a handle. Called by
  /// the coroutine that calls write().
  virtual Task<void> update_handle(PlacementId /*placement*/) { co_return; }
  /// What the reclaim units in use have room for, by stream of host data.
  virtual std::vector<ReclaimRoom> reclaim_room() const { return {}; }
  /// Names of the streams of host data: as many as FtlStatistics::streams are in use.
  virtual std::vector<std::string> stream_names() const { return {"host"}; }

  /// Saves or loads everything that the media do not tell, statistics included, of an FTL that is quiescent into one
  /// made anew with the same context. Quiescent: none of its coroutines is under way. `front` knows the units that the
  /// FTL has taken and not programmed yet.
  virtual void state(StateArchive& archive, FrontBuffer& front) = 0;

  /// The host does nothing: a step of background work, after which it returns; false: there is nothing to do. Not
  /// called again before it has returned.
  virtual Task<bool> idle() { co_return false; }
  /// Blocks that are worn out and never used again.
  virtual std::uint32_t bad_blocks() const { return 0; }
  /// So many that writes and trims are refused from now on; what is there can be read.
  bool read_only() const { return read_only_; }
  /// Worn down, and without room for all that had been accepted before: write() has refused units, which the buffer
  /// keeps, or the tombstone of a trim has no place. Flushes fail from now on.
  bool out_of_room() const { return out_of_room_; }

  /// What the host writes in order, and resets; null: it writes units as it likes.
  virtual Zones* zones() { return nullptr; }
  virtual const Zones* zones() const { return nullptr; }

  virtual MountReport mount_report() const { return {}; }
  virtual const FtlStatistics& statistics() const = 0;
  /// Now.
  virtual SlcUse slc_use() const { return {}; }
  /// Free erase units of the die that has fewest, now.
  virtual std::uint32_t least_free_blocks() const = 0;
  /// Recounts every table against the map; throws std::logic_error on a difference. For tests; needs quiescence.
  virtual void check() const = 0;

 protected:
  bool read_only_ = false;
  bool out_of_room_ = false;
};

}  // namespace flashloom
