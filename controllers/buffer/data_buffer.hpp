// The data buffer in DRAM or NVRAM: takes host writes in mapping units, keeps them dirty (write-back) or passes them on
// (write-through), serves reads, and hands evicted units to the FTL through a bounded destage table.
#pragma once

#include <boost/circular_buffer.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "controllers/buffer/nvram_records.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/runtime/hardware.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/block/io_command.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom {

struct BufferConfig;

struct BufferStatistics {
  std::uint64_t write_units = 0;  ///< units of host writes looked up
  std::uint64_t write_hits = 0;   ///< of them, found dirty and overwritten in place
  std::uint64_t read_units = 0;
  std::uint64_t read_hits = 0;     ///< wholly served from resident units
  std::uint64_t destage_hits = 0;  ///< wholly served from units on their way to flash
  std::uint64_t evictions = 0;     ///< units handed to the FTL

  BufferStatistics& operator+=(const BufferStatistics& other) {
    write_units += other.write_units;
    write_hits += other.write_hits;
    read_units += other.read_units;
    read_hits += other.read_hits;
    destage_hits += other.destage_hits;
    evictions += other.evictions;
    return *this;
  }
  BufferStatistics& operator-=(const BufferStatistics& other) {
    write_units -= other.write_units;
    write_hits -= other.write_hits;
    read_units -= other.read_units;
    read_hits -= other.read_hits;
    destage_hits -= other.destage_hits;
    evictions -= other.evictions;
    return *this;
  }
};

class DataBuffer final : public WriteListener, public FrontBuffer {
 public:
  /// `units` slots, `destage_units` of which may be on their way to flash.
  struct Shape {
    std::uint32_t units;
    std::uint32_t destage_units;
    std::uint32_t unit_bytes;
    std::uint32_t sector_bytes;
    bool write_through;
    bool nvram;  ///< in NVRAM, else in DRAM
    bool verify;
  };
  DataBuffer(const Shape& shape, const PolicyChoice& replacement, Ftl& ftl, Hardware& hardware, NvramContents& nvram);

  /// Takes the command's data, which are in the buffer's memory from `arrived` on; returns when it may be acknowledged,
  /// the cores' work for completing it done.
  Task<void> write(IoCommand& command, Picoseconds arrived);
  /// Reads, after parsing the command, which has come at `fetched`; sets command.ready, command.data_done and, on a
  /// page that cannot be read, its status. Parse and look-up are one piece of work for the core; completing is
  /// included.
  Task<void> read(IoCommand& command, Picoseconds fetched);
  /// Returns when everything written before the call is durable: on flash, or in NVRAM.
  Task<void> flush(IoCommand& command);
  /// Discards the whole units of the range; a part of a unit is left alone.
  Task<void> trim(IoCommand& command);

  /// The next write takes a higher version (after recovery).
  void continue_after(std::uint64_t version) { version_ = version; }
  /// After power-on, behind continue_after(): finds the dirty units that NVRAM has kept.
  Task<void> recover();
  const BufferStatistics& statistics() const { return statistics_; }
  std::uint32_t units() const { return shape_.units; }
  std::uint32_t dirty_units() const { return resident_ + static_cast<std::uint32_t>(destaging_count_); }

  /// Of them, on their way to flash.
  std::uint32_t destaging_units() const { return static_cast<std::uint32_t>(destaging_count_); }

