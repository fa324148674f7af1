// The data buffer in DRAM or NVRAM: takes host writes in mapping units, keeps them dirty (write-back) or passes them on
// (write-through), serves reads, and hands evicted units to the FTL through a bounded destage table.
#pragma once

#include <boost/circular_buffer.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/buffer/buffer_statistics.hpp"
#include "controllers/buffer/nvram_records.hpp"
#include "controllers/buffer/read_ahead.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/block/io_command.hpp"
#include "models/common/divisor.hpp"
#include "policies/correlation/correlation.hpp"
#include "policies/eviction.hpp"

namespace flashloom {

struct BufferConfig;

class DataBuffer final : public WriteListener, public FrontBuffer {
 public:
  /// `units` slots. Of `destage_units` of them the FTL may have the data; the rest is for resident units, split among
  /// the parts.
  struct Shape {
    std::uint32_t units;
    std::uint32_t destage_units;
    bool read_cache;
    std::uint32_t read_ahead_units;  ///< largest window; 0: none
    std::uint32_t logical_units;     ///< of the device
    std::uint32_t program_units;     ///< units that leave together; 1: each by itself
    std::uint32_t unit_bytes;
    std::uint32_t sector_bytes;
    bool write_through;
    bool nvram;  ///< in NVRAM, else in DRAM
    bool verify;
    std::uint32_t padding_units = 0;    ///< slots beside the others for what is read to fill up blocks that leave
    std::uint32_t units_per_block = 1;  ///< of a logical block
    std::size_t nvram_first = 0;        ///< its first word of NVRAM
    bool whole_blocks = false;          ///< flushes and FUA, too, let whole logical blocks leave
  };
  /// What the jobs whose number is the part's, modulo the number of parts, may fill. A unit belongs to the part of the
  /// job that brought it.
  struct Part {
    std::uint32_t room;         ///< resident units
    std::uint32_t clean_units;  ///< of them, what the read cache may keep
    std::uint32_t high_units;   ///< dirty units above which destaging begins
    std::uint32_t low_units;    ///< and at which it ends
    /// What leaves: pages, or whole logical blocks, which the read cache's pages are no part of: they have
    /// `clean_victims` then, which is null where one policy orders all.
    std::unique_ptr<EvictionPolicy> victims;
    std::unique_ptr<EvictionPolicy> clean_victims;
    std::uint32_t dirty = 0;
    std::uint32_t clean = 0;  ///< those being read among them

    std::uint32_t resident() const { return dirty + clean; }
    EvictionPolicy& of_clean() { return clean_victims != nullptr ? *clean_victims : *victims; }
  };
  /// One to kMaxBufferParts parts. `sets`: null where no pages belong together.
  DataBuffer(const Shape& shape, std::vector<Part> parts, std::unique_ptr<CorrelatedSets> sets, Ftl& ftl,
             Hardware& hardware, NvramContents& nvram);

  /// Takes the command's data, which are in the buffer's memory from `arrived` on; returns when it may be acknowledged,
  /// the cores' work for completing it done. Begins when it is called; to be awaited at once.
  Task<void> write(IoCommand& command, Picoseconds arrived);
  /// Reads, after parsing the command, which has come at `fetched`; sets command.ready, command.data_done and, on a
  /// page that cannot be read, its status. Parse and look-up are one piece of work for the core; completing is
  /// included.
  Task<void> read(IoCommand& command, Picoseconds fetched);
  /// Returns when everything written before the call is durable: on flash, or in NVRAM. With IoStatus::WriteProtected
  /// where it cannot be (Ftl::out_of_room).
  Task<void> flush(IoCommand& command);
  /// Discards the whole units of the range; a part of a unit is left alone.
  Task<void> trim(IoCommand& command, std::uint64_t offset, std::uint64_t length);

