#include "controllers/array/array.hpp"

#include <algorithm>
#include <bit>

#include "controllers/runtime/until.hpp"

namespace flashloom {
namespace {

// Bytes of a trim that one lock and one command cover.
constexpr std::uint64_t kMostTrimmed = 64 << 20;

}  // namespace

const char* to_string(ArrayStep step) {
  constexpr const char* kNames[kArraySteps] = {"journal", "write", "written", "resync", "rebuild", "replay"};
  return kNames[static_cast<std::size_t>(step)];
}

Array::Array(const ArrayConfig& config, const ArrayShape& shape, const ArraySurroundings& surroundings)
    : config_(config),
      shape_(shape),
      layout_(config, shape.drive_bytes),
      around_(surroundings),
      unsynced_(layout_.redundant() ? layout_.stripes() : 0),
      last_end_(config.drives + 1) {
  if (!around_.media.drives.empty()) return;
  for (std::uint32_t drive = 0; drive < config.drives; ++drive) around_.media.drives.push_back(drive);
}

std::uint32_t Array::drive_of(std::uint32_t stripe, std::uint32_t slot) const {
  if (!around_.media.lost.empty()) {
    const auto lost = around_.media.lost.find(stripe);
    if (lost != around_.media.lost.end() && ((lost->second >> slot) & 1) != 0) return kNoDrive;
  }
  return home_of(stripe, slot);
}

bool Array::degraded() const {
  const std::vector<std::uint32_t>& drives = around_.media.drives;
  return std::find(drives.begin(), drives.end(), kNoDrive) != drives.end();
}

void Array::begin() {
  begun_ = true;
  if (config_.fail_at != 0) around_.runtime.spawn([this] { return fail_later(); });
  if (config_.has_spare() && !around_.media.spare_taken) around_.runtime.spawn([this] { return spare_later(); });
  look_after_stripes();
}

Task<void> Array::start() {
  for (const std::uint32_t region : around_.media.dirty_regions) regions_[region].noted = true;
  co_await replay();
  if (layout_.redundant() && !around_.media.clean && !journals()) {
    for (std::uint32_t stripe = 0; stripe < layout_.stripes(); ++stripe) {
      if (config_.journal == "bitmap" && !around_.media.dirty_regions.contains(static_cast<std::uint32_t>(
                                             stripe * layout_.chunk() / config_.bitmap_chunk)))
        continue;
      unsynced_[stripe] = true;
      ++unsynced_count_;
    }
  }
  begin();
}

Task<void> Array::serve(IoCommand& command) {
  command.status = IoStatus::Ok;
  give_turns();
  if (config_.latency != 0) co_await Until(around_.timers, kernel_now() + config_.latency);
  command.breakdown.attribute(LatencyPart::Tier, kernel_now());
  const bool flushes = command.operation == IoOperation::Flush;
  const bool trims = command.operation == IoOperation::Trim;
  if (flushes) {
    command.status = co_await flush(&command.breakdown);
  } else if (command.length != 0 && !trims && command.offset + command.length > layout_.capacity()) {
    command.status = IoStatus::OutOfRange;
  } else if (command.length != 0) {
    const bool reads = command.operation == IoOperation::Read;
    if (!reads) {
      ++writing_;
      around_.media.clean = false;
    }
    co_await transfer(command);
    if (!reads) {
      --writing_;
      written_ = ++events_;
    }
  }
  command.breakdown.attribute(LatencyPart::Tier, kernel_now());
}

Task<void> Array::transfer(IoCommand& command) {
  const bool reads = command.operation == IoOperation::Read;
  if (command.operation == IoOperation::Trim)
    command.status = co_await trim(command);
  else if (layout_.parities() == 0 && reads)
    command.status = co_await read_mirrored(command);
  else if (layout_.parities() == 0)
    command.status = co_await write_mirrored(command);
  else if (reads)
    command.status = co_await read_striped(command);
  else
    command.status = co_await write_striped(command);
}

Task<IoStatus> Array::flush_drives(LatencyBreakdown* breakdown) {
  TransferGroup group;
  for (const std::uint32_t drive : around_.media.drives)
    if (drive != kNoDrive) group.submit(port(drive), IoOperation::Flush, 0, 0, nullptr);
  if (rebuild_slot_ != kNoDrive) group.submit(port(layout_.slots()), IoOperation::Flush, 0, 0, nullptr);
  co_await group;
  if (breakdown != nullptr) group.charge(*breakdown);
  co_return settle_writes(group);
}

Task<IoStatus> Array::flush(LatencyBreakdown* breakdown) {
  const std::uint64_t mark = ++events_;
  const bool rests = writing_ == 0;
  const IoStatus status = co_await flush_drives(breakdown);
  if (status != IoStatus::Ok) co_return status;
  release(mark);
  if (unsynced_count_ != 0) co_return status;
  clear_bitmap(mark);
  around_.media.clean = rests && writing_ == 0 && written_ < mark;
  co_return status;
}

Task<IoStatus> Array::trim(const IoCommand& command) {
  IoStatus status = IoStatus::Ok;
  const std::uint32_t ranges = command.ranges == nullptr ? 1 : command.range_count;
  for (std::uint32_t at = 0; at < ranges && status == IoStatus::Ok; ++at) {
    const IoRange range = command.ranges == nullptr ? IoRange{command.offset, command.length} : command.ranges[at];
    if (range.offset + range.length > layout_.capacity()) co_return IoStatus::OutOfRange;
    status = co_await trim_range(command, range.offset, range.length);
  }
  co_return status;
}

// With parity only whole stripes are trimmed: all their drives read as zeroes then, whose parity is zero. Otherwise the
// drives' trim granularity applies.
Task<IoStatus> Array::trim_range(const IoCommand& command, std::uint64_t offset, std::uint64_t length) {
  const bool parity = layout_.parities() != 0;
  const std::uint64_t grain = parity ? layout_.stripe_bytes() : shape_.unit_bytes;
  const std::uint64_t most = std::max(grain, kMostTrimmed / grain * grain);
  std::uint64_t at = (offset + grain - 1) / grain * grain;
  const std::uint64_t end = (offset + length) / grain * grain;
  IoStatus status = IoStatus::Ok;
  while (at < end && status == IoStatus::Ok) {
    const std::uint64_t part = std::min(most, end - at);
    const auto first = static_cast<std::uint32_t>(at / layout_.stripe_bytes());
    const auto last = static_cast<std::uint32_t>((at + part - 1) / layout_.stripe_bytes());
    const LockRange range = lock_range(at, part);
    if (layout_.redundant()) co_await locks_.lock(range.first, range.last);
    co_await note_intent(first, last);
    if (parity)
      status = co_await trim_stripes(command, first, last - first + 1);
    else
      status = co_await trim_extents(command, at, part);
    intent_done(first, last);
    if (layout_.redundant()) locks_.unlock(range.first, range.last);
    at += part;
  }
  co_return status;
}

Task<IoStatus> Array::trim_stripes(const IoCommand& command, std::uint32_t first, std::uint32_t count) {
  JournalEntry* entry = nullptr;
  if (journals()) {
    std::unique_ptr<JournalEntry> trimmed = around_.media.take();
    trimmed->stripe = first;
    trimmed->trimmed = count;
    trimmed->bytes = kJournalHeader;
    entry = co_await write_ahead(trimmed);
  }
  step(ArrayStep::Write);
  TransferGroup group;
  const auto trim = [&](std::uint32_t drive) {
    group.submit(port(drive), IoOperation::Trim, first * layout_.chunk(), count * layout_.chunk(), nullptr, &command);
  };
  for (const std::uint32_t drive : around_.media.drives)
    if (drive != kNoDrive) trim(drive);
  if (rebuild_slot_ != kNoDrive) trim(layout_.slots());
  co_await group;
  IoStatus status = settle_writes(group);
  const auto lost = around_.media.lost.lower_bound(first);
  if (status == IoStatus::Ok && lost != around_.media.lost.end() && lost->first < first + count)
    status = co_await flush_drives(nullptr);  // make the trim that ends a loss durable first
  for (std::uint32_t stripe = first; stripe < first + count; ++stripe) {
    if (status == IoStatus::Ok)
      synced(stripe);
    else
      lose_failed(stripe);
  }
  if (entry != nullptr) journal_done(entry);
  co_return status;
}

Task<IoStatus> Array::trim_extents(const IoCommand& command, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t stripe = layout_.stripe_bytes();
  std::uint64_t begin = (offset + stripe - 1) / stripe * stripe;
  std::uint64_t end = (offset + length) / stripe * stripe;
  if (begin >= end) begin = end = offset + length;
  TransferGroup group;
  const auto trim = [&](std::uint32_t drive, std::uint64_t at, std::uint64_t bytes) {
    if (drive != kNoDrive) group.submit(port(drive), IoOperation::Trim, at, bytes, nullptr, &command);
  };
  const auto by_chunks = [&](std::uint64_t from, std::uint64_t bytes) {
    each_part(from, bytes, [&](const ArrayExtent& part) {
      for (std::uint32_t mirror = 0; mirror < layout_.mirrors(); ++mirror)
        trim(home_of(part.stripe, layout_.slot_of(part.stripe, part.column, mirror)), layout_.place(part), part.length);
    });
  };
  by_chunks(offset, begin - offset);
  if (begin < end) {  // whole stripes: one command per drive
    const std::uint64_t at = begin / stripe * layout_.chunk();
    const std::uint64_t bytes = (end - begin) / stripe * layout_.chunk();
    for (const std::uint32_t drive : around_.media.drives) trim(drive, at, bytes);
    if (rebuild_slot_ != kNoDrive) trim(layout_.slots(), at, bytes);
  }
  by_chunks(end, offset + length - end);
  co_await group;
  co_return settle_writes(group);
}

void Array::fail(std::uint32_t slot) {
  if (around_.media.drives[slot] == kNoDrive) return;
  around_.media.drives[slot] = kNoDrive;
  ++around_.statistics.failed_drives;
  look_after_stripes();
}

Task<void> Array::fail_later() {
  co_await Until(around_.timers, config_.fail_at);
  if (around_.media.drives[config_.failed_drive] == config_.failed_drive) fail(config_.failed_drive);
}

Task<void> Array::spare_later() {
  co_await Until(around_.timers, config_.rebuild_at);
  look_after_stripes();
}

// Whether all data remain available without this drive.
bool Array::may_fail(std::uint32_t slot) const {
  const std::vector<std::uint32_t>& drives = around_.media.drives;
  if (layout_.parities() != 0)
    return static_cast<std::uint32_t>(std::count(drives.begin(), drives.end(), kNoDrive)) < layout_.parities();
  const std::uint32_t first = slot / layout_.mirrors() * layout_.mirrors();
  for (std::uint32_t other = first; other < first + layout_.mirrors(); ++other)
    if (other != slot && drives[other] != kNoDrive) return true;
  return false;
}

// A drive that fails a write leaves the array if the others still hold all data; the write then counts as complete.
IoStatus Array::settle_writes(const TransferGroup& group) {
  if (group.status() == IoStatus::Ok) return IoStatus::Ok;
  IoStatus status = IoStatus::Ok;
  for (std::uint32_t slot = 0; slot < layout_.slots(); ++slot) {
    const std::uint32_t drive = around_.media.drives[slot];
    if (drive == kNoDrive) continue;  // it has failed meanwhile
    const IoStatus its = group.status(&port(drive));
    if (its == IoStatus::Ok) continue;
    if (may_fail(slot))
      fail(slot);
    else
      status = its;
  }
  if (rebuild_slot_ != kNoDrive && group.status(&port(layout_.slots())) != IoStatus::Ok) {
    around_.media.spare_taken = true;  // the spare is unusable
    rebuild_slot_ = kNoDrive;
  }
  return status;
}

// One host thread computes all parity.
Task<void> Array::compute(std::uint64_t p_bytes, std::uint64_t q_bytes) {
  const auto time = [](std::uint64_t bytes, std::uint64_t rate) {
    return rate == 0 ? Picoseconds{0}
                     : static_cast<Picoseconds>(static_cast<double>(bytes) * 1e12 / static_cast<double>(rate));
  };
  cpu_free_ = std::max(cpu_free_, kernel_now()) + time(p_bytes, config_.xor_rate);
  if (layout_.parities() == 2) cpu_free_ += time(q_bytes, config_.syndrome_rate);
  if (cpu_free_ > kernel_now()) co_await Until(around_.timers, cpu_free_);
}

// A new turn begins with the first request after the previous one ended, so an idle host causes no events.
void Array::give_turns() {
  if (around_.turns == nullptr || kernel_now() < turn_until_) return;
  turn_ = (turn_ + 1) % layout_.slots();
  turn_until_ = kernel_now() + config_.gc_window;
  for (std::uint32_t slot = 0; slot < layout_.slots(); ++slot) {
    const std::uint32_t drive = around_.media.drives[slot];
    if (drive == kNoDrive || turn_ != (config_.gc == "at_once" ? 0 : slot)) continue;
    ++around_.statistics.gc_windows;
    around_.turns->begin(drive, turn_until_);
  }
}

}  // namespace flashloom
