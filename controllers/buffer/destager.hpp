// Hands evicted entries of the data buffer to the FTL, as orders that are carried out one after the other. An entry
// waits in the buffer until the destage table has room for it, and in the table until it is on flash. Orders of zone
// commands go first, with the evicted entries of their zone: there is no order between zones.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <variant>
#include <vector>

#include "controllers/buffer/entry_store.hpp"
#include "controllers/buffer/room_waits.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

struct WriteOrder {
  BufferEntry* entry;  ///< null: it was handed over, or dropped, before its turn
};
/// Reads a unit from flash, and programs it with the block that is evicted.
struct PaddingOrder {
  std::uint32_t unit;
  std::uint64_t version;
  std::uint64_t evictions;  ///< number of evictions before it
  bool last;                ///< of its block
};
struct TrimOrder {
  std::uint32_t first;
  std::uint32_t count;
  std::uint64_t version;  ///< of the newest write before it
};
struct SealOrder {
  bool persist = false;  ///< for a flush: trims must survive a power cut as well
  bool seal = true;      ///< programs partly filled program units
};
/// Moves a reclaim unit handle to its next reclaim unit.
struct HandleOrder {
  PlacementId placement;
};
/// An order of a zone (Zones). Finish: no more data will come; Pad: program its next padding; Commit: its first `end`
/// units will not change any more; GiveArea: it gets a random write area.
struct ZoneOrder {
  enum class Kind : std::uint8_t { Finish, Pad, Commit, GiveArea };
  std::uint32_t zone;
  Kind kind;
  std::uint32_t end = 0;
  std::uint32_t member = 0;  ///< of the zone, for Pad
};
using DestageOrder = std::variant<WriteOrder, PaddingOrder, TrimOrder, SealOrder, HandleOrder, ZoneOrder>;

class Destager final : public WriteListener {
 public:
  Destager(const BufferShape& shape, EntryStore& store, Ftl& ftl, Hardware& hardware, BufferStatistics& statistics);

  void order(const DestageOrder& next);
  /// A WriteOrder; carried out at once if no order is before it and it need not wait.
  void order_write(BufferEntry& entry);
  void order_trim(std::uint32_t first, std::uint32_t count);
  /// Carries out an order of the zone with those units after the zone's evicted entries and before all other orders. It
  /// may also pass a SealOrder: data that a flush waits for only get to flash earlier. Returns when it is carried out.
  /// Orders of one zone are given one at a time.
  Task<void> carry_out_first(ZoneOrder order, std::uint32_t first, std::uint32_t count);
  /// The same for a zone that has no data in the buffer.
  Task<void> go_first(DestageOrder next);
  /// A trim of a zone: drops its evicted entries that the FTL has not taken yet.
  Task<void> reset_first(std::uint32_t first, std::uint32_t count);
  std::uint64_t given() const { return given_; }
  /// All orders are carried out.
  bool at_rest() const { return !running_ && orders_.empty() && first_.empty() && tombstones_.empty(); }
  /// Counts `orders` orders as given and carried out, when a rule has replaced them (DataBuffer::pass_stream).
  void passed(std::uint64_t orders) {
    given_ += orders;
    done_ += orders;
  }
  /// The list to wait on until `orders` orders are carried out; null: they are.
  WaitList* until_done(std::uint64_t orders) { return done_ < orders ? &ordered_ : nullptr; }
  /// Returns when all entries up to that eviction are on flash, or never will be (Ftl::out_of_room).
  Task<void> durable_up_to(std::uint64_t eviction, LatencyBreakdown& breakdown);
  /// Waits until a partly written entry on its way to flash has been filled up from flash.
  WaitList& filled() { return filled_; }

  /// With a buffer in NVRAM, writes to the units of a trim wait while its first tombstone is being programmed. The
  /// trim would discard their data from the map, and after a power cut data programmed in between would come back,
  /// older than the acknowledged ones. Returns the trim's number.
  std::uint64_t begin_tombstones(std::uint32_t first, std::uint32_t count);
  void end_tombstones(std::uint64_t trim);
  /// The list on which a write of the unit waits for such a trim; null: none.
  WaitList* until_tombstone_written(std::uint32_t unit) {
    return !tombstones_.empty() && waits_for_tombstone(unit) ? &ordered_ : nullptr;
  }

  /// A write has waited between two instants: for room, or for a unit that was being filled or trimmed.
  void waited(bool for_room, Picoseconds from, Picoseconds to);
  const RoomWaitCounts& room_waits() const { return room_wait_counts_; }

  void on_filled(WriteUnit& unit) override;
  void on_durable(WriteUnit& unit, const ProgramInstants& program) override;

  /// Saves or loads a quiescent destager.
  void state(StateArchive& archive) { archive(done_, given_); }

 private:
  struct TrimmedRange {
    std::uint32_t first;
    std::uint32_t count;
    std::uint64_t trim;
  };

  /// An order that goes before all others.
  struct First {
    DestageOrder order;
    bool* done;  ///< set when it is carried out; may be null
  };

  bool waits_for_tombstone(std::uint32_t unit) const;
  /// Removes the orders of evicted entries of those units that have not been handed over.
  template <class Take>
  void take_out(std::uint32_t first, std::uint32_t count, Take take);
  void push_first(const First& next);
  void drop(BufferEntry& entry);
  void start();
  Task<void> destage();
  Task<void> destage_after(Task<void> write, BufferEntry& entry);
  const BufferEntry* likely_next(const BufferEntry& leaving);
  Task<void> hand_over(BufferEntry& entry);
  void handed_over(BufferEntry& entry);
  Task<void> pad(PaddingOrder order);
  void strand(BufferEntry& entry);
  void wake_all();
  void order_done() {
    ++done_;
    ordered_.wake_all();
  }

  EntryStore& store_;
  Ftl& ftl_;
  Hardware& hardware_;
  BufferStatistics& statistics_;
  bool notes_room_waits_;
  RoomWaits room_waits_;
  RoomWaitCounts room_wait_counts_;
  boost::circular_buffer<DestageOrder> orders_;
  boost::circular_buffer<First> first_{64};  // trims before the other ones
  std::uint64_t given_ = 0;
  std::uint64_t done_ = 0;
  bool running_ = false;
  std::vector<TrimmedRange> tombstones_;
  std::uint64_t tombstones_given_ = 0;
  ProgramInstants durable_program_;    // the program that last woke the waiters of durable_
  ReadRequest padding_read_;           // one at a time
  LatencyBreakdown unused_breakdown_;  // of padding_read_; not used
  WaitList table_;                     // for room in the destage table
  WaitList padding_;                   // for a slot of padding
  WaitList filled_;
  WaitList durable_;
  WaitList ordered_;  // for an order to be carried out
};

}  // namespace flashloom