  /// The next write takes a higher version (after recovery).
  void continue_after(std::uint64_t version) { version_ = version; }
  /// After power-on, behind continue_after(): finds the dirty units that NVRAM has kept.
  Task<void> recover();
  const BufferStatistics& statistics() const { return statistics_; }
  std::uint32_t units() const { return shape_.units; }
  std::uint32_t parts() const { return static_cast<std::uint32_t>(parts_.size()); }
  std::uint32_t dirty_units() const {
    std::uint32_t dirty = destaging_count_;
    for (const Part& part : parts_) dirty += part.dirty;
    return dirty;
  }

  /// Of them, on their way to flash.
  std::uint32_t destaging_units() const { return destaging_count_; }

  void on_filled(WriteUnit& unit) override;
  void on_durable(WriteUnit& unit, const ProgramInstants& program) override;
  std::uint64_t serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                      std::uint32_t first_sector) override;
  std::uint64_t missing(std::uint32_t unit, std::uint64_t sectors) const override;
  WriteUnit& write_unit(std::uint32_t owner_slot) override { return entries_[owner_slot].write; }

  /// Saves or loads everything: of a quiescent buffer, into a new one of the same shape.
  void state(StateArchive& archive);

 private:
  /// Resident: dirty; Clean: as on flash; Reading: a place for what is on its way from flash; Padding: what fills up a
  /// block that leaves.
  enum class State : std::uint8_t { Free, Resident, Destaging, Clean, Reading, Padding };
  using IndexHook = boost::intrusive::unordered_set_base_hook<>;
  using ListHook = boost::intrusive::list_base_hook<>;

  struct Entry : IndexHook, ListHook {
    WriteUnit write;
    std::uint64_t order = 0;        ///< of eviction
    std::uint64_t dirty_since = 0;  ///< version of its oldest dirty data: what a flush goes by
    State state = State::Free;
    std::uint8_t part = 0;
    bool ahead = false;     ///< read ahead, and not asked for yet
    bool recorded = false;  ///< NVRAM says that it is here

    /// The FTL has its data, or will have them.
    bool on_its_way() const { return state == State::Destaging || state == State::Padding; }
  };
  struct UnitOf {
    using type = std::uint32_t;
    type operator()(const Entry& entry) const { return entry.write.unit; }
  };
  // Neighbours within 64 units lie in neighbouring buckets: a sequential command touches few cache lines.
  struct UnitHash {
    std::size_t operator()(std::uint32_t unit) const {
      return unit ^ (((unit >> 6) * std::uint64_t{0x9E3779B97F4A7C15}) >> 32);
    }
  };
  using Index =
      boost::intrusive::unordered_set<Entry, boost::intrusive::key_of_value<UnitOf>, boost::intrusive::hash<UnitHash>,
                                      boost::intrusive::power_2_buckets<true>,
                                      boost::intrusive::constant_time_size<false>>;
  using List = boost::intrusive::list<Entry, boost::intrusive::constant_time_size<false>>;

  /// What the destager does next: write a unit, pad a block that leaves, seal the open program unit, or trim.
  struct Order {
    Entry* entry = nullptr;
    std::uint32_t trim_first = 0;  ///< or the unit to pad
    std::uint32_t trim_count = 0;  ///< 0 and neither an entry nor padding: seal
    std::uint64_t version = 0;     ///< trim: of the newest write before it; padding: its own
    bool persist = false;          ///< for a flush: trims, too, must survive a power cut
    bool seal = true;
    bool padding = false;
    bool last = false;            ///< padding: of its block
    std::uint64_t evictions = 0;  ///< padding: those before it
  };

  /// A read on its way through the FTL, and what of it the read cache will keep.
  struct BufferRead : ReadRequest {
    struct Fill {
      Slot slot;
      std::uint32_t first_sector;
      std::uint64_t sectors;
      SectorToken* tokens;  ///< of first_sector
    };
    std::uint64_t served = 0;  ///< bytes that the buffer had
    std::vector<Fill> fills;   ///< empty in a request that is free
    LatencyBreakdown unheard;  ///< of a read that nobody waits for
  };

