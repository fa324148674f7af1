// Resync after a power cut and rebuild onto a spare, stripe by stripe, beside requests.
#include <algorithm>
#include <utility>

#include "controllers/array/array.hpp"
#include "controllers/runtime/until.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kStripesAtOnce = 4;

}  // namespace

void Array::look_after_stripes() {
  if (!begun_) return;                         // the journal may not have been replayed yet
  if (unsynced_count_ != 0) next_resync_ = 0;  // restarts a running pass, too: stripes it skipped may be possible now
  if (unsynced_count_ != 0 && !syncing_) {
    syncing_ = true;
    around_.runtime.spawn([this] { return resync(); });
  }
  if (rebuild_slot_ != kNoDrive || !config_.has_spare() || around_.media.spare_taken || !degraded()) return;
  if (kernel_now() < config_.rebuild_at) return;
  const std::vector<std::uint32_t>& drives = around_.media.drives;
  rebuild_slot_ = static_cast<std::uint32_t>(std::find(drives.begin(), drives.end(), kNoDrive) - drives.begin());
  around_.runtime.spawn([this] { return rebuild(); });
}

// Resync and rebuild share one rate.
Task<void> Array::sync_slowly() {
  sync_at_ = std::max(sync_at_, kernel_now());
  const Picoseconds at = sync_at_;
  if (config_.rebuild_rate != 0)
    sync_at_ += static_cast<Picoseconds>(static_cast<double>(layout_.chunk()) * 1e12 /
                                         static_cast<double>(config_.rebuild_rate));
  co_await Until(around_.timers, at);
}

// Marks the content of the stripe in these slots as unknown.
void Array::lose(std::uint32_t stripe, std::uint32_t slots) {
  const auto [at, fresh] = around_.media.lost.try_emplace(stripe, 0);
  at->second |= slots;
  if (fresh) ++around_.statistics.stripes_lost;
}

void Array::lose_failed(std::uint32_t stripe) {
  std::uint32_t slots = 0;
  for (std::uint32_t slot = 0; slot < layout_.slots(); ++slot)
    if (home_of(stripe, slot) == kNoDrive) slots |= std::uint32_t{1} << slot;
  lose(stripe, slots);
}

// Marks the stripe as consistent again.
void Array::synced(std::uint32_t stripe) {
  around_.media.lost.erase(stripe);
  if (!unsynced_[stripe]) return;
  unsynced_[stripe] = false;
  --unsynced_count_;
}

Task<void> Array::resync() {
  Join join;
  join.open = kStripesAtOnce;
  for (std::uint32_t i = 0; i < kStripesAtOnce; ++i) around_.runtime.spawn([&] { return resync_stripes(join); });
  while (join.open != 0) co_await join.over.wait();
  syncing_ = false;
  if (next_resync_ < layout_.stripes()) look_after_stripes();
}

Task<void> Array::resync_stripes(Join& join) {
  while (next_resync_ < layout_.stripes()) {
    const std::uint32_t stripe = next_resync_++;
    if (!unsynced_[stripe]) continue;
    co_await sync_slowly();
    co_await resync_stripe(stripe);
  }
  if (--join.open == 0) join.over.wake_all();
}

Task<void> Array::resync_stripe(std::uint32_t stripe) {
  const LockRange range = lock_range(stripe);
  co_await locks_.lock(range.first, range.last);
  Stripe* const memory = co_await take_stripe();
  if (unsynced_[stripe]) {
    step(ArrayStep::Resync);
    ++around_.statistics.stripes_resynced;
    if (layout_.parities() == 0)
      co_await resync_mirrors(stripe, *memory);
    else
      co_await resync_parity(stripe, *memory);
  }
  give(memory);
  locks_.unlock(range.first, range.last);
}

// Reads a chunk from its first readable copy; returns that drive, or kNoDrive if no copy is readable.
Task<std::uint32_t> Array::read_copy(std::uint32_t stripe, std::uint32_t column, Stripe& memory) {
  for (std::uint32_t mirror = 0; mirror < layout_.mirrors(); ++mirror) {
    const std::uint32_t drive = drive_of(stripe, layout_.slot_of(stripe, column, mirror));
    if (drive == kNoDrive) continue;
    TransferGroup read;
    read.submit(port(drive), IoOperation::Read, stripe * layout_.chunk(), layout_.chunk(),
                memory_of(memory, column, 0));
    co_await read;
    if (read.status() == IoStatus::Ok) co_return drive;
  }
  co_return kNoDrive;
}

// Copies the first readable copy to all others, durably, before anyone reads it. If no copy can be read as a whole,
// only the first known one counts from now on.
Task<void> Array::resync_mirrors(std::uint32_t stripe, Stripe& memory) {
  TransferGroup writes;
  bool written = false;
  std::uint32_t lost = 0;
  for (std::uint32_t column = 0; column < layout_.data_columns(); ++column) {
    const std::uint32_t source = co_await read_copy(stripe, column, memory);
    bool first = true;
    for (std::uint32_t mirror = 0; mirror < layout_.mirrors(); ++mirror) {
      const std::uint32_t slot = layout_.slot_of(stripe, column, mirror);
      const std::uint32_t drive = home_of(stripe, slot);
      if (drive == kNoDrive) continue;
      const bool known = drive_of(stripe, slot) != kNoDrive;
      if (source == kNoDrive && !(known && std::exchange(first, false))) lost |= std::uint32_t{1} << slot;
      if (source == kNoDrive || drive == source) continue;
      written = true;
      writes.submit(port(drive), IoOperation::Write, stripe * layout_.chunk(), layout_.chunk(),
                    memory_of(memory, column, 0), nullptr, true);
    }
  }
  co_await writes;
  if (written) ++around_.statistics.stripes_corrected;
  settle_writes(writes);
  synced(stripe);
  if (lost != 0) lose(stripe, lost);
}

