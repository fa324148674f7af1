// Fill, eviction and write-back of segments.
#include <algorithm>

#include "controllers/runtime/fault.hpp"
#include "controllers/tier/tier.hpp"

namespace flashloom {
Task<IoStatus> Tier::copy(BlockPort& from, std::uint64_t source, BlockPort& to, std::uint64_t destination) {
  for (std::uint64_t at = 0; at < config_.segment; at += kTransferBytes) {
    const std::uint64_t length = std::min(kTransferBytes, config_.segment - at);
    TransferGroup read;
    const BlockTransfer& piece = read.read(from, source + at, length, shape_.tokens ? length / shape_.sector_bytes : 0);
    co_await read;
    if (read.status() != IoStatus::Ok) co_return read.status();
    TransferGroup write;
    write.submit(to, IoOperation::Write, destination + at, length, piece.tokens);
    co_await write;
    if (write.status() != IoStatus::Ok) co_return write.status();
  }
  co_return IoStatus::Ok;
}

// Flushes the HDD, and the SSD if it is in use.
Task<IoStatus> Tier::flush(LatencyBreakdown* breakdown) {
  TransferGroup group;
  group.submit(around_.home, IoOperation::Flush, 0, 0, nullptr);
  if (traits_.caches && !retired_) group.submit(around_.cache, IoOperation::Flush, 0, 0, nullptr);
  co_await group;
  if (breakdown != nullptr) group.charge(*breakdown);
  if (group.status(&around_.cache) != IoStatus::Ok) cache_failed_ = true;
  co_return group.status();
}

// Makes the devices' contents durable before metadata refer to them.
Task<IoStatus> Tier::settle() {
  if (fault(Fault::TierNotFlushed)) co_return IoStatus::Ok;
  const IoStatus status = co_await flush(nullptr);
  co_return status;
}

Task<IoStatus> Tier::append(TierRecord record) {
  if (!traits_.has_journal()) co_return IoStatus::Ok;
  if (record.kind == TierRecord::Kind::Dirty && fault(Fault::DirtyNotSaid)) co_return IoStatus::Ok;
  step(TierStep::Journal, record.segment);
  const IoStatus status = co_await metadata_.append(record);
  co_return status;
}

// The caller has locked the segment.
Task<IoStatus> Tier::write_back(Slot slot) {
  step(TierStep::WriteBack, map_.segment_of(slot));
  const IoStatus status = co_await copy(around_.cache, place_of(slot), around_.home, home_of(map_.segment_of(slot)));
  if (status == IoStatus::Ok) {
    dirty_[slot] = ahead_[slot] = false;
    ++around_.statistics.written_back_segments;
  }
  co_return status;
}

// Carries out the policy's decision on a miss; the map changes when the copy is done.
Task<void> Tier::exchange(TierExchange wanted) {
  while (busy_[wanted.slot]) co_await changed_.wait();
  busy_[wanted.slot] = true;
  IoStatus status = co_await evict(wanted.slot);
  if (status == IoStatus::Ok) status = co_await fill(wanted);
  busy_[wanted.slot] = false;
  --exchanges_;
  changed_.wake_all();
  drained_.wake_all();
  if (status == IoStatus::Ok) co_return;
  policy_->dropped(wanted.segment);
  co_await retire();
}

Task<IoStatus> Tier::evict(Slot slot) {
  const Segment segment = map_.segment_of(slot);
  if (segment == kNoSegment) co_return IoStatus::Ok;
  co_await locks_.lock(segment, segment);
  IoStatus status = IoStatus::Ok;
  if (map_.segment_of(slot) == segment) {  // a write may have invalidated it
    if (dirty_[slot] && !fault(Fault::DirtyDropped)) {
      status = co_await write_back(slot);
      if (status == IoStatus::Ok) status = co_await settle();
    }
    if (status == IoStatus::Ok) status = co_await append({TierRecord::Kind::Free, slot, segment});
    if (status == IoStatus::Ok) {
      map_.clear(slot);
      ++around_.statistics.evicted_segments;
    }
  }
  locks_.unlock(segment, segment);
  changed_.wake_all();
  co_return status;
}

Task<IoStatus> Tier::fill(TierExchange wanted) {
  const Segment segment = wanted.segment;
  // The segment may still be leaving another slot, or fail to.
  for (bool locked = false; !locked;) {
    while (map_.slot_of(segment) != kNoSlot && !retiring_) co_await changed_.wait();
    if (retiring_) co_return IoStatus::MediaError;
    if (!fault(Fault::FillUnlocked)) co_await locks_.lock(segment, segment);
    locked = map_.slot_of(segment) == kNoSlot;
    if (!locked) locks_.unlock(segment, segment);
  }
  step(TierStep::Fill, segment);
  IoStatus status = co_await copy(around_.home, home_of(segment), around_.cache, place_of(wanted.slot));
  // A segment that the journal calls clean must be durable and equal on both devices.
  if (status == IoStatus::Ok && traits_.has_journal()) status = co_await settle();
  if (status == IoStatus::Ok) status = co_await append({TierRecord::Kind::Holds, wanted.slot, segment});
  if (status == IoStatus::Ok) {
    map_.set(wanted.slot, segment);
    ++around_.statistics.filled_segments;
  }
  locks_.unlock(segment, segment);
  changed_.wake_all();
  co_return status;
}

}  // namespace flashloom
