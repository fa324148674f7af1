// Family "ftl": the flash translation layer, between the data buffer (logical units) and the flash port (pages).
//
// Decisions are separate from flash operations. An FTL makes every decision (where a unit goes, which erase unit is
// collected, what is copied where) synchronously, in the order in which units are handed to it, and updates its tables
// at once; flash commands follow, each after what it depends on (data, an erased block, its turn in the block). So the
// final state does not depend on timing: a timed run and an instant run with the same units in the same order end
// alike.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
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

class BlockTable;
class DieHistory;

struct FtlConfig;
class MappedFtl;
class Hardware;
class Zones;
class NandGeometry;
class NandMedia;
class NvramContents;
class ReclaimUnits;
class UnitSizes;
struct WriteUnit;

/// The instants at which the steps before a program ended, for latency breakdowns.
struct ProgramInstants {
  Picoseconds begin = 0;    ///< units placed, and the rest of partly written ones read
  Picoseconds mapped = 0;   ///< map written
  Picoseconds fetched = 0;  ///< data fetched from DRAM
  Picoseconds updated = 0;  ///< cores done; the job then waits for its turn in the block
  FlashInstants flash;
  std::uint32_t die = 0;
  const DieHistory* history = nullptr;  ///< of that die; null on the instant clock
};

/// Hears what happens to units handed over for writing.
class WriteListener {
 public:
  /// The sectors that the host did not write have been filled in from flash, or are unreadable (rest_lost).
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
  SectorToken* tokens = nullptr;  ///< one per sector; null when verify is off
  WriteListener* listener = nullptr;
  std::uint32_t owner_slot = 0;  ///< index chosen by the owner
  std::uint8_t stream = 0;       ///< stream number of the host's newest write to it
  bool last = true;              ///< last of the units that leave the buffer together
  bool rest_lost = false;        ///< its missing sectors are unreadable: once on flash, all of it is lost
  bool refused = false;          ///< out, of Ftl::write(): the device is worn down and has no room for it
  std::uint32_t set = 0;         ///< set of correlated data that it is destaged with; 0: none
  PlacementId placement{};       ///< of the host's newest write to it
  std::uint64_t request = 0;     ///< number of the host request that wrote its newest data
};

/// A whole unit of data of job 0, evicted from the buffer (WriteUnit::unit, version).
struct WholeUnit {
  std::uint32_t unit;
  std::uint64_t version;
};

/// Serves units from the buffer when a read looks them up in the map.
class FrontBuffer {
 public:
  /// Copies the sectors of `unit` that are wanted (`sectors`) and buffered into `tokens` (which starts at
  /// `first_sector`; null when verify is off). Returns the wanted sectors that the buffer does not hold.
  virtual std::uint64_t serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                              std::uint32_t first_sector) = 0;
  /// Returns those of the wanted sectors that the buffer does not hold.
  virtual std::uint64_t missing(std::uint32_t unit, std::uint64_t sectors) const = 0;
  /// The unit in flight to flash that has this owner_slot.
  virtual WriteUnit& write_unit(std::uint32_t owner_slot) = 0;

 protected:
  ~FrontBuffer() = default;
};

/// One unit that a host read wants.
struct ReadUnit {
  std::uint32_t unit = 0;
  std::uint32_t first_sector = 0;  ///< first sector wanted
  std::uint64_t sectors = 0;       ///< bit per sector of the unit: wanted and not yet served
  SectorToken* tokens = nullptr;   ///< starts at `first_sector`; null when verify is off
  bool absent = false;             ///< out: never written, or trimmed
};

/// A host read while the FTL works on it.
struct alignas(kCacheLine) ReadRequest {
  boost::container::small_vector<ReadUnit, 1> units;  ///< one in most reads: inline storage avoids an allocation
  FrontBuffer* front = nullptr;
  std::uint64_t number = 0;               ///< of the host request
  Picoseconds ready = 0;                  ///< out: when the firmware may complete the command (0 = now)
  Picoseconds data_done = 0;              ///< out: when the last data are in the host's memory
  LatencyBreakdown* breakdown = nullptr;  ///< of the host command
  std::uint64_t sent = 0;                 ///< out: bytes transferred from flash to the host
  bool failed = false;                    ///< out: some page was unreadable, or holds a lost unit
  std::uint32_t flow = kNoFlow;           ///< stream of the host command (OnfiCommand::flow)
  std::uint32_t setup = 0;                ///< bytes that go to the host ahead of its first data (DataFrames::setup)
  bool to_host = true;                    ///< data from flash go on to the host; else they stay in the buffer
};

