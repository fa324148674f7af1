// The data buffer in DRAM or NVRAM: takes host writes in mapping units, keeps them dirty (write-back) or passes them on
// (write-through), serves reads, and hands evicted units to the FTL through a bounded destage table. Its parts hold the
// units (EntryStore), choose what leaves (Evictor), hand it over (Destager) and keep what was read (ReadCache).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/buffer/read_cache.hpp"

namespace flashloom {

class DataBuffer {
 public:
  /// One to kMaxBufferParts parts. `sets`: null where no pages belong together.
  DataBuffer(const BufferShape& shape, std::vector<BufferPart> parts, std::unique_ptr<CorrelatedSets> sets, Ftl& ftl,
             Hardware& hardware, NvramContents& nvram);

  /// How commands are cut into units: as often does the firmware look into the buffer.
  const UnitPieces& pieces() const { return store_.pieces(); }
  /// Whether a write is acknowledged only when its data are on flash.
  bool waits_for_flash(const IoCommand& command) const {
    return shape_.write_through || (command.fua && !outlives_cuts());
  }
  bool in_nvram() const { return store_.records() != nullptr; }
  /// What it holds survives a power cut: in NVRAM, or since capacitors give the time to drain() it.
  bool outlives_cuts() const { return shape_.held_up || in_nvram(); }
  /// For reads.
  ReadCache& reads() { return reads_; }

  /// Takes the command's data, which are in the buffer's memory; returns when it may be acknowledged, unless it waits
  /// for flash. Begins when it is called; to be awaited at once. With IoStatus::WriteProtected where there will never
  /// be room (Ftl::out_of_room).
  Task<void> write(IoCommand& command);
  /// A write on its way through the buffer to flash, for which it waits.
  struct ToFlash {
    std::uint32_t unit;          ///< the next one to send
    std::uint64_t discarded;     ///< dirty units by trims, before it came
    std::uint64_t turn;          ///< behind the write commands that came before it
    std::uint64_t order = 0;     ///< to seal the open program unit behind it
    std::uint64_t eviction = 0;  ///< the last one that it waits for
  };
  /// Said before write().
  ToFlash to_flash(const IoCommand& command) const {
    return {.unit = pieces().first(command), .discarded = store_.discarded(), .turn = store_.writes()};
  }
  /// Behind write(): sends what it took to flash. Returns what the next unit waits for, in its turn; null: all are on
  /// their way.
  WaitList* send(const IoCommand& command, ToFlash& write);
  /// Returns when all that was sent is there, or never will be (Ftl::out_of_room).
  Task<void> until_on_flash(const ToFlash& write, LatencyBreakdown& breakdown) {
    return destager_.durable_up_to(write.eviction, breakdown);
  }
  /// A trim that came in between may have discarded its data: then that must survive, or what is older would come back.
  /// Returns what that waits for; null: nothing.
  WaitList* until_trims_survive(const ToFlash& write) {
    return write.discarded != store_.discarded() ? destager_.until_done(write.order) : nullptr;
  }
  /// Returns when everything written before the call is durable: on flash, in NVRAM, or here, where capacitors hold the
  /// device up. With IoStatus::WriteProtected where it cannot be (Ftl::out_of_room).
  Task<void> flush(IoCommand& command);
  /// The same without capacitors: on flash, or in NVRAM.
  Task<void> drain(IoCommand& command) { return persist(command, false); }
  /// The same with a buffer in NVRAM, too; then the command's reclaim unit handle goes on in its next reclaim unit. All
  /// that was written before goes to the one before.
  Task<void> update_handle(IoCommand& command) { return persist(command, true); }
  /// Discards the whole units of the range; a part of a unit is left alone.
  Task<void> trim(IoCommand& command, std::uint64_t offset, std::uint64_t length);
  // --- Of a zone, which has `count` units from `first` on, or those of it that the order is about. One at a time.
  /// Returns when the FTL has what was written of them, and has carried out the order behind it.
  Task<void> carry_out(IoCommand& command, ZoneOrder order, std::uint32_t first, std::uint32_t count);
  /// The next of the padding of a finished zone, of which nothing is here.
  Task<void> pad(std::uint32_t zone, std::uint32_t member) {
    return destager_.go_first(ZoneOrder{.zone = zone, .kind = ZoneOrder::Kind::Pad, .member = member});
  }
  /// Drops what is here of them; returns when the FTL has reset the zone. What it is programming must end first.
  Task<void> reset_zone(IoCommand& command, std::uint32_t first, std::uint32_t count);

  // --- A sequential stream of new units, whole ones, of job 0.
  /// What keeps it from going through the buffer by cycles; null: nothing.
  const char* why_no_cycles() const;
  /// How it does, into program units of so many units.
  StreamCycle cycle_of(std::uint32_t units_per_program) const;
  /// Such a cycle begins, and nothing but the stream has ever come.
  bool begins(const StreamCycle& cycle) const;
  /// That many go through it, by so many commands since the first; what left for flash is there.
  void pass_stream(const StreamCycle& cycle, std::uint64_t cycles, std::uint64_t writes);
  /// Of the newest data.
  std::uint64_t version() const { return store_.version(); }

  /// The next write takes a higher version (after recovery).
  void continue_after(std::uint64_t version) { store_.continue_after(version); }
  /// After power-on, behind continue_after(): finds the dirty units that NVRAM has kept.
  Task<void> recover();

  /// A command to a unit will come soon: see EntryStore.
  [[gnu::always_inline]] void prefetch(std::uint32_t unit) const { store_.prefetch(unit); }
  [[gnu::always_inline]] bool prefetch_entry(std::uint32_t unit) const { return store_.prefetch_entry(unit); }

  const BufferStatistics& statistics() const { return statistics_; }
  /// Why writes waited for room. Not of saved states, which are made where nothing takes time.
  const RoomWaitCounts& room_waits() const { return destager_.room_waits(); }
  /// Of a range of bytes: how many from its begin on lie in units that are dirty here, which writes overwrite in place.
  std::uint64_t dirty_from(std::uint64_t offset, std::uint64_t length) const;
  std::uint32_t units() const { return shape_.units; }
  /// Of them, those of which the FTL may have the data at a time.
  std::uint32_t destage_units() const { return shape_.destage_units; }
  std::uint32_t parts() const { return static_cast<std::uint32_t>(store_.parts().size()); }
  std::uint32_t dirty_units() const {
    std::uint32_t dirty = destaging_units();
    for (const BufferPart& part : store_.parts()) dirty += part.dirty;
    return dirty;
  }
  /// Of them, on their way to flash.
  std::uint32_t destaging_units() const { return store_.destaging_units(); }

  /// Saves or loads everything: of a quiescent buffer, into a new one of the same shape.
  void state(StateArchive& archive);
  /// For the FTL's own state.
  FrontBuffer& front() { return store_; }

 private:
  /// How far a write has been taken. Writes wait for room in the order of their numbers, each until it has room for all
  /// its units: were it given unit by unit in turn, large writes that are aligned alike would go to the same die at the
  /// same time.
  struct Taking {
    std::uint32_t unit;        ///< the next one
    std::uint32_t end;         ///< behind the last one
    std::uint8_t part;         ///< of the buffer
    std::uint64_t write;       ///< number of the command among the buffer's writes: its turn
    Picoseconds recorded = 0;  ///< when NVRAM has all that was taken
    bool refused = false;      ///< there will never be room for the rest: the device's end of life
    // Of the next unit.
    BufferEntry* placed = nullptr;      ///< where it is
    BufferEntry* superseded = nullptr;  ///< the older data of the unit, on their way to flash

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