// Computes parity from the data and rewrites it if it differs. Impossible while a drive is missing.
Task<void> Array::resync_parity(std::uint32_t stripe, Stripe& memory) {
  if (away(stripe) != 0) co_return;
  TransferGroup reads;
  for (std::uint32_t column = 0; column < layout_.columns(); ++column)
    submit_column(reads, IoOperation::Read, stripe, column, 0, layout_.chunk(), memory, nullptr, false);
  co_await reads;
  const std::uint64_t data = layout_.data_mask();
  if ((failed_columns(stripe, reads) & data) != 0) co_return;
  co_await compute(layout_.data_columns() * layout_.chunk(), layout_.data_columns() * layout_.chunk());
  bool right = !shape_.tokens;  // without contents, parity counts as right, as it usually is
  if (shape_.tokens) {
    const ParityRows rows = rows_of(memory);
    const std::size_t sectors = layout_.chunk() / shape_.sector_bytes;
    const std::vector<SectorToken> old(rows.column(layout_.data_columns()), rows.column(layout_.columns()));
    rows.encode(0, sectors);
    right = std::equal(old.begin(), old.end(), rows.column(layout_.data_columns()));
  }
  if (!right || failed_columns(stripe, reads) != 0) {
    ++around_.statistics.stripes_corrected;
    TransferGroup writes;
    for (std::uint32_t column = layout_.data_columns(); column < layout_.columns(); ++column)
      submit_column(writes, IoOperation::Write, stripe, column, 0, layout_.chunk(), memory, nullptr, true);
    co_await writes;
    if (settle_writes(writes) != IoStatus::Ok) co_return;
  }
  if (away(stripe) == 0) synced(stripe);
}

Task<void> Array::rebuild() {
  around_.rebuild = {.slot = rebuild_slot_, .begin = kernel_now()};
  rebuilt_.assign(layout_.stripes(), false);
  next_rebuild_ = 0;
  Join join;
  join.open = kStripesAtOnce;
  for (std::uint32_t i = 0; i < kStripesAtOnce; ++i) around_.runtime.spawn([&] { return rebuild_stripes(join); });
  while (join.open != 0) co_await join.over.wait();
  if (rebuild_slot_ != kNoDrive) co_await end_rebuild();
}

Task<void> Array::rebuild_stripes(Join& join) {
  while (rebuild_slot_ != kNoDrive && next_rebuild_ < layout_.stripes()) {
    const std::uint32_t stripe = next_rebuild_++;
    co_await sync_slowly();
    const LockRange range = lock_range(stripe);
    co_await locks_.lock(range.first, range.last);
    Stripe* const memory = co_await take_stripe();
    step(ArrayStep::Rebuild);
    if (rebuild_slot_ != kNoDrive) co_await rebuild_stripe(stripe, *memory);
    give(memory);
    locks_.unlock(range.first, range.last);
  }
  if (--join.open == 0) join.over.wake_all();
}

Task<void> Array::rebuild_stripe(std::uint32_t stripe, Stripe& memory) {
  const std::uint32_t slot = rebuild_slot_;
  const std::uint32_t column = layout_.column_of(stripe, slot);
  IoStatus status = IoStatus::MediaError;
  if (layout_.parities() != 0) {
    status = co_await load(stripe, memory, 0, layout_.chunk(), std::uint64_t{1} << column, 0, nullptr, nullptr);
  } else if (co_await read_copy(stripe, column, memory) != kNoDrive) {
    status = IoStatus::Ok;
  }
  if (status == IoStatus::Ok) {
    TransferGroup write;
    write.submit(port(layout_.slots()), IoOperation::Write, stripe * layout_.chunk(), layout_.chunk(),
                 memory_of(memory, column, 0));
    co_await write;
    settle_writes(write);
  } else {
    lose(stripe, std::uint32_t{1} << slot);
  }
  if (rebuild_slot_ == kNoDrive) co_return;
  rebuilt_[stripe] = true;
  ++around_.statistics.stripes_rebuilt;
  ++around_.rebuild.stripes_done;
}

// Entries still in the journal were written while the slot had no drive, or to the spare: the data are flushed before
// the spare counts as a drive, so they need no replay.
Task<void> Array::end_rebuild() {
  const std::uint64_t mark = ++events_;
  const IoStatus status = co_await flush_drives(nullptr);
  if (rebuild_slot_ == kNoDrive || status != IoStatus::Ok) co_return;
  release(mark);
  around_.media.drives[rebuild_slot_] = layout_.slots();
  around_.media.spare_taken = true;
  around_.rebuild.end = kernel_now();
  rebuild_slot_ = kNoDrive;
  look_after_stripes();
}

}  // namespace flashloom