/// What the last recover() did.
struct MountReport {
  std::uint64_t reads = 0;       ///< flash reads (spare areas, and pages of the metadata log)
  std::uint64_t log_pages = 0;   ///< pages of the metadata log among `reads`
  std::uint64_t torn_pages = 0;  ///< torn pages among `reads`
  bool from_checkpoint = false;  ///< a checkpoint of the map was found
};

struct FtlContext {
  const FtlConfig& config;
  const NandGeometry& geometry;
  NandMedia& media;  ///< firmware accesses it through the flash port only, except tables that it would keep in DRAM
                     ///< (see BlockTable)
  Hardware& hardware;
  std::uint64_t logical_units;
  std::uint64_t host_units;  ///< units for the host; the rest hold the FTL's metadata
  std::uint32_t sectors_per_unit;
  bool verify;
  std::uint64_t seed;
  NvramContents* nvram = nullptr;  ///< survives power cuts; null if the device has none
  std::size_t nvram_first = 0;     ///< the FTL's first word of it; FtlShape::nvram_words tells how many it has
  UnitSizes* sizes = nullptr;      ///< null: all units are whole
};

/// A part of a sequential fill of a new device, counted in program units of the fill: program unit n holds the logical
/// units from n * (units of a program unit) on.
struct FillPart {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t step = 1;     ///< the fill may stop after any multiple of this
  std::uint64_t version = 0;  ///< of logical unit 0; the following units have consecutive versions
};

/// A new device whose steady state under random overwrites is that of a theory (GreedySteady): each die is collected
/// greedily by itself, and host data go by turn round the banks.
struct SteadyShape {
  std::uint32_t banks = 0;  ///< 0: no such device
  std::uint32_t units_per_block = 0;
  std::uint32_t units_per_program = 0;
  std::uint32_t blocks = 0;  ///< of a bank: erase units that are full when collection begins
};

class Ftl {
 public:
  static constexpr const char* kFamily = "ftl";
  using Context = FtlContext;
  virtual ~Ftl() = default;

