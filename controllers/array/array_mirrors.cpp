// Levels without parity: requests to concatenated, striped and mirrored drives.
#include <algorithm>

#include "controllers/array/array.hpp"

namespace flashloom {

// Chooses a readable copy; a drive that collects garbage in its turn only if all do.
std::uint32_t Array::mirror_for(const ArrayExtent& part) {
  std::uint32_t best = kNoDrive;
  std::uint64_t best_cost = 0;
  const std::uint32_t begin = next_mirror_++;
  for (std::uint32_t i = 0; i < layout_.mirrors(); ++i) {
    const std::uint32_t mirror = (begin + i) % layout_.mirrors();
    const std::uint32_t drive = drive_of(part.stripe, layout_.slot_of(part.stripe, part.column, mirror));
    if (drive == kNoDrive) continue;
    std::uint64_t cost = 0;
    if (config_.read_policy == "shortest_queue") {
      cost = port(drive).in_flight();
    } else if (config_.read_policy == "nearest") {
      const std::uint64_t place = layout_.place(part);
      cost = place > last_end_[drive] ? place - last_end_[drive] : last_end_[drive] - place;
    }
    cost = std::min(cost, ~std::uint64_t{0} / 2);
    if (around_.turns != nullptr && layout_.mirrors() > 1 && around_.turns->collects(drive))
      cost += std::uint64_t{1} << 63;
    if (best != kNoDrive && cost >= best_cost) continue;
    best = drive;
    best_cost = cost;
  }
  if (best != kNoDrive) last_end_[best] = layout_.place(part) + part.length;
  return best;
}

Task<IoStatus> Array::read_mirrored(IoCommand& command) {
  if (unsynced_count_ != 0) co_await sync_before(command.offset, command.length);
  bool whole = true;
  TransferGroup group;
  each_part(command.offset, command.length, [&](const ArrayExtent& part) {
    const std::uint32_t drive = mirror_for(part);
    whole = whole && drive != kNoDrive;
    if (drive != kNoDrive)
      group.submit(port(drive), IoOperation::Read, layout_.place(part), part.length, tokens_at(command, part.at),
                   &command);
  });
  co_await group;
  group.charge(command.breakdown);
  IoStatus status = group.status();
  if ((whole && status == IoStatus::Ok) || layout_.mirrors() == 1) co_return status;
  group.release();
  status = IoStatus::Ok;
  for (std::uint64_t at = 0; at < command.length && status == IoStatus::Ok;) {
    const ArrayExtent part = layout_.extent(command.offset + at, command.length - at, at);
    status = co_await reread(command, part);
    at += part.length;
  }
  co_return status;
}

// Reads each copy until one is readable, then rewrites the unreadable ones.
Task<IoStatus> Array::reread(const IoCommand& command, ArrayExtent part) {
  const std::uint64_t offset = command.offset + part.at;
  const LockRange range = lock_range(offset, part.length);
  co_await locks_.lock(range.first, range.last);
  std::uint32_t unreadable = 0;  // mask of mirrors
  IoStatus status = IoStatus::MediaError;
  for (std::uint32_t mirror = 0; mirror < layout_.mirrors() && status != IoStatus::Ok; ++mirror) {
    const std::uint32_t drive = drive_of(part.stripe, layout_.slot_of(part.stripe, part.column, mirror));
    if (drive == kNoDrive) continue;
    TransferGroup group;
    group.submit(port(drive), IoOperation::Read, layout_.place(part), part.length, tokens_at(command, part.at),
                 &command);
    co_await group;
    if (group.status() == IoStatus::Ok)
      status = IoStatus::Ok;
    else
      unreadable |= std::uint32_t{1} << mirror;
  }
  if (status != IoStatus::Ok) ++around_.statistics.unreadable;
  TransferGroup repair;
  for (std::uint32_t mirror = 0; mirror < layout_.mirrors() && status == IoStatus::Ok; ++mirror) {
    const std::uint32_t drive = home_of(part.stripe, layout_.slot_of(part.stripe, part.column, mirror));
    if (((unreadable >> mirror) & 1) == 0 || drive == kNoDrive) continue;
    ++around_.statistics.repaired_reads;
    repair.submit(port(drive), IoOperation::Write, layout_.place(part), part.length, tokens_at(command, part.at),
                  &command);
  }
  co_await repair;
  settle_writes(repair);
  locks_.unlock(range.first, range.last);
  co_return status;
}

Task<IoStatus> Array::write_mirrored(IoCommand& command) {
  const bool mirrors = layout_.mirrors() > 1;
  const LockRange range = lock_range(command.offset, command.length);
  const auto first = static_cast<std::uint32_t>(command.offset / layout_.stripe_bytes());
  const auto last = static_cast<std::uint32_t>((command.offset + command.length - 1) / layout_.stripe_bytes());
  if (mirrors) {
    co_await locks_.lock(range.first, range.last);
    co_await note_intent(first, last);
    step(ArrayStep::Write);
  }
  bool whole = true;
  TransferGroup group;
  each_part(command.offset, command.length, [&](const ArrayExtent& part) {
    bool any = false;
    for (std::uint32_t mirror = 0; mirror < layout_.mirrors(); ++mirror) {
      const std::uint32_t drive = home_of(part.stripe, layout_.slot_of(part.stripe, part.column, mirror));
      if (drive == kNoDrive) continue;
      any = true;
      group.submit(port(drive), IoOperation::Write, layout_.place(part), part.length, tokens_at(command, part.at),
                   &command, command.fua);
    }
    whole = whole && any;
  });
  co_await group;
  group.charge(command.breakdown);
  const IoStatus status = mirrors ? settle_writes(group) : group.status();
  if (mirrors) {
    step(ArrayStep::Written);
    intent_done(first, last);
    locks_.unlock(range.first, range.last);
  }
  co_return status == IoStatus::Ok && !whole ? IoStatus::MediaError : status;
}

// Before a read, resyncs mirrors that may differ: else two reads could return different data.
Task<void> Array::sync_before(std::uint64_t offset, std::uint64_t length) {
  if (layout_.mirrors() == 1) co_return;
  const auto last = static_cast<std::uint32_t>((offset + length - 1) / layout_.stripe_bytes());
  for (auto stripe = static_cast<std::uint32_t>(offset / layout_.stripe_bytes()); stripe <= last; ++stripe)
    if (unsynced_[stripe]) co_await resync_stripe(stripe);
}

}  // namespace flashloom