  /// Part of a host command that lies in one unit.
  struct Piece {
    std::uint32_t unit;
    std::uint32_t first_sector = 0;
    std::uint64_t sectors = 0;
    SectorToken* tokens = nullptr;  ///< of first_sector
    std::uint8_t stream;
    std::uint64_t request;    ///< number of the command
    std::uint64_t write = 0;  ///< of the command among the buffer's writes
  };
  enum class Inserted : std::uint8_t { Done, NoRoom, NotYet };
  /// How far a write has been taken.
  struct Taking {
    std::uint32_t unit;        ///< the next one
    std::uint32_t end;         ///< behind the last one
    std::uint8_t part;         ///< of the buffer
    std::uint64_t write;       ///< number of the command among the buffer's writes
    Picoseconds recorded = 0;  ///< when NVRAM has all that was taken
  };
  Piece piece(const IoCommand& command, std::uint32_t unit, std::uint64_t write = 0) const;
  bool waits_for_flash(const IoCommand& command) const {
    return shape_.write_through || (command.fua && records_ == nullptr);
  }
  Taking begin_write(const IoCommand& command);
  Inserted take(const IoCommand& command, Taking& taking, bool woken = false);
  void taken(Taking& taking);
  Task<void> take_rest(IoCommand& command, Taking& taking, Inserted stopped);
  Task<void> take_rest_now(IoCommand& command, Taking taking, Inserted stopped);
  Task<void> write_in_time(IoCommand& command, Picoseconds arrived);
  std::uint32_t first_unit(const IoCommand& command) const {
    return static_cast<std::uint32_t>(unit_.quotient(command.offset));
  }
  std::uint32_t units_of(const IoCommand& command) const {
    if (command.length == 0) return 0;
    return static_cast<std::uint32_t>(unit_.quotient(command.offset + command.length - 1)) - first_unit(command) + 1;
  }

  Entry* find(std::uint32_t unit) const;
  // Both with what find() says of the unit.
  std::uint64_t serve(const Entry* entry, std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                      std::uint32_t first_sector) const;
  std::uint64_t missing(const Entry* entry, std::uint32_t unit, std::uint64_t sectors) const;
  Entry& entry_of(const WriteUnit& unit) { return entries_[unit.owner_slot]; }
  Slot slot_of(const Entry& entry) const { return static_cast<Slot>(&entry - entries_.data()); }
  void merge(Entry& entry, const Piece& piece);
  void tell_sets(const Entry& entry, std::uint64_t write) {
    if (sets_ != nullptr) sets_->written(slot_of(entry), entry.write.unit, write);
  }
  Entry& place(const Piece& part, Entry* older);
  Inserted insert_now(const Piece& part);
  Task<bool> insert(Piece piece, Picoseconds& recorded, bool full);
  Task<void> record(Entry& entry, Picoseconds& recorded, Entry* superseded = nullptr);
  void release(Entry& entry);
  bool being_trimmed(std::uint32_t unit) const;
  bool being_buried(std::uint32_t unit) const {
    return !burials_.empty() &&
           std::ranges::any_of(burials_, [unit](Burial each) { return unit - each.first < each.count; });
  }
  bool can_evict() const { return destaging_count_ < shape_.destage_units; }
  std::uint8_t part_of(std::uint8_t stream) const {
    return parts_.size() == 1 ? std::uint8_t{0} : static_cast<std::uint8_t>(stream % parts_.size());
  }
  Part& part_of(const Entry& entry) { return parts_[entry.part]; }
  void evict(Entry& entry, DestageCause cause, bool last = true, std::uint32_t set = 0);
  void evict_leaving(DestageCause cause);
  void evict_next(std::uint8_t part, DestageCause cause);
  void evict_with_companions(Slot victim, DestageCause cause);
  void evict_for_flush(Entry& entry);
  void gather_program_unit(Slot victim);
  void evict_padded(std::uint32_t unit, DestageCause cause);
  Task<void> pad(Order order);
  void show_padding(Entry& entry);
  void destage_to_low(std::uint8_t part);
  void overwrite(Entry& entry, const Piece& piece);
  bool make_room(std::uint8_t part, std::uint32_t unit);
  void leave(Entry& entry);
  void drop(Entry& entry);
  void forget_clean(Entry& entry, bool evicted);
  void used_ahead(Entry& entry) {
    if (std::exchange(entry.ahead, false)) ++statistics_.read_ahead_used;
  }
  Entry* take_clean_slot(std::uint32_t unit, std::uint8_t part);
  Task<void> until_read(std::uint32_t first, std::uint32_t units);
  std::uint64_t keep(BufferRead& request);
  Task<void> read_ahead(std::uint32_t first, std::uint32_t count, std::uint8_t part);
  BufferRead& look_up(IoCommand& command);
  void begin_read_ahead(const ReadAhead::Range& ahead, std::uint8_t part);
  BufferRead& take_request();
  BufferRead& take_unheard_request();
  void order(const Order& order);
  void start_destager();
  void order_write(Entry& entry);
  Task<void> destage_after(Task<void> write, Entry& entry);
  void strand(Entry& entry);
  void order_done() {
    ++orders_done_;
    ordered_.wake_all();
  }
  void order_trim(std::uint32_t first, std::uint32_t count);
  Task<void> destage();
  Task<void> evict_up_to(std::uint64_t version);
  Task<void> durable_up_to(std::uint64_t eviction, LatencyBreakdown& breakdown);
  void list_state(StateArchive& archive, List& list);

