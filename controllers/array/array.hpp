// The software of an array: request mapping, mirrors, parity, degraded reads, journal, resync and rebuild. A power cut
// destroys the object; start() of a new one continues from ArrayMedia. docs/reference/array.md has the rules.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "controllers/array/array_config.hpp"
#include "controllers/array/array_layout.hpp"
#include "controllers/array/array_media.hpp"
#include "controllers/array/array_statistics.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "controllers/tier/block_port.hpp"
#include "controllers/tier/segment_locks.hpp"
#include "models/common/parity.hpp"
#include "models/memory/memory_port.hpp"

namespace flashloom {

/// Points at which tests may cut the power.
enum class ArrayStep : std::uint8_t {
  Journal,  ///< an entry, or a bit of the bitmap, is about to be written
  Write,    ///< a stripe, or mirrors, are about to be written
  Written,  ///< they have been written
  Resync,   ///< a stripe is about to be read in a resync
  Rebuild,  ///< a stripe is about to be rebuilt
  Replay,   ///< an entry of the journal is about to be replayed
};
inline constexpr std::size_t kArraySteps = 6;
const char* to_string(ArrayStep step);  ///< "journal", ...

struct ArrayShape {
  std::uint32_t sector_bytes = 512;
  std::uint32_t unit_bytes = 4096;  ///< trim granularity of the drives
  std::uint64_t drive_bytes = 0;
  bool tokens = false;  ///< the drives keep contents (`verify`)
};

/// Gives the drives turns in which they collect garbage.
class CollectionTurns {
 public:
  virtual void begin(std::uint32_t drive, Picoseconds until) = 0;
  /// Whether the drive is collecting now, in its turn.
  virtual bool collects(std::uint32_t drive) const = 0;

 protected:
  ~CollectionTurns() = default;
};

/// What the array uses; all of it must outlive the array.
struct ArraySurroundings {
  Runtime& runtime;
  TimerQueue& timers;
  std::vector<std::unique_ptr<BlockPort>>& ports;  ///< of the drives, the spare's last
  MemoryPort* nvram;                               ///< null if there is none
  CollectionTurns* turns;                          ///< null: each drive collects garbage at any time
  ArrayMedia& media;
  ArrayStatistics& statistics;
  ArrayRebuild& rebuild;
  std::function<void(ArrayStep)>& on_step;  ///< may be empty
};

class Array {
 public:
  Array(const ArrayConfig& config, const ArrayShape& shape, const ArraySurroundings& surroundings);

  /// Carries out a command; returns when it is complete.
  Task<void> serve(IoCommand& command);
  /// begin() starts the background work of a new array. start() is for after power-on: it replays the journal, then
  /// calls begin(); resync runs beside requests.
  void begin();
  Task<void> start();

  const ArrayLayout& layout() const { return layout_; }
  /// The drive to which a slot's chunk of a stripe is written; kNoDrive if none.
  std::uint32_t home_of(std::uint32_t stripe, std::uint32_t slot) const {
    const std::uint32_t drive = around_.media.drives[slot];
    return slot == rebuild_slot_ && rebuilt_[stripe] ? layout_.slots() : drive;
  }
  /// The drive from which it is read; kNoDrive if there is none or the content is lost.
  std::uint32_t drive_of(std::uint32_t stripe, std::uint32_t slot) const;
  /// The parity or mirrors of a stripe are consistent, as far as is known.
  bool in_step(std::uint32_t stripe) const { return !unsynced_[stripe] && !around_.media.lost.contains(stripe); }
  bool degraded() const;
  std::uint64_t unsynced_stripes() const { return unsynced_count_; }

 private:
  struct Stripe {  // of the stripe cache
    std::vector<SectorToken> tokens;
  };
  // Rows of a stripe in which a write covers the same columns.
  struct Band {
    std::uint64_t row = 0;
    std::uint64_t length = 0;
    std::uint64_t covered = 0;
    std::uint64_t reads = 0;  // mask of columns to be read
    enum class Kind : std::uint8_t { Full, Modify, Reconstruct, Solve, NoParity } kind = Kind::Full;
  };
  struct Bands {
    Band of[3];
    std::uint32_t count = 0;
  };
  struct StripeWrite {  // of one command, in one stripe
    const IoCommand* command;
    LatencyBreakdown* breakdown;  // null: one of several stripe writes of the command
    std::uint32_t stripe;
    std::uint64_t from;  // array address, bytes
    std::uint64_t length;
    std::uint64_t at;  // offset in the command, bytes
  };
  struct Join {  // child coroutines that one coroutine waits for
    std::uint32_t open = 0;
    IoStatus status = IoStatus::Ok;
    WaitList over;
  };

