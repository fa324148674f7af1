#include "controllers/tier/tier.hpp"

#include <algorithm>
#include <limits>

#include "controllers/runtime/fault.hpp"
#include "controllers/runtime/until.hpp"
#include "policies/registry.hpp"

namespace flashloom {

const char* to_string(TierStep step) {
  constexpr const char* kNames[kTierSteps] = {"write_back", "pass_begin", "fill",    "pass_end",
                                              "dual_write", "journal",    "recover", "started"};
  return kNames[static_cast<std::size_t>(step)];
}

namespace {

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

TierLayout tier_layout(const TierConfig& config, const TierShape& shape) {
  TierLayout layout;
  const auto context = [&](std::uint64_t segments, std::uint64_t slots) {
    return TieringContext{static_cast<std::uint32_t>(segments), static_cast<std::uint32_t>(slots)};
  };
  const std::uint64_t most = std::numeric_limits<Segment>::max() - 1;
  const std::uint64_t whole = std::min(shape.home_bytes / config.segment, most);
  const std::uint64_t cache =
      config.cache_size == 0 ? shape.cache_bytes : std::min(config.cache_size, shape.cache_bytes);
  std::uint64_t slots = std::min(cache / config.segment, most);
  if (whole == 0 || slots == 0) return layout;
  const auto policy = Family<TieringPolicy>::make(config.policy, context(whole, slots));
  TierMetadata::Layout& metadata = layout.metadata;
  metadata.sector_bytes = shape.sector_bytes;
  metadata.area_bytes = TierMetadata::area_bytes(slots, policy->metadata_bytes());
  // If the journal is unreadable, any segment of the HDD may be stale: the image needs a bit for each lost segment.
  if (policy->traits().has_journal() && (shape.bit_errors || config.ssd_fails_at != 0))
    metadata.area_bytes = std::max(metadata.area_bytes, TierMetadata::area_bytes(0, (whole + 7) / 8));
  if (2 * metadata.area_bytes > shape.home_bytes) return layout;
  metadata.areas = (shape.home_bytes - 2 * metadata.area_bytes) / TierMetadata::kBlock * TierMetadata::kBlock;
  if (policy->traits().has_journal()) {
    // With bit errors a block is whole mapping units: else its write could need a read of uncorrectable data.
    if (shape.bit_errors) metadata.block_bytes = round_up(TierMetadata::kBlock, shape.unit_bytes);
    metadata.copies = config.journal_copies != 0 ? config.journal_copies : shape.bit_errors ? 2 : 1;
    metadata.journal_bytes = round_up(config.journal, metadata.block_bytes);
    const std::uint64_t journals = 2 * metadata.copies * metadata.journal_bytes;
    if (journals > shape.cache_bytes) return layout;
    metadata.journals = shape.cache_bytes - journals;
    slots = std::min(slots, metadata.journals / config.segment);
  }
  layout.segments = static_cast<std::uint32_t>(std::min(metadata.areas / config.segment, most));
  layout.slots = static_cast<std::uint32_t>(slots);
  return layout;
}

Tier::Tier(const TierConfig& config, const TierShape& shape, const TierSurroundings& surroundings)
    : config_(config),
      shape_(shape),
      layout_(tier_layout(config, shape)),
      around_(surroundings),
      policy_(Family<TieringPolicy>::make(config.policy, {layout_.segments, layout_.slots})),
      traits_(policy_->traits()),
      metadata_(layout_.metadata, around_.home, around_.cache, layout_.slots,
                shape.tokens ? &around_.contents : nullptr, around_.statistics.metadata),
      map_(layout_.slots),
      dirty_(layout_.slots),
      ahead_(layout_.slots),
      busy_(layout_.slots),
      sectors_(traits_.fills_from_reads ? layout_.slots : 0,
               static_cast<std::uint32_t>(config.segment / shape.sector_bytes)) {}

bool Tier::lost(Segment segment) const { return std::binary_search(lost_.begin(), lost_.end(), segment); }

bool Tier::any_lost(Segment first, Segment last) const {
  const auto at = std::lower_bound(lost_.begin(), lost_.end(), first);
  return at != lost_.end() && *at <= last;
}

Task<void> Tier::serve(IoCommand& command) {
  command.status = IoStatus::Ok;
  ++requests_;
  if (config_.latency != 0) co_await Until(around_.timers, kernel_now() + config_.latency);
  command.breakdown.attribute(LatencyPart::Tier, kernel_now());
  if (command.operation == IoOperation::Flush) {
    while (!serving_) co_await serves_.wait();
    command.status = co_await flush(&command.breakdown);
    if (command.status != IoStatus::Ok) {
      co_await retire();
      command.status = co_await flush(&command.breakdown);
    }
  } else if (command.operation != IoOperation::Trim && command.length != 0) {
    if (command.offset + command.length > home_of(layout_.segments))
      command.status = IoStatus::OutOfRange;
    else
      co_await transfer(command);
  }
  --requests_;
  if (requests_ == 0) {
    rested_at_ = kernel_now();
    idle_.wake_all();
  }
  plan_pass();
}

// Repeats the command until the tier has not changed meanwhile.
Task<void> Tier::transfer(IoCommand& command) {
  const auto first = static_cast<Segment>(command.offset / config_.segment);
  const auto last = static_cast<Segment>((command.offset + command.length - 1) / config_.segment);
  const bool locks = !traits_.fills_from_reads;
  bool done = false;
  bool told = false;
  while (!done) {
    while (!serving_) co_await serves_.wait();
    const bool all = needs_all(command, first, last);
    if (all)
      co_await locks_.lock(first, last);
    else if (locks)
      co_await locks_.share(first, last);
    if (serving_ && (all || !needs_all(command, first, last))) {
      if (!std::exchange(told, true)) {
        count(command, first, last);
        tell_policy(command, first, last);
      }
      ++transfers_;
      co_await transfer_data(command, first, last);
      --transfers_;
      done = command.status == IoStatus::Ok || !cache_failed_ || retired_;
    }
    if (all)
      locks_.unlock(first, last);
    else if (locks)
      locks_.unshare(first, last);
    drained_.wake_all();
    if (!done && cache_failed_) co_await retire();
  }
}

// Whether a write needs exclusive locks: if it goes to both devices, which must agree on the order of two writes, or if
// it invalidates cached segments.
bool Tier::needs_all(const IoCommand& command, Segment first, Segment last) const {
  if (command.operation != IoOperation::Write) return false;
  if (any_lost(first, last)) return true;
  if ((!dual_ && traits_.keeps_writes) || traits_.fills_from_reads) return false;
  for (Segment segment = first; segment <= last; ++segment)
    if (map_.slot_of(segment) != kNoSlot) return true;
  return false;
}

void Tier::tell_policy(const IoCommand& command, Segment first, Segment last) {
  if (retired_ || !traits_.caches) return;
  const Access access = command.operation == IoOperation::Write ? Access::Write : Access::Read;
  for (Segment segment = first; segment <= last; ++segment) {
    const bool room = exchanges_ < config_.exchanges;
    const auto wanted = policy_->accessed(segment, access, room);
    if (wanted && traits_.fills_from_reads) {
      claim(*wanted);
    } else if (wanted) {
      ++exchanges_;
      around_.runtime.spawn([this, wanted] { return exchange(*wanted); });
    } else if (!room && !traits_.in_passes && map_.slot_of(segment) == kNoSlot) {
      ++around_.statistics.not_admitted;
    }
  }
}

void Tier::count(const IoCommand& command, Segment first, Segment last) {
  const bool write = command.operation == IoOperation::Write;
  bool hit = !(write && dual_) && (!write || traits_.keeps_writes);
  for (Segment segment = first; segment <= last && hit; ++segment) {
    const std::uint64_t from = std::max(command.offset, home_of(segment));
    const std::uint64_t end = std::min(command.offset + command.length, home_of(segment) + config_.segment);
    hit = serving_slot(segment, from, end - from) != kNoSlot;
  }
  auto& streams = around_.statistics.streams;
  if (command.stream >= streams.size()) streams.resize(command.stream + std::size_t{1});
  TierRequests& stream = streams[command.stream];
  ++(write ? stream.writes : stream.reads);
  (write ? stream.write_bytes : stream.read_bytes) += command.length;
  if (!hit) return;
  ++(write ? stream.write_hits : stream.read_hits);
  (write ? stream.write_hit_bytes : stream.read_hit_bytes) += command.length;
}

// Before a write: invalidates its segments in the cache, or records in the journal that they are dirty.
Task<IoStatus> Tier::prepare_write(const IoCommand& command, Segment first, Segment last) {
  if (traits_.fills_from_reads) {
    invalidate(command);
    co_return IoStatus::Ok;
  }
  for (Segment segment = first; segment <= last; ++segment) {
    const Slot slot = map_.slot_of(segment);
    if (slot == kNoSlot) continue;
    if (!traits_.keeps_writes) {
      map_.clear(slot);
      policy_->dropped(segment);
      ++around_.statistics.invalidated_segments;
      changed_.wake_all();
    } else if (!dual_ && !dirty_[slot]) {
      const IoStatus status = co_await append({TierRecord::Kind::Dirty, slot, segment});
      if (status != IoStatus::Ok) co_return status;
      dirty_[slot] = true;
    }
  }
  co_return IoStatus::Ok;
}

// Segments are marked dirty before they are written. If that write is the one that finds the SSD dead, the HDD has all.
void Tier::note_written(Segment first, Segment last) {
  for (Segment segment = first; segment <= last; ++segment)
    if (const Slot slot = map_.slot_of(segment); slot != kNoSlot && dirty_[slot]) ahead_[slot] = true;
}

Task<void> Tier::transfer_data(IoCommand& command, Segment first, Segment last) {
  command.status = IoStatus::Ok;
  const bool write = command.operation == IoOperation::Write;
  const bool was_lost = any_lost(first, last);
  // A lost segment that is overwritten as a whole is valid again.
  if (was_lost && !(write && command.offset == home_of(first) && command.length == home_of(last - first + 1))) {
    ++around_.statistics.lost_requests;
    command.status = IoStatus::MediaError;
    co_return;
  }
  if (write) {
    command.status = co_await prepare_write(command, first, last);
    if (command.status != IoStatus::Ok) cache_failed_ = true;
    if (command.status != IoStatus::Ok) co_return;
  }
  const bool fills = traits_.fills_from_reads && !write;
  ReadFill* const fill = fills ? open_fill(command) : nullptr;
  std::vector<FilledPart> reads;
  if (fills) {
    reads = take_parts();
    begin_reads(command, reads);
  }
  TransferGroup group;
  route(command, first, last, group);
  co_await group;
  command.status = group.status();
  group.charge(command.breakdown);
  const bool home = reads_home(command, group);
  if (!home && group.status(&around_.cache) != IoStatus::Ok)
    cache_failed_ = true;
  else if (write)
    note_written(first, last);
  if (fills) end_reads(reads);
  if (home) [[unlikely]]
    co_await read_home(command);
  if (fill != nullptr) start_fill(*fill, command);
  if (write && traits_.fills_from_reads) invalidate(command);
  if (was_lost && command.status == IoStatus::Ok) [[unlikely]] {
    command.status = co_await find_again(first, last);
    command.breakdown.attribute(LatencyPart::Tier, kernel_now());
  }
}

// Lost segments have been overwritten. Their data are flushed to the HDD before the image says so; else older data
// would count as valid after a power cut.
Task<IoStatus> Tier::find_again(Segment first, Segment last) {
  IoStatus status = co_await flush(nullptr);
  if (status != IoStatus::Ok) co_return status;
  std::erase_if(lost_, [=](Segment segment) { return segment >= first && segment <= last; });
  status = co_await write_image(false, false);
  co_return status;
}

// Consecutive segments that go to the same device become one command.
void Tier::route(const IoCommand& command, Segment first, Segment last, TransferGroup& group) {
  const bool write = command.operation == IoOperation::Write;
  const std::uint64_t end = command.offset + command.length;
  struct Run {
    BlockPort& port;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t at = 0;  // in the command
  };
  Run runs[] = {{around_.cache}, {around_.home}};
  const auto submit = [&](Run& run) {
    if (run.length == 0) return;
    SectorToken* const tokens = command.tokens == nullptr ? nullptr : command.tokens + run.at / shape_.sector_bytes;
    group.submit(run.port, command.operation, run.offset, run.length, tokens, &command, command.fua);
    run.length = 0;
  };
  const auto extend = [&](Run& run, std::uint64_t offset, std::uint64_t at, std::uint64_t length) {
    if (run.offset + run.length != offset || run.at + run.length != at) submit(run);
    if (run.length == 0) {
      run.offset = offset;
      run.at = at;
    }
    run.length += length;
  };
  bool dual = false;
  for (Segment segment = first; segment <= last; ++segment) {
    const std::uint64_t from = std::max(command.offset, home_of(segment));
    const std::uint64_t length = std::min(end, home_of(segment) + config_.segment) - from;
    const std::uint64_t at = from - command.offset;
    const Slot slot = write && traits_.fills_from_reads ? kNoSlot : serving_slot(segment, from, length);
    if (slot != kNoSlot) extend(runs[0], place_of(slot) + (from - home_of(segment)), at, length);
    const bool both = slot != kNoSlot && write && dual_ && !fault(Fault::SingleWriteInPass);
    if (slot == kNoSlot || both) extend(runs[1], from, at, length);
    dual = dual || both;
  }
  if (dual) {
    ++around_.statistics.dual_writes;
    step(TierStep::DualWrite);
  }
  for (Run& run : runs) submit(run);
}

}  // namespace flashloom
