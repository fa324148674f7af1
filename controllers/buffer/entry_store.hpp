// The entries of the data buffer, one for each buffered mapping unit. The store makes no decisions: each function moves
// an entry from one state to the next and updates index, lists, counts and eviction policies.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/buffer/buffer_shape.hpp"
#include "controllers/buffer/buffer_statistics.hpp"
#include "controllers/buffer/nvram_records.hpp"
#include "controllers/buffer/stream_cycle.hpp"
#include "controllers/buffer/unit_index.hpp"
#include "controllers/buffer/unit_pieces.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "policies/correlation/correlation.hpp"

namespace flashloom {

/// Resident: dirty; Destaging: evicted, and not yet on flash; Clean: equal to flash; Reading: reserved for data being
/// read from flash; Padding: fills up a block that is evicted.
enum class EntryState : std::uint8_t { Free, Resident, Destaging, Clean, Reading, Padding };

struct BufferEntry : boost::intrusive::list_base_hook<> {
  WriteUnit write;
  std::uint64_t order = 0;        ///< of eviction
  std::uint64_t dirty_since = 0;  ///< version of its oldest dirty data; a flush evicts entries up to its own version
  EntryState state = EntryState::Free;
  std::uint8_t part = 0;
  bool newest = false;    ///< it is the newest entry of its unit, which find() returns
  bool ahead = false;     ///< read ahead, and not requested yet
  bool recorded = false;  ///< it has a record in NVRAM

  bool dirty() const { return state == EntryState::Resident; }
  /// Its data are with the FTL, or queued for it.
  bool on_its_way() const { return state == EntryState::Destaging || state == EntryState::Padding; }
};

class EntryStore final : public FrontBuffer {
 public:
  using List = boost::intrusive::list<BufferEntry, boost::intrusive::constant_time_size<false>>;

  /// `sets`: null if no policy evicts correlated sets; `records`: null for a buffer in DRAM.
  EntryStore(const BufferShape& shape, std::vector<BufferPart> parts, std::unique_ptr<CorrelatedSets> sets,
             std::unique_ptr<NvramRecords> records, BufferStatistics& statistics);
  /// `listener` is told when entries are filled and when they are durable.
  void tell(WriteListener& listener);
  /// After power-on: restores the entries recorded in NVRAM as dirty.
  Task<void> recover();

  const UnitPieces& pieces() const { return pieces_; }
  BufferEntry* find(std::uint32_t unit) const {
    const Slot slot = index_.find(unit);
    return slot == kNoSlot ? nullptr : const_cast<BufferEntry*>(&entries_[slot]);
  }
  /// Prefetch into the CPU's cache, before a find() of the unit: the index; then, some time later, the entry, if any.
  [[gnu::always_inline]] void prefetch(std::uint32_t unit) const { index_.prefetch(unit); }
  [[gnu::always_inline]] bool prefetch_entry(std::uint32_t unit) const {
    const Slot slot = index_.first_looked_into(unit);
    if (slot != kNoSlot) __builtin_prefetch(&entries_[slot]);
    return slot != kNoSlot;
  }
  [[gnu::always_inline]] void prefetch_slot(Slot slot) const { __builtin_prefetch(&entries_[slot]); }
  BufferEntry& operator[](Slot slot) { return entries_[slot]; }
  Slot slot_of(const BufferEntry& entry) const { return static_cast<Slot>(&entry - entries_.data()); }
  std::vector<BufferPart>& parts() { return parts_; }
  const std::vector<BufferPart>& parts() const { return parts_; }
  BufferPart& part_of(const BufferEntry& entry) { return parts_[entry.part]; }
  /// Number of the buffer part that a stream uses.
  std::uint8_t part_of(std::uint8_t stream) const {
    return parts_.size() == 1 ? std::uint8_t{0} : static_cast<std::uint8_t>(stream % parts_.size());
  }
  CorrelatedSets* sets() { return sets_.get(); }
  bool has_sets() const { return sets_ != nullptr; }
  NvramRecords* records() { return records_.get(); }
  const NvramRecords* records() const { return records_.get(); }