  // array.cpp
  Task<void> transfer(IoCommand& command);
  Task<IoStatus> flush_drives(LatencyBreakdown* breakdown);
  Task<IoStatus> flush(LatencyBreakdown* breakdown);
  Task<IoStatus> trim(const IoCommand& command);
  Task<IoStatus> trim_range(const IoCommand& command, std::uint64_t offset, std::uint64_t length);
  Task<IoStatus> trim_stripes(const IoCommand& command, std::uint32_t first, std::uint32_t count);
  Task<IoStatus> trim_extents(const IoCommand& command, std::uint64_t offset, std::uint64_t length);
  void fail(std::uint32_t slot);
  Task<void> fail_later();
  Task<void> spare_later();
  bool may_fail(std::uint32_t slot) const;
  IoStatus settle_writes(const TransferGroup& group);
  Task<void> compute(std::uint64_t p_bytes, std::uint64_t q_bytes);
  void give_turns();
  struct LockRange {
    Segment first;
    Segment last;
  };
  LockRange lock_range(std::uint64_t offset, std::uint64_t length) const {
    return {static_cast<Segment>(offset / layout_.lock_bytes()),
            static_cast<Segment>((offset + length - 1) / layout_.lock_bytes())};
  }
  LockRange lock_range(std::uint32_t stripe) const {
    return lock_range(stripe * layout_.stripe_bytes(), layout_.stripe_bytes());
  }
  BlockPort& port(std::uint32_t drive) const { return *around_.ports[drive]; }
  SectorToken* tokens_at(const IoCommand& command, std::uint64_t at) const {
    return command.tokens == nullptr ? nullptr : command.tokens + at / shape_.sector_bytes;
  }

  // array_mirrors.cpp
  Task<IoStatus> read_mirrored(IoCommand& command);
  Task<IoStatus> reread(const IoCommand& command, ArrayExtent extent);
  Task<IoStatus> write_mirrored(IoCommand& command);
  std::uint32_t mirror_for(const ArrayExtent& extent);
  // With one column, all stripes form one part, as long as they all use the same drives.
  template <class F>
  void each_part(std::uint64_t offset, std::uint64_t length, F&& f) const {
    if (layout_.data_columns() != 1 || rebuild_slot_ != kNoDrive || !around_.media.lost.empty())
      return layout_.each_extent(offset, length, f);
    ArrayExtent part = layout_.extent(offset, length);
    part.length = length;
    f(part);
  }
  Task<void> sync_before(std::uint64_t offset, std::uint64_t length);

  // array_stripes.cpp
  Task<IoStatus> read_striped(IoCommand& command);
  Task<void> read_degraded(const IoCommand& command, ArrayExtent extent, bool repair, Join& join);
  std::uint64_t away(std::uint32_t stripe) const;  // mask of columns that cannot be read
  std::uint64_t failed_columns(std::uint32_t stripe, const TransferGroup& group) const;
  bool trusted(std::uint32_t stripe) const;
  Task<Stripe*> take_stripe();
  void give(Stripe* stripe);

  // array_writes.cpp
  Task<IoStatus> write_striped(IoCommand& command);
  Task<void> write_part(StripeWrite write, Join& join);
  Task<IoStatus> write_locked(const StripeWrite& write, Stripe& stripe);
  Task<bool> read_for(const StripeWrite& write, const Bands& bands, Stripe& stripe);
  Task<void> solve_for(const StripeWrite& write, Bands& bands, Stripe& stripe);
  void apply(const StripeWrite& write, const Band& band, Stripe& stripe) const;
  Bands bands_of(const StripeWrite& write) const;
  bool stored(const StripeWrite& write, const Bands& bands) const;
  void choose(std::uint32_t stripe, Band& band) const;
  void count(const Bands& bands);
  Task<IoStatus> load(std::uint32_t stripe, Stripe& into, std::uint64_t row, std::uint64_t length, std::uint64_t want,
                      std::uint64_t without, const IoCommand* like, LatencyBreakdown* breakdown);
  Task<IoStatus> load_own(ArrayExtent part, Stripe& into, const IoCommand& command);
  void submit_column(TransferGroup& group, IoOperation operation, std::uint32_t stripe, std::uint32_t column,
                     std::uint64_t row, std::uint64_t length, Stripe& memory, const IoCommand* like, bool fua);
  // Calls f(row, length) for the rows whose parity is written, in as few ranges as possible.
  template <class F>
  static void each_parity_range(const Bands& bands, F&& f) {
    for (std::uint32_t i = 0; i < bands.count; ++i) {
      const std::uint64_t row = bands.of[i].row;
      std::uint64_t end = row;
      for (; i < bands.count && bands.of[i].kind != Band::Kind::NoParity && bands.of[i].row == end; ++i)
        end += bands.of[i].length;
      if (end == row) continue;  // a band without parity
      --i;
      f(row, end - row);
    }
  }
  ParityRows rows_of(Stripe& stripe) const {
    return {stripe.tokens.data(), layout_.chunk() / shape_.sector_bytes, layout_.data_columns(), layout_.parities()};
  }
  SectorToken* memory_of(Stripe& stripe, std::uint32_t column, std::uint64_t row) const {
    return shape_.tokens ? rows_of(stripe).column(column) + row / shape_.sector_bytes : nullptr;
  }