  void on_filled(WriteUnit& unit) override;
  void on_durable(WriteUnit& unit, const ProgramInstants& program) override;
  std::uint64_t serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                      std::uint32_t first_sector) override;
  std::uint64_t missing(std::uint32_t unit, std::uint64_t sectors) const override;
  WriteUnit& write_unit(std::uint32_t owner_slot) override { return entries_[owner_slot].write; }

  /// Saves or loads everything: of a quiescent buffer, into a new one of the same shape.
  void state(StateArchive& archive);

 private:
  enum class State : std::uint8_t { Free, Resident, Destaging };
  using IndexHook = boost::intrusive::unordered_set_base_hook<>;
  using ListHook = boost::intrusive::list_base_hook<>;

  struct Entry : IndexHook, ListHook {
    WriteUnit write;
    std::uint64_t order = 0;        ///< of eviction
    std::uint64_t dirty_since = 0;  ///< version of its oldest dirty data: what a flush goes by
    State state = State::Free;
    bool recorded = false;  ///< NVRAM says that it is here
  };
  struct UnitOf {
    using type = std::uint32_t;
    type operator()(const Entry& entry) const { return entry.write.unit; }
  };
  struct UnitHash {
    std::size_t operator()(std::uint32_t unit) const { return (unit * std::uint64_t{0x9E3779B97F4A7C15}) >> 20; }
  };
  using Index =
      boost::intrusive::unordered_set<Entry, boost::intrusive::key_of_value<UnitOf>, boost::intrusive::hash<UnitHash>,
                                      boost::intrusive::power_2_buckets<true>,
                                      boost::intrusive::constant_time_size<false>>;
  using List = boost::intrusive::list<Entry, boost::intrusive::constant_time_size<false>>;

  /// What the destager does next: write a unit, seal the open program unit, or trim.
  struct Order {
    Entry* entry = nullptr;
    std::uint32_t trim_first = 0;
    std::uint32_t trim_count = 0;  ///< 0 and no entry: seal
    std::uint64_t version = 0;     ///< trim: of the newest write before it
    bool persist = false;          ///< seal for a flush: trims, too, must survive a power cut
  };

  /// Part of a host command that lies in one unit.
  struct Piece {
    std::uint32_t unit;
    std::uint32_t first_sector;
    std::uint64_t sectors;
    SectorToken* tokens;  ///< of first_sector
    std::uint8_t stream;
    std::uint64_t request;  ///< number of the command
  };
  Piece piece(const IoCommand& command, std::uint32_t unit) const;
  std::uint32_t first_unit(const IoCommand& command) const {
    return static_cast<std::uint32_t>(command.offset / shape_.unit_bytes);
  }
  std::uint32_t units_of(const IoCommand& command) const {
    if (command.length == 0) return 0;
    return static_cast<std::uint32_t>((command.offset + command.length - 1) / shape_.unit_bytes) - first_unit(command) +
           1;
  }

  Entry* find(std::uint32_t unit) const;
  Entry& entry_of(const WriteUnit& unit) { return entries_[unit.owner_slot]; }
  Slot slot_of(const Entry& entry) const { return static_cast<Slot>(&entry - entries_.data()); }
  void merge(Entry& entry, const Piece& piece);
  Task<void> insert(Piece piece, Picoseconds& recorded);
  Task<void> record(Entry& entry, Picoseconds& recorded, Entry* superseded = nullptr);
  void release(Entry& entry);
  bool being_trimmed(std::uint32_t unit) const;
  bool can_evict() const { return destaging_count_ < shape_.destage_units; }
  void evict(Entry& entry);
  void drop(Entry& entry);
  void order(const Order& order);
  Task<void> destage();
  Task<void> evict_up_to(std::uint64_t version);
  Task<void> durable_up_to(std::uint64_t eviction, LatencyBreakdown& breakdown);
  void list_state(StateArchive& archive, List& list);

  Shape shape_;
  Ftl& ftl_;
  Hardware& hardware_;
  std::unique_ptr<NvramRecords> records_;  // with nvram
  std::unique_ptr<ReplacementPolicy> policy_;
  std::vector<Entry> entries_;
  std::vector<SectorToken> tokens_;
  std::vector<Slot> free_;
  std::vector<Index::bucket_type> buckets_;
  Index index_;     // newest entry of each unit
  List dirty_;      // resident, in the order in which they became dirty
  List destaging_;  // in the order of eviction
  std::uint32_t resident_ = 0;
  std::uint32_t destaging_count_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t evictions_ = 0;
  boost::circular_buffer<Order> orders_;
  // Trims under way, in order: their units read as zeroes, whatever older data the map still points to.
  std::deque<Order> trims_;
  std::uint64_t orders_done_ = 0;
  std::uint64_t orders_given_ = 0;
  bool destager_running_ = false;
  WaitList space_;   // for room to insert or to evict
  WaitList filled_;  // for an entry to be complete
  WaitList durable_;
  ProgramInstants durable_program_;  // that woke those who wait for durable_
  WaitList ordered_;                 // for an order to be carried out
  std::vector<std::unique_ptr<ReadRequest>> requests_;
  std::vector<ReadRequest*> free_requests_;
  BufferStatistics statistics_;
};

}  // namespace flashloom
