// A read cache that is filled with the data of host reads from the HDD, without a second read and without locks.
#include <algorithm>

#include "controllers/runtime/fault.hpp"
#include "controllers/tier/tier.hpp"

namespace flashloom {

// f(segment, slot, first sector, sectors) for the parts of a range that have a slot.
template <class F>
void Tier::each_cached(std::uint64_t offset, std::uint64_t length, F&& f) {
  const auto last = static_cast<Segment>((offset + length - 1) / config_.segment);
  for (auto segment = static_cast<Segment>(offset / config_.segment); segment <= last; ++segment) {
    const Slot slot = map_.slot_of(segment);
    if (slot == kNoSlot) continue;
    const std::uint64_t from = std::max(offset, home_of(segment));
    const std::uint64_t end = std::min(offset + length, home_of(segment) + config_.segment);
    f(segment, slot, static_cast<std::uint32_t>((from - home_of(segment)) / shape_.sector_bytes),
      static_cast<std::uint32_t>((end - from) / shape_.sector_bytes));
  }
}

Slot Tier::serving_slot(Segment segment, std::uint64_t offset, std::uint64_t length) const {
  const Slot slot = map_.slot_of(segment);
  if (slot == kNoSlot || !traits_.fills_from_reads) return slot;
  const auto first = static_cast<std::uint32_t>((offset - home_of(segment)) / shape_.sector_bytes);
  return sectors_.all(slot, first, static_cast<std::uint32_t>(length / shape_.sector_bytes)) ? slot : kNoSlot;
}

// A segment that the policy admits gets its slot at once; its sectors become valid when they are on the SSD.
void Tier::claim(TierExchange wanted) {
  if (map_.segment_of(wanted.slot) != kNoSegment) {
    map_.clear(wanted.slot);
    ++around_.statistics.evicted_segments;
  }
  map_.set(wanted.slot, wanted.segment);
  sectors_.assign(wanted.slot);
}

// Called before the read is sent. Null: there is nothing to fill, or too many fills are under way.
ReadFill* Tier::open_fill(const IoCommand& command) {
  if (retired_ || cache_failed_ || exchanges_ >= config_.exchanges) return nullptr;
  bool missing = false;
  each_cached(command.offset, command.length, [&](Segment, Slot slot, std::uint32_t first, std::uint32_t count) {
    missing = missing || !sectors_.all(slot, first, count);
  });
  if (!missing) return nullptr;
  ++exchanges_;
  return &sectors_.open(command.offset, command.length);
}

void Tier::close_fill(ReadFill& fill) {
  sectors_.close(fill);
  --exchanges_;
  drained_.wake_all();
}

// The read is complete.
void Tier::start_fill(ReadFill& fill, const IoCommand& command) {
  if (command.status != IoStatus::Ok || cache_failed_) return close_fill(fill);
  if (command.tokens != nullptr)
    fill.tokens.assign(command.tokens, command.tokens + command.length / shape_.sector_bytes);
  ReadFill* const started = &fill;
  const bool tokens = command.tokens != nullptr;
  around_.runtime.spawn([this, started, tokens] { return fill_from_read(started, tokens); });
}

Task<void> Tier::fill_from_read(ReadFill* fill, bool tokens) {
  bool failed = false;
  bool waits = true;
  while (waits) {
    waits = false;
    each_cached(fill->offset, fill->length,
                [&](Segment, Slot slot, std::uint32_t, std::uint32_t) { waits = waits || !sectors_.writable(slot); });
    if (waits) co_await changed_.wait();
  }
  if (!fill->cancelled && !cache_failed_) {
    step(TierStep::Fill, static_cast<Segment>(fill->offset / config_.segment));
    TransferGroup group;
    std::vector<FilledPart> parts = take_parts();
    submit_parts(*fill, tokens, parts, group);
    co_await group;
    failed = group.status() != IoStatus::Ok;
    for (const FilledPart& part : parts) {
      sectors_.end_write(part.slot);
      const bool still = map_.slot_of(part.segment) == part.slot;
      if (failed || (fill->cancelled && !fault(Fault::FillUnlocked)) || !still) continue;
      sectors_.set(part.slot, part.first, part.count, true);
      ++around_.statistics.filled_segments;
    }
    give_parts(parts);
    changed_.wake_all();
  }
  close_fill(*fill);
  if (failed) co_await retire();
}

std::vector<Tier::FilledPart> Tier::take_parts() {
  if (spare_parts_.empty()) return {};
  std::vector<FilledPart> parts = std::move(spare_parts_.back());
  spare_parts_.pop_back();
  return parts;
}

void Tier::give_parts(std::vector<FilledPart>& parts) {
  parts.clear();
  spare_parts_.push_back(std::move(parts));
}

// Neighbours on the SSD become one command. Sectors that are valid already are not written again.
void Tier::submit_parts(const ReadFill& fill, bool tokens, std::vector<FilledPart>& parts, TransferGroup& group) {
  std::uint64_t place = 0;
  std::uint64_t at = 0;
  std::uint64_t length = 0;
  const auto submit = [&] {
    if (length == 0) return;
    SectorToken* const data =
        tokens ? const_cast<SectorToken*>(fill.tokens.data()) + at / shape_.sector_bytes : nullptr;
    group.submit(around_.cache, IoOperation::Write, place, length, data);
  };
  each_cached(fill.offset, fill.length, [&](Segment segment, Slot slot, std::uint32_t first, std::uint32_t count) {
    if (sectors_.all(slot, first, count)) return;
    sectors_.begin_write(slot);
    parts.push_back({segment, slot, first, count});
    const std::uint64_t to = place_of(slot) + std::uint64_t{first} * shape_.sector_bytes;
    const std::uint64_t from = home_of(segment) + std::uint64_t{first} * shape_.sector_bytes - fill.offset;
    if (length == 0 || place + length != to || at + length != from) {
      submit();
      place = to;
      at = from;
      length = 0;
    }
    length += std::uint64_t{count} * shape_.sector_bytes;
  });
  submit();
}

// Called when a write begins and when it has ended: a read meanwhile may have returned the older data.
void Tier::invalidate(const IoCommand& command) {
  sectors_.cancel(command.offset, command.length);
  each_cached(command.offset, command.length,
              [&](Segment segment, Slot slot, std::uint32_t first, std::uint32_t count) {
                sectors_.set(slot, first, count, false);
                if (traits_.writes_drop_segments) {
                  sectors_.cancel(home_of(segment), config_.segment);
                  sectors_.set_whole(slot, false);
                }
                if (sectors_.any(slot) || sectors_.filling(home_of(segment), config_.segment)) return;
                map_.clear(slot);
                policy_->dropped(segment);
                ++around_.statistics.invalidated_segments;
              });
}

// An image has whole segments only.
void Tier::drop_partial_segments() {
  for (Slot slot = 0; slot < map_.slots() && traits_.fills_from_reads; ++slot)
    if (map_.segment_of(slot) != kNoSegment && !sectors_.whole(slot)) map_.clear(slot);
}

void Tier::begin_reads(const IoCommand& command, std::vector<FilledPart>& parts) {
  each_cached(command.offset, command.length,
              [&](Segment segment, Slot slot, std::uint32_t first, std::uint32_t count) {
                if (!sectors_.all(slot, first, count)) return;
                sectors_.begin_read(slot);
                parts.push_back({segment, slot, first, count});
              });
}

// Whether the HDD has the data of an uncorrectable read of the SSD: no dirty slot is involved.
bool Tier::reads_home(const IoCommand& command, const TransferGroup& group) const {
  if (!shape_.bit_errors || command.operation != IoOperation::Read ||
      group.status(&around_.cache) != IoStatus::MediaError || group.status(&around_.home) != IoStatus::Ok)
    return false;
  const auto last = static_cast<Segment>((command.offset + command.length - 1) / config_.segment);
  for (auto segment = static_cast<Segment>(command.offset / config_.segment); segment <= last; ++segment)
    if (const Slot slot = map_.slot_of(segment); slot != kNoSlot && dirty_[slot]) return false;
  return true;
}

// Reads the whole request from the HDD, since the SSD does not say which sectors failed. So that the next read does not
// fail again, the data are written to the SSD once more, or dropped from a cache that is filled from reads. A cache
// that keeps writes is left unchanged, since a write may come in between.
Task<void> Tier::read_home(IoCommand& command) {
  ++around_.statistics.unreadable_requests;
  if (traits_.fills_from_reads) invalidate(command);
  TransferGroup group;
  group.submit(around_.home, IoOperation::Read, command.offset, command.length, command.tokens, &command);
  co_await group;
  command.status = group.status();
  group.charge(command.breakdown);
  if (command.status != IoStatus::Ok || traits_.fills_from_reads || traits_.keeps_writes) co_return;
  TransferGroup repair;
  each_cached(command.offset, command.length,
              [&](Segment segment, Slot slot, std::uint32_t first, std::uint32_t count) {
                const std::uint64_t in_segment = std::uint64_t{first} * shape_.sector_bytes;
                const std::uint64_t at = home_of(segment) + in_segment - command.offset;
                repair.submit(around_.cache, IoOperation::Write, place_of(slot) + in_segment,
                              std::uint64_t{count} * shape_.sector_bytes,
                              command.tokens == nullptr ? nullptr : command.tokens + at / shape_.sector_bytes);
              });
  co_await repair;
  command.breakdown.attribute(LatencyPart::Tier, kernel_now());
  if (repair.status() != IoStatus::Ok) cache_failed_ = true;
}

void Tier::end_reads(std::vector<FilledPart>& parts) {
  for (const FilledPart& part : parts) sectors_.end_read(part.slot);
  give_parts(parts);
  changed_.wake_all();
}

}  // namespace flashloom