  // array_journal.cpp
  std::unique_ptr<JournalEntry> entry_of(const StripeWrite& write, const Bands& bands, Stripe& memory);
  Task<JournalEntry*> write_ahead(std::unique_ptr<JournalEntry>& entry);
  bool journals() const { return config_.journal == "write_ahead"; }
  void clear_bitmap(std::uint64_t until);
  void journal_done(JournalEntry* entry);
  void release(std::uint64_t until);
  Task<void> note_intent(std::uint32_t first, std::uint32_t last);
  void intent_done(std::uint32_t first, std::uint32_t last);
  Task<void> nvram_write(std::uint64_t bytes);
  Task<void> replay();

  // array_sync.cpp
  void look_after_stripes();
  Task<void> resync();
  Task<void> resync_stripes(Join& join);
  Task<void> resync_stripe(std::uint32_t stripe);
  Task<std::uint32_t> read_copy(std::uint32_t stripe, std::uint32_t column, Stripe& memory);
  Task<void> resync_mirrors(std::uint32_t stripe, Stripe& memory);
  Task<void> resync_parity(std::uint32_t stripe, Stripe& memory);
  Task<void> rebuild();
  Task<void> rebuild_stripes(Join& join);
  Task<void> rebuild_stripe(std::uint32_t stripe, Stripe& memory);
  Task<void> end_rebuild();
  Task<void> sync_slowly();
  void lose(std::uint32_t stripe, std::uint32_t slots);
  void lose_failed(std::uint32_t stripe);
  void synced(std::uint32_t stripe);

  void step(ArrayStep step) {
    if (around_.on_step) around_.on_step(step);
  }

  const ArrayConfig& config_;
  ArrayShape shape_;
  ArrayLayout layout_;
  ArraySurroundings around_;
  SegmentLocks locks_;
  std::vector<std::unique_ptr<Stripe>> stripes_;
  std::vector<Stripe*> free_stripes_;
  WaitList stripe_free_;
  std::vector<bool> unsynced_;  // by stripe: mirrors may differ, parity may be wrong
  std::uint64_t unsynced_count_ = 0;
  std::vector<bool> rebuilt_;  // by stripe, of rebuild_slot_
  std::uint32_t rebuild_slot_ = kNoDrive;
  std::uint32_t next_rebuild_ = 0;  // stripe
  std::uint32_t next_resync_ = 0;   // stripe
  Picoseconds sync_at_ = 0;
  Picoseconds cpu_free_ = 0;
  bool begun_ = false;
  bool syncing_ = false;
  std::uint32_t writing_ = 0;  // write and trim requests in progress
  std::uint64_t events_ = 0;   // counts completions, and flushes that begin
  std::uint64_t written_ = 0;  // event of the last completed write
  std::uint64_t journal_used_ = 0;
  bool journal_flushing_ = false;
  WaitList journal_changed_;
  struct Region {
    std::uint32_t writing = 0;
    bool noting = false;     // its bit is being written
    bool noted = false;      // its bit is on media
    std::uint64_t done = 0;  // event of the last completed write
  };
  std::map<std::uint32_t, Region> regions_;  // by region with a set bit
  WaitList region_noted_;
  std::uint32_t next_mirror_ = 0;
  std::vector<std::uint64_t> last_end_;  // by drive: end of its last read ("nearest")
  Picoseconds turn_until_ = 0;
  std::uint32_t turn_ = 0;
};

}  // namespace flashloom
