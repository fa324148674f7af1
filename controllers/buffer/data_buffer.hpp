// The data buffer in DRAM or NVRAM: takes host writes in mapping units, keeps them dirty (write-back) or passes them on
// (write-through), serves reads, and hands evicted units to the FTL through a bounded destage table. EntryStore holds
// the units, Evictor chooses victims, Destager hands them to the FTL, ReadCache serves and keeps reads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/buffer/read_cache.hpp"

namespace flashloom {

class DataBuffer {
 public:
  /// One to kMaxBufferParts parts. `sets`: null if no policy evicts correlated sets.
  DataBuffer(const BufferShape& shape, std::vector<BufferPart> parts, std::unique_ptr<CorrelatedSets> sets, Ftl& ftl,
             Hardware& hardware, NvramContents& nvram);

  /// How commands are cut into units; the firmware looks up the buffer once for each piece.
  const UnitPieces& pieces() const { return store_.pieces(); }
  /// Whether a write is acknowledged only when its data are on flash.
  bool waits_for_flash(const IoCommand& command) const {
    return shape_.write_through || (command.fua && !outlives_cuts());
  }
  bool in_nvram() const { return store_.records() != nullptr; }
  /// Its contents survive a power cut: it is in NVRAM, or capacitors give enough time for drain().
  bool outlives_cuts() const { return shape_.held_up || in_nvram(); }
  ReadCache& reads() { return reads_; }

  /// Takes the command's data, which are in the buffer's memory. Returns when the command may be acknowledged or, if it
  /// waits_for_flash(), be sent there. Begins when it is called; to be awaited at once. Sets IoStatus::WriteProtected
  /// if there will never be room (Ftl::out_of_room).
  Task<void> write(IoCommand& command);
  /// A write that waits_for_flash().
  struct ToFlash {
    std::uint32_t unit;          ///< the next one to send
    std::uint64_t discarded;     ///< dirty units that trims had discarded before it arrived
    std::uint64_t turn;          ///< its turn, behind earlier write commands
    std::uint64_t order = 0;     ///< the order that seals the open program unit behind it
    std::uint64_t eviction = 0;  ///< the last eviction that it waits for
  };
  /// To be called before write().
  ToFlash to_flash(const IoCommand& command) const {
    return {.unit = pieces().first(command), .discarded = store_.discarded(), .turn = store_.writes()};
  }
  /// After write(): sends its data to flash. Returns the list on which the next unit waits, at write.turn; null: all
  /// are on their way.
  WaitList* send(const IoCommand& command, ToFlash& write);
  /// Returns when all units that were sent are on flash, or never will be (Ftl::out_of_room).
  Task<void> until_on_flash(const ToFlash& write, LatencyBreakdown& breakdown) {
    return destager_.durable_up_to(write.eviction, breakdown);
  }
  /// A trim meanwhile may have discarded data of the write: then the trim must be durable first, or a cut would bring
  /// older data back. Returns the list to wait on; null: nothing to wait for.
  WaitList* until_trims_survive(const ToFlash& write) {
    return write.discarded != store_.discarded() ? destager_.until_done(write.order) : nullptr;
  }
  /// Returns when everything written before the call is durable: on flash, in NVRAM, or in a buffer that capacitors
  /// protect. Sets IoStatus::WriteProtected if it cannot become durable (Ftl::out_of_room).
  Task<void> flush(IoCommand& command);
  /// The same without counting on capacitors: on flash, or in NVRAM.
  Task<void> drain(IoCommand& command) { return persist(command, false); }
  /// Writes everything back to flash, also from a buffer in NVRAM; then moves the command's reclaim unit handle to its
  /// next reclaim unit. All data written before the call go to the previous one.
  Task<void> update_handle(IoCommand& command) { return persist(command, true); }
  /// Discards the units that lie wholly in the range; partly covered units are unchanged.
  Task<void> trim(IoCommand& command, std::uint64_t offset, std::uint64_t length);
  // --- Zones. `first`, `count`: the units of the zone, or those that the order concerns. One call at a time a zone.
  /// Returns when the FTL has taken all data written to these units and has then carried out the order.
  Task<void> carry_out(IoCommand& command, ZoneOrder order, std::uint32_t first, std::uint32_t count);
  /// Programs the next padding of a finished zone, of which the buffer holds no data.
  Task<void> pad(std::uint32_t zone, std::uint32_t member) {
    return destager_.go_first(ZoneOrder{.zone = zone, .kind = ZoneOrder::Kind::Pad, .member = member});
  }
  /// Drops the buffered data of these units; returns when the FTL has reset the zone, after the end of its programs.
  Task<void> reset_zone(IoCommand& command, std::uint32_t first, std::uint32_t count);