  /// Rebuilds the tables from the media after power-on; a fresh device has none to find.
  virtual Task<void> recover() = 0;
  /// Takes one dirty unit; returns when it has its place or is refused. Called by one coroutine at a time.
  virtual Task<void> write(WriteUnit& unit) = 0;
  /// Pads and programs partly filled program units. Called by the coroutine that calls write().
  virtual Task<void> seal() = 0;
  /// Pads and programs everything else that waits for more writes, so that erases that wait for data to be safe are
  /// carried out. Called by the coroutine that calls write().
  virtual Task<void> come_to_rest() = 0;
  /// Whether write_whole() can take the next units: nothing but map, blocks and flash hears of them, and no program unit
  /// is partly filled.
  virtual bool takes_whole() const { return false; }
  /// Has the effect of write() for these units, which fill program units, in that order. On the instant clock.
  virtual Task<void> write_whole(std::span<const WholeUnit> /*units*/) { co_return; }
  /// Why a rule cannot replace the tables in a sequential fill of this device; null: it can.
  virtual const char* why_no_rule() const { return "ftl.kind is not page_map: it places more than program units"; }
  /// For a theory of the steady state; to be called on a new device.
  virtual SteadyShape steady_shape() const { return {}; }
  /// Has the effect of write() for the units of these program units, in that order, on the instant clock. All units
  /// before them, and no others, must be written. Stops before garbage collection begins. Returns the next program
  /// unit.
  virtual Task<std::uint32_t> fill_by_rule(FillPart part) { co_return part.first; }
  /// The highest data version that recovery found; the next write takes a higher one.
  virtual std::uint64_t newest_version() const = 0;
  /// Prefetches the map entry of a unit that will be looked up soon into the CPU cache of the simulating computer.
  virtual void prefetch(std::uint32_t /*unit*/) const {}
  /// Prefetches the data of a unit; call it some time after prefetch().
  virtual void prefetch_data(std::uint32_t /*unit*/) const {}
  /// Prefetches the state of the erase unit that holds the data of `unit`, which will be overwritten soon; call it some
  /// time after prefetch().
  virtual void prefetch_older(std::uint32_t /*unit*/) const {}
  /// Estimates from the firmware's present state whether writing `count` units from `first` causes a merge, with copies
  /// and an erase of its own. FTLs that write wherever there is room cause none: all writes share the cost of garbage
  /// collection. A cache above asks this before it writes (CostOracle).
  virtual bool write_merges(std::uint32_t /*first*/, std::uint32_t /*count*/) const { return false; }
  /// Reads units; unmapped units read as zeroes and cost no flash operation.
  virtual Task<void> read(ReadRequest& request) = 0;
  /// This FTL, if read() is that of MappedFtl; else null.
  virtual MappedFtl* plain_reader() { return nullptr; }
  /// Whether a read can affect later requests: by FTL tables, or by read disturb. If not, a read whose data and time
  /// nobody wants can be skipped.
  virtual bool reads_leave_traces() const { return true; }
  /// The map cache, if reads change nothing else; without room if they also change other state.
  virtual CacheTurnover map_turnover() const { return {}; }
  /// Unmaps `count` units from `first`. Called by the coroutine that calls write(), to keep its order among writes.
  /// `version`: of the newest write before it; once the trim is persistent, a power cut may not bring back anything as
  /// old or older.
  virtual Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) = 0;
  /// Returns when earlier trims survive power cuts, as for a flush. Called by the coroutine that calls write().
  virtual Task<void> persist_trims() = 0;

  /// The host lends another amount of memory (HostMemoryBuffer::granted()), or reclaims it: returns when the memory
  /// taken away holds nothing that the FTL needs.
  virtual Task<void> host_memory_changed() { co_return; }
  /// The content of the host memory buffer is lost.
  virtual void host_memory_lost() {}

  /// Most units that can wait in the FTL for their program units to fill when one more arrives; at least 1.
  virtual std::uint32_t waiting_units() const = 0;
  /// On power loss, capacitors let the FTL program up to this many more units: those still to come, and those waiting
  /// in it. The FTL must keep room for them, and becomes read-only when it cannot.
  virtual void hold_up(std::uint32_t /*units*/) {}
  /// With flexible data placement: the reclaim units of the host's data; else null.
  virtual ReclaimUnits* reclaim_units() const { return nullptr; }
  /// Moves a handle, which must exist, to its next reclaim unit, whether or not the present one is full. Called by the
  /// coroutine that calls write().
  virtual Task<void> update_handle(PlacementId /*placement*/) { co_return; }
  /// Names of the host-data streams, as many as FtlStatistics::streams are in use.
  virtual std::vector<std::string> stream_names() const { return {"host"}; }

  /// Saves, or loads into a new FTL with the same context, everything that the media do not hold, including statistics.
  /// The FTL must be quiescent: none of its coroutines runs. `front` knows the units that the FTL has taken and not
  /// programmed yet.
  virtual void state(StateArchive& archive, FrontBuffer& front) = 0;

  /// The host is idle: does one step of background work; false if there is nothing to do. Not called again before it
  /// has returned.
  virtual Task<bool> idle() { co_return false; }
  /// Blocks that are worn out and never used again.
  virtual std::uint32_t bad_blocks() const { return 0; }
  /// So many blocks are bad that writes and trims are refused from now on; existing data remain readable.
  bool read_only() const { return read_only_; }
  /// The device is worn down and lacks room for data accepted before: write() has refused units, which stay in the
  /// buffer, or the tombstone of a trim has no place. Flushes fail from now on.
  bool out_of_room() const { return out_of_room_; }

  /// The zones that the host writes sequentially and resets; null if it writes units in any order.
  virtual Zones* zones() { return nullptr; }
  virtual const Zones* zones() const { return nullptr; }

  virtual MountReport mount_report() const { return {}; }
  virtual const FtlStatistics& statistics() const = 0;
  /// Null if it has none.
  virtual const BlockTable* blocks() const { return nullptr; }
  /// Free GC units, at present, of the group that has the fewest.
  virtual std::uint32_t least_free_blocks() const = 0;
  /// Recounts every table against the map; throws std::logic_error on a difference. For tests; needs quiescence.
  virtual void check() const = 0;

 protected:
  bool read_only_ = false;
  bool out_of_room_ = false;
};

}  // namespace flashloom