  Shape shape_;
  Divisor unit_;    // bytes
  Divisor sector_;  // bytes
  Ftl& ftl_;
  Hardware& hardware_;
  std::unique_ptr<NvramRecords> records_;  // with nvram
  std::vector<Part> parts_;
  std::unique_ptr<CorrelatedSets> sets_;
  std::uint64_t all_sectors_;  // of a unit
  ReadAhead ahead_;
  std::vector<Entry> entries_;
  std::vector<SectorToken> tokens_;
  std::vector<Slot> free_;
  std::vector<Index::bucket_type> buckets_;
  Index index_;                 // newest entry of each unit
  List dirty_;                  // in the order in which they became dirty
  List destaging_;              // in the order of eviction
  std::uint32_t in_table_ = 0;  // units that the FTL has
  std::uint32_t destaging_count_ = 0;
  std::vector<Slot> free_padding_;  // behind the other slots
  WaitList padding_;                // for one of them
  std::uint64_t version_ = 0;
  std::uint64_t writes_ = 0;     // commands
  std::uint64_t discarded_ = 0;  // dirty units by trims
  std::uint64_t evictions_ = 0;
  boost::circular_buffer<Order> orders_;
  // Trims under way, in order: their units read as zeroes, whatever older data the map still points to.
  std::deque<Order> trims_;
  // In NVRAM: those whose first tombstone is on its way to flash. Writes of their units wait: the trim is going to
  // forget them, and what had come to flash of them in between would return in a power cut, older than what was
  // acknowledged.
  struct Burial {
    std::uint32_t first;
    std::uint32_t count;
    std::uint64_t number;  // of the trim
  };
  std::vector<Burial> burials_;
  std::uint64_t burials_given_ = 0;
  std::uint64_t orders_done_ = 0;
  std::uint64_t orders_given_ = 0;
  bool destager_running_ = false;
  WaitList space_;    // for room to insert or to evict
  WaitList table_;    // for room in the destage table
  WaitList arrived_;  // for data on their way from flash
  WaitList filled_;   // for an entry to be complete
  WaitList durable_;
  ProgramInstants durable_program_;  // that woke those who wait for durable_
  WaitList ordered_;                 // for an order to be carried out
  std::vector<std::unique_ptr<BufferRead>> requests_;
  std::vector<BufferRead*> free_requests_;
  // Only while they are made up.
  std::vector<Slot> leaving_;
  std::vector<LeavingPage> leaving_in_sets_;
  BufferStatistics statistics_;
};

}  // namespace flashloom