  // --- A sequential stream of new, whole units of job 0 that passes through the buffer in cycles (StreamCycle).
  /// Why this configuration has no such cycles; null: it has.
  const char* why_no_cycles() const;
  /// The cycle of the stream, with program units of `units_per_program` units.
  StreamCycle cycle_of(std::uint32_t units_per_program) const;
  /// The buffer is at the start of a cycle, and has never received anything else than the stream.
  bool begins(const StreamCycle& cycle) const;
  /// Passes `cycles` cycles, with `writes` commands from the first one on; their evicted data are on flash.
  void pass_stream(const StreamCycle& cycle, std::uint64_t cycles, std::uint64_t writes);
  // --- Whole units of job 0 on the instant clock, whose evictions the FTL takes many at a time (Ftl::write_whole).
  /// Whether take_whole() can follow: all units are whole, each leaves alone and for want of room, and the FTL has none.
  bool takes_whole(std::uint32_t units_per_program) const;
  /// Takes a command of `count` units from `first` on. Evicted units go behind those of `evicted`, and are on flash, as
  /// far as the buffer is concerned, when they fill a program unit.
  void take_whole(std::uint32_t first, std::uint32_t count, std::uint32_t units_per_program,
                  std::vector<WholeUnit>& evicted);
  /// Units evicted since that are not on flash, in this order, which the FTL has to write now.
  std::vector<WriteUnit*> evicted_whole();
  /// Version of the newest data.
  std::uint64_t version() const { return store_.version(); }

  /// After recovery: the next write gets a higher version.
  void continue_after(std::uint64_t version) { store_.continue_after(version); }
  /// After power-on and continue_after(): recovers the dirty units in NVRAM.
  Task<void> recover();

  /// See EntryStore.
  [[gnu::always_inline]] void prefetch(std::uint32_t unit) const { store_.prefetch(unit); }
  [[gnu::always_inline]] bool prefetch_entry(std::uint32_t unit) const { return store_.prefetch_entry(unit); }

  const BufferStatistics& statistics() const { return statistics_; }
  /// Why writes waited for room. Not part of state(), which is saved on the instant clock.
  const RoomWaitCounts& room_waits() const { return destager_.room_waits(); }
  /// Length of the initial part of a byte range that lies in dirty units, which a write overwrites in place.
  std::uint64_t dirty_from(std::uint64_t offset, std::uint64_t length) const;
  std::uint32_t units() const { return shape_.units; }
  /// Units that may be in the destage table at a time.
  std::uint32_t destage_units() const { return shape_.destage_units; }
  std::uint32_t parts() const { return static_cast<std::uint32_t>(store_.parts().size()); }
  std::uint32_t dirty_units() const {
    std::uint32_t dirty = destaging_units();
    for (const BufferPart& part : store_.parts()) dirty += part.dirty;
    return dirty;
  }
  /// Dirty units on their way to flash.
  std::uint32_t destaging_units() const { return store_.destaging_units(); }

  /// Saves or loads everything: of a quiescent buffer, into a new one of the same shape.
  void state(StateArchive& archive);
  /// Needed by Ftl::state().
  FrontBuffer& front() { return store_; }

 private:
  /// Progress of a write. Writes get room in the order of their numbers, each for all its units before the next: if
  /// they took units in turn, large writes with the same alignment would go to the same die at the same time.
  struct Taking {
    std::uint32_t unit;        ///< the next one
    std::uint32_t end;         ///< behind the last one
    std::uint8_t part;         ///< of the buffer
    std::uint64_t write;       ///< number of the command among the buffer's writes: its turn
    Picoseconds recorded = 0;  ///< when the records of all taken units are in NVRAM
    bool refused = false;      ///< there will never be room for the rest: the device's end of life
    // Of the next unit.
    BufferEntry* placed = nullptr;      ///< its entry
    BufferEntry* superseded = nullptr;  ///< the entry of its older data, on their way to flash

    bool over() const { return unit == end || refused; }
  };
  Taking begin_write(const IoCommand& command);
  WaitList* take(const IoCommand& command, Taking& taking);
  WaitList* take_unit(const IoCommand& command, Taking& taking);
  WaitList* until_room(Taking& taking);
  void taken(Taking& taking);
  Task<void> write_rest(IoCommand& command, Taking taking, WaitList* list);
  Task<void> evict_up_to(std::uint64_t version);
  void evict_units(std::uint32_t first, std::uint32_t count);
  Task<void> persist(IoCommand& command, bool moves_on);

  BufferShape shape_;
  Ftl& ftl_;
  Hardware& hardware_;
  BufferStatistics statistics_;
  EntryStore store_;
  Destager destager_;
  Evictor evictor_;
  ReadCache reads_;
};

}  // namespace flashloom