  bool any_free() const { return !free_.empty(); }
  bool any_free_padding() const { return !free_padding_.empty(); }
  /// One more dirty entry may be evicted.
  bool can_leave() const { return destaging_count_ < destage_units_; }
  /// The destage table has room for one more evicted entry.
  bool table_has_room() const { return in_table_ < destage_units_; }
  /// Dirty entries in the order in which they became dirty; destaging ones in the order of eviction.
  const List& dirty() const { return dirty_; }
  List& dirty() { return dirty_; }
  const List& destaging() const { return destaging_; }
  List& destaging() { return destaging_; }
  std::uint32_t destaging_units() const { return destaging_count_; }
  std::uint64_t version() const { return version_; }
  std::uint64_t next_version() { return ++version_; }
  void continue_after(std::uint64_t version) { version_ = version; }
  std::uint64_t next_write() { return ++writes_; }  ///< a number for a write command
  std::uint64_t writes() const { return writes_; }
  std::uint64_t evictions() const { return evictions_; }  ///< order of the last eviction
  std::uint64_t discarded() const { return discarded_; }  ///< dirty entries discarded by trims

  /// Write commands wait here, in their order, for a free slot or for can_leave().
  WaitList& room() { return room_; }
  /// Waits for data being read from flash.
  WaitList& arrived() { return arrived_; }
  void pass_room_on() {
    if (can_leave()) room_.wake_one();
  }

  // --- Free to Resident, and later writes to the entry.
  /// `older`: the unit's previous entry, which is being destaged; may be null.
  BufferEntry& place(const UnitPiece& piece, BufferEntry* older);
  /// A host write to a Resident or Clean entry.
  void overwrite(BufferEntry& entry, const UnitPiece& piece);
  /// Records `entry` in NVRAM and removes the record of `superseded` (may be null) in the same step. Returns the time
  /// from which the write of `entry` may be acknowledged.
  Task<Picoseconds> record(BufferEntry& entry, BufferEntry* superseded);

  // --- Resident to Destaging, to the FTL's table, to Free.
  void leave(BufferEntry& entry, bool last, std::uint32_t set);
  void enter_table() { ++in_table_; }
  void refuse() { --in_table_; }
  void leave_table(BufferEntry& entry) {
    --in_table_;
    end_destaging(entry);
  }
  void on_flash(BufferEntry& entry) {
    leave_table(entry);
    free(entry);
  }
  /// From Destaging to Free, before the FTL takes it: its data are no longer needed.
  void drop(BufferEntry& entry) {
    end_destaging(entry);
    free(entry);
  }
  void free(BufferEntry& entry) {
    release(entry);
    leave_index(entry);
    entry.state = EntryState::Free;
    free_.push_back(slot_of(entry));
    room_.wake_one();
  }

  /// Advances a sequential stream, which is at the start of a cycle, by `cycles` cycles of `writes` commands in all.
  void pass_stream(const StreamCycle& cycle, std::uint64_t cycles, std::uint64_t writes);

  // --- Free to Reading to Clean, and back.
  BufferEntry& begin_reading(std::uint32_t unit, std::uint8_t part);
  /// Read data have arrived: keeps `sectors` from `tokens` (whose first is of `first_sector`); in place if `tokens` are
  /// the entry's own.
  void keep(BufferEntry& entry, std::uint64_t sectors, const SectorToken* tokens, std::uint32_t first_sector);
  void forget_clean(BufferEntry& entry, bool evicted);

  // --- Padding, which has its own slots.
  BufferEntry& take_padding();
  /// Its tokens have been read: it goes to flash as data of `version`; `last`: as the last unit of its block.
  void pad(BufferEntry& entry, std::uint32_t unit, std::uint64_t version, bool last);
  void free_padding(BufferEntry& entry);
  /// The newest entry of a unit on its way to flash that was evicted not later than eviction `evictions`; null: none.
  const BufferEntry* on_its_way(std::uint32_t unit, std::uint64_t evictions) const;

