// Hands what has left the data buffer to the FTL: orders, carried out one after the other. Entries wait in the buffer
// until the destage table has room for them, and in the table until they are on flash. What a zone's command orders goes
// first, with what has left of that zone: zones have no order among each other.
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
  BufferEntry* entry;  ///< null: it has been handed over, or dropped, before its turn
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
/// A reclaim unit handle goes on in its next reclaim unit.
struct HandleOrder {
  PlacementId placement;
};
/// Of a zone (Zones): it will get nothing more; the next of its padding; its first `end` units will not change any more;
/// it has a random write area from now on.
struct ZoneOrder {
  enum class Kind : std::uint8_t { Finish, Pad, Commit, GiveArea };
  std::uint32_t zone;
  Kind kind;
  std::uint32_t end = 0;
  std::uint32_t member = 0;  ///< of its padding
};
using DestageOrder = std::variant<WriteOrder, PaddingOrder, TrimOrder, SealOrder, HandleOrder, ZoneOrder>;

class Destager final : public WriteListener {
 public:
  Destager(const BufferShape& shape, EntryStore& store, Ftl& ftl, Hardware& hardware, BufferStatistics& statistics);

  void order(const DestageOrder& next);
  /// A WriteOrder, carried out at once where none is before it and nothing has to be waited for.
  void order_write(BufferEntry& entry);
  void order_trim(std::uint32_t first, std::uint32_t count);
  /// What is ordered of a zone, which has those units, behind what has left of it and before all else; a seal may be
  /// passed, too: what a flush waits for only gets to flash earlier. Returns when it is carried out. Orders of one zone
  /// are given one at a time.
  Task<void> carry_out_first(ZoneOrder order, std::uint32_t first, std::uint32_t count);
  /// The same of a zone that has nothing in the buffer.
  Task<void> go_first(DestageOrder next);
  /// A trim of such a zone: what has left of it and is not the FTL's yet is dropped.
  Task<void> reset_first(std::uint32_t first, std::uint32_t count);
  std::uint64_t given() const { return given_; }
  /// So many were given and are carried out, by somebody else.
  void passed(std::uint64_t orders) {
    given_ += orders;
    done_ += orders;
  }
  /// What has to be waited for until so many orders are carried out; null: nothing.
  WaitList* until_done(std::uint64_t orders) { return done_ < orders ? &ordered_ : nullptr; }
  /// Returns when all that left up to that eviction is on flash, or never will be (Ftl::out_of_room).
  Task<void> durable_up_to(std::uint64_t eviction, LatencyBreakdown& breakdown);
  /// For an entry on its way to flash to have all of its unit.
  WaitList& filled() { return filled_; }

  /// In NVRAM, while the first tombstone of a trim is on its way to flash, writes of its units wait: the trim is going
  /// to forget them, and what had come to flash of them in between would return in a power cut, older than what was
  /// acknowledged. Returns the trim's number.
  std::uint64_t begin_burial(std::uint32_t first, std::uint32_t count);
  void end_burial(std::uint64_t trim);
  /// What a write of the unit waits for therefore; null: nothing.
  WaitList* until_buried(std::uint32_t unit) { return !burials_.empty() && being_buried(unit) ? &ordered_ : nullptr; }

  /// A write has waited between two instants: for room, or for a unit that was on its way.
  void waited(bool for_room, Picoseconds from, Picoseconds to);
  const RoomWaitCounts& room_waits() const { return room_wait_counts_; }

  void on_filled(WriteUnit& unit) override;
  void on_durable(WriteUnit& unit, const ProgramInstants& program) override;

  /// Of a quiescent one.
  void state(StateArchive& archive) { archive(done_, given_); }

 private:
  struct Burial {
    std::uint32_t first;
    std::uint32_t count;
    std::uint64_t trim;
  };

  /// An order that goes first.
  struct First {
    DestageOrder order;
    bool* done;  ///< to be set then; may be null
  };

  bool being_buried(std::uint32_t unit) const;
  /// What has left of those units and is still to be handed over loses its place among the orders.
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
  boost::circular_buffer<First> first_{64};  // trims before all else
  std::uint64_t given_ = 0;
  std::uint64_t done_ = 0;
  bool running_ = false;
  std::vector<Burial> burials_;
  std::uint64_t burials_given_ = 0;
  ProgramInstants durable_program_;  // that woke those who wait for durable_
  ReadRequest padding_read_;         // one at a time
  LatencyBreakdown unheard_;         // of that: nobody waits for it
  WaitList table_;                   // for room in the destage table
  WaitList padding_;                 // for a slot of padding
  WaitList filled_;
  WaitList durable_;
  WaitList ordered_;  // for an order to be carried out
};

}  // namespace flashloom
