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
#include <variant>
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

  /// The units that the command touches: so often does the firmware look into the buffer.
  std::uint32_t units_of(const IoCommand& command) const {
    if (command.length == 0) return 0;
    return static_cast<std::uint32_t>(unit_.quotient(command.offset + command.length - 1)) - first_unit(command) + 1;
  }
  /// Whether a write is acknowledged only when its data are on flash.
  bool waits_for_flash(const IoCommand& command) const {
    return shape_.write_through || (command.fua && records_ == nullptr);
  }
  /// Takes the command's data, which are in the buffer's memory; returns when it may be acknowledged, unless it waits
  /// for flash. Begins when it is called; to be awaited at once.
  Task<void> write(IoCommand& command);
  /// A write on its way through the buffer to flash, for which it waits.
  struct ToFlash {
    std::uint32_t unit;          ///< the next one to send
    std::uint64_t discarded;     ///< dirty units by trims, before it came
    std::uint64_t order = 0;     ///< to seal the open program unit behind it
    std::uint64_t eviction = 0;  ///< the last one that it waits for
  };
  ToFlash to_flash(const IoCommand& command) const { return {.unit = first_unit(command), .discarded = discarded_}; }
  /// Behind write(): sends what it took to flash. Returns what the next unit waits for; null: all are on their way.
  WaitList* send(const IoCommand& command, ToFlash& write);
  /// Returns when all that left up to that eviction is on flash, or never will be (Ftl::out_of_room).
  Task<void> durable_up_to(std::uint64_t eviction, LatencyBreakdown& breakdown);
  /// A trim that came in between may have discarded its data: then that must survive, or what is older would come back.
  /// Returns what that waits for; null: nothing.
  WaitList* until_trims_survive(const ToFlash& write) {
    return write.discarded != discarded_ && orders_done_ < write.order ? &ordered_ : nullptr;
  }
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

  // What the destager is told to do.
  struct WriteOrder {
    Entry* entry;
  };
  /// Reads a unit from flash, and writes it with the block that leaves.
  struct PaddingOrder {
    std::uint32_t unit;
    std::uint64_t version;
    std::uint64_t evictions;  ///< before it
    bool last;                ///< of its block
  };
  struct TrimOrder {
    std::uint32_t first;
    std::uint32_t count;
    std::uint64_t version;  ///< of the newest write before it
  };
  struct SealOrder {
    bool persist = false;  ///< for a flush: trims, too, must survive a power cut
    bool seal = true;      ///< programs what waits for its program unit to fill
  };
  using Order = std::variant<WriteOrder, PaddingOrder, TrimOrder, SealOrder>;

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
  /// What a unit of a write has waited for: nothing, once for room, or more.
  enum class Waited : std::uint8_t { No, Once, Again };
  /// How far a write has been taken.
  struct Taking {
    std::uint32_t unit;        ///< the next one
    std::uint32_t end;         ///< behind the last one
    std::uint8_t part;         ///< of the buffer
    std::uint64_t write;       ///< number of the command among the buffer's writes
    Picoseconds recorded = 0;  ///< when NVRAM has all that was taken
    bool refused = false;      ///< there will never be room for the rest: the device's end of life
    // Of the next unit.
    Waited waited = Waited::No;
    bool pass_on = false;         ///< the wake-up that brought it here may serve another one, too
    Entry* placed = nullptr;      ///< where it is
    Entry* superseded = nullptr;  ///< the older data of the unit, on their way to flash
  };
  Piece piece(const IoCommand& command, std::uint32_t unit, std::uint64_t write = 0) const;
  Taking begin_write(const IoCommand& command);
  /// Takes what it can. Returns what the next unit waits for; null: nothing. Then all units are taken, or it is
  /// refused, or the next one is placed and write_rest() has to end with it (to record it in NVRAM, to give way).
  WaitList* take(const IoCommand& command, Taking& taking);
  WaitList* take_unit(const Piece& part, Taking& taking);
  WaitList* until_room(Taking& taking, bool absent);
  void pass_on(Taking& taking);
  void taken(Taking& taking);
  Task<void> write_rest(IoCommand& command, Taking taking, WaitList* list);
  std::uint32_t first_unit(const IoCommand& command) const {
    return static_cast<std::uint32_t>(unit_.quotient(command.offset));
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
  Task<void> pad(PaddingOrder order);
  void show_padding(Entry& entry);
  void destage_to_low(std::uint8_t part);
  void overwrite(Entry& entry, const Piece& piece);
  bool full(std::uint8_t part) const { return parts_[part].resident() >= parts_[part].room; }
  bool make_room(std::uint8_t part, std::uint32_t unit);
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
  std::deque<TrimOrder> trims_;
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