  // --- Trims under way, in order: their units read as zeroes, even while the map still points to older data.
  void begin_trim(std::uint32_t first, std::uint32_t count) { trims_.push_back({first, count}); }
  void end_trim() { trims_.pop_front(); }
  bool being_trimmed(std::uint32_t unit) const;
  /// Discards the entries of those units.
  void discard(std::uint32_t first, std::uint32_t count);
  void discard(BufferEntry& entry);

  std::uint64_t serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                      std::uint32_t first_sector) override {
    return serve(find(unit), unit, sectors, tokens, first_sector);
  }
  std::uint64_t missing(std::uint32_t unit, std::uint64_t sectors) const override {
    return missing(find(unit), unit, sectors);
  }
  WriteUnit& write_unit(std::uint32_t owner_slot) override { return entries_[owner_slot].write; }
  // The same for a caller that has looked up the unit: `entry` is the result of find().
  std::uint64_t serve(const BufferEntry* entry, std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                      std::uint32_t first_sector) const {
    return has_nothing(entry) ? sectors : serve_held(entry, unit, sectors, tokens, first_sector);
  }
  std::uint64_t missing(const BufferEntry* entry, std::uint32_t unit, std::uint64_t sectors) const {
    return has_nothing(entry) ? sectors : missing_of(entry, unit, sectors);
  }

  void state(StateArchive& archive);
  void policies_state(StateArchive& archive);

 private:
  struct UnitRange {
    std::uint32_t first;
    std::uint32_t count;
  };

  /// The unit is neither buffered nor being trimmed: the case of most reads.
  bool has_nothing(const BufferEntry* entry) const { return entry == nullptr && trims_.empty(); }
  std::uint64_t serve_held(const BufferEntry* entry, std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                           std::uint32_t first_sector) const;
  std::uint64_t missing_of(const BufferEntry* entry, std::uint32_t unit, std::uint64_t sectors) const;
  BufferEntry& take_slot(std::uint32_t unit);
  void merge(BufferEntry& entry, const UnitPiece& piece);
  void show_padding(BufferEntry& entry);
  void end_destaging(BufferEntry& entry);
  void enter(BufferEntry& entry, std::uint8_t stream, std::uint64_t write);
  void become_dirty(BufferEntry& entry);
  void tell_sets(const BufferEntry& entry, std::uint64_t write) {
    if (sets_ != nullptr) sets_->written(slot_of(entry), entry.write.unit, write);
  }
  void enter_index(BufferEntry& entry) {
    index_.insert(entry.write.unit, slot_of(entry));
    entry.newest = true;
  }
  void leave_index(BufferEntry& entry) {
    if (std::exchange(entry.newest, false)) index_.erase(entry.write.unit, slot_of(entry));
  }
  void release(BufferEntry& entry) {
    if (std::exchange(entry.recorded, false)) records_->release(slot_of(entry));
  }
  void restore(Slot slot);
  void list_state(StateArchive& archive, List& list);

  UnitPieces pieces_;
  std::uint32_t slots_;  // the slots of padding follow them
  std::uint32_t destage_units_;
  std::uint32_t sectors_;  // tokens of a unit
  bool verify_;
  std::vector<BufferPart> parts_;
  std::unique_ptr<CorrelatedSets> sets_;
  std::unique_ptr<NvramRecords> records_;
  BufferStatistics& statistics_;
  std::vector<BufferEntry> entries_;
  std::vector<SectorToken> tokens_;
  std::vector<Slot> free_;
  std::vector<Slot> free_padding_;
  UnitIndex index_;
  List dirty_;
  List destaging_;
  std::uint32_t in_table_ = 0;  // units in the destage table
  std::uint32_t destaging_count_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t evictions_ = 0;
  std::uint64_t discarded_ = 0;
  std::deque<UnitRange> trims_;
  WaitList room_;
  WaitList arrived_;
};

}  // namespace flashloom
