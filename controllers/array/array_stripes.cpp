// Levels with parity: reads, also degraded ones, and the stripe cache. docs/reference/array.md lists what each request reads.
#include <algorithm>
#include <bit>

#include "controllers/array/array.hpp"

namespace flashloom {

bool Array::trusted(std::uint32_t stripe) const {
  if (unsynced_count_ == 0 && around_.media.lost.empty()) return true;
  return in_step(stripe) || (config_.start_dirty_degraded && !around_.media.lost.contains(stripe));
}

std::uint64_t Array::away(std::uint32_t stripe) const {
  std::uint64_t columns = 0;
  for (std::uint32_t column = 0; column < layout_.columns(); ++column)
    if (drive_of(stripe, layout_.slot_of(stripe, column)) == kNoDrive) columns |= column_bit(column);
  return columns;
}

std::uint64_t Array::failed_columns(std::uint32_t stripe, const TransferGroup& group) const {
  if (group.status() == IoStatus::Ok) return 0;
  std::uint64_t columns = 0;
  for (std::uint32_t column = 0; column < layout_.columns(); ++column) {
    const std::uint32_t drive = drive_of(stripe, layout_.slot_of(stripe, column));
    if (drive == kNoDrive || group.status(&port(drive)) != IoStatus::Ok) columns |= column_bit(column);
  }
  return columns;
}

Task<Array::Stripe*> Array::take_stripe() {
  while (free_stripes_.empty() && stripes_.size() == config_.stripe_cache) co_await stripe_free_.wait();
  if (free_stripes_.empty()) {
    stripes_.push_back(std::make_unique<Stripe>());
    free_stripes_.push_back(stripes_.back().get());
    if (shape_.tokens) stripes_.back()->tokens.resize(layout_.columns() * (layout_.chunk() / shape_.sector_bytes));
  }
  Stripe* const stripe = free_stripes_.back();
  free_stripes_.pop_back();
  co_return stripe;
}

void Array::give(Stripe* stripe) {
  free_stripes_.push_back(stripe);
  stripe_free_.wake_one();
}

void Array::submit_column(TransferGroup& group, IoOperation operation, std::uint32_t stripe, std::uint32_t column,
                          std::uint64_t row, std::uint64_t length, Stripe& memory, const IoCommand* like, bool fua) {
  const std::uint32_t slot = layout_.slot_of(stripe, column);
  const std::uint32_t drive = operation == IoOperation::Read ? drive_of(stripe, slot) : home_of(stripe, slot);
  if (drive == kNoDrive) return;
  group.submit(port(drive), operation, stripe * layout_.chunk() + row, length, memory_of(memory, column, row), like,
               fua);
}

// Reads rows of the wanted columns. Columns that are missing, unreadable or in `without` are computed from the others.
Task<IoStatus> Array::load(std::uint32_t stripe, Stripe& into, std::uint64_t row, std::uint64_t length,
                           std::uint64_t want, std::uint64_t without, const IoCommand* like,
                           LatencyBreakdown* breakdown) {
  const std::uint64_t data = layout_.data_mask();
  std::uint64_t bad = away(stripe) | without;
  std::uint64_t have = 0;
  for (;;) {
    std::uint64_t reads = want & ~bad;
    const bool solve = (want & bad) != 0;
    if (solve) {
      // If only parity is missing, it is computed from the data, and its old value does not matter.
      if ((bad & data) != 0 && !trusted(stripe)) co_return IoStatus::MediaError;
      auto needed = static_cast<std::uint32_t>(std::popcount(bad & data));
      reads |= data & ~bad;
      for (std::uint32_t column = layout_.data_columns(); column < layout_.columns() && needed != 0; ++column) {
        if ((bad & column_bit(column)) != 0) continue;
        reads |= column_bit(column);
        --needed;
      }
      if (needed != 0) co_return IoStatus::MediaError;
    }
    TransferGroup group;
    for (std::uint32_t column = 0; column < layout_.columns(); ++column)
      if ((reads & ~have & column_bit(column)) != 0)
        submit_column(group, IoOperation::Read, stripe, column, row, length, into, like, false);
    co_await group;
    if (breakdown != nullptr) group.charge(*breakdown);
    const std::uint64_t failed = failed_columns(stripe, group);
    have |= reads & ~failed;
    if ((reads & failed) == 0) {
      if (!solve) co_return IoStatus::Ok;
      co_await compute(layout_.data_columns() * length, layout_.data_columns() * length);
      if (shape_.tokens) rows_of(into).solve(bad, row / shape_.sector_bytes, length / shape_.sector_bytes);
      co_return IoStatus::Ok;
    }
    bad |= failed;
  }
}

Task<IoStatus> Array::load_own(ArrayExtent part, Stripe& into, const IoCommand& command) {
  TransferGroup group;
  submit_column(group, IoOperation::Read, part.stripe, part.column, part.row, part.length, into, &command, false);
  co_await group;
  const bool there = drive_of(part.stripe, layout_.slot_of(part.stripe, part.column)) != kNoDrive;
  co_return there ? group.status() : IoStatus::MediaError;
}

Task<IoStatus> Array::read_striped(IoCommand& command) {
  TransferGroup group;
  std::vector<ArrayExtent> elsewhere;  // parts whose drive is missing, or collects garbage
  layout_.each_extent(command.offset, command.length, [&](const ArrayExtent& part) {
    const std::uint32_t drive = drive_of(part.stripe, layout_.slot_of(part.stripe, part.column));
    const bool collects = drive != kNoDrive && config_.gc == "staggered" && around_.turns->collects(drive) &&
                          trusted(part.stripe) && !degraded();
    if (drive == kNoDrive || collects)
      elsewhere.push_back(part);
    else
      group.submit(port(drive), IoOperation::Read, layout_.place(part), part.length, tokens_at(command, part.at),
                   &command);
  });
  Join join;
  for (const ArrayExtent& part : elsewhere) {
    ++join.open;
    around_.runtime.spawn([&] { return read_degraded(command, part, false, join); });
  }
  co_await group;
  group.charge(command.breakdown);
  if (group.status() != IoStatus::Ok) {
    const std::size_t known = elsewhere.size();
    layout_.each_extent(command.offset, command.length, [&](const ArrayExtent& part) {
      const auto begin = elsewhere.begin();
      if (std::any_of(begin, begin + static_cast<std::ptrdiff_t>(known),
                      [&](const ArrayExtent& other) { return other.at == part.at; }))
        return;  // already in progress
      const std::uint32_t drive = drive_of(part.stripe, layout_.slot_of(part.stripe, part.column));
      if (drive == kNoDrive || group.status(&port(drive)) != IoStatus::Ok) elsewhere.push_back(part);
    });
    for (std::size_t at = known; at < elsewhere.size(); ++at) {
      const ArrayExtent part = elsewhere[at];
      ++join.open;
      around_.runtime.spawn([&, part] { return read_degraded(command, part, true, join); });
    }
  }
  while (join.open != 0) co_await join.over.wait();
  co_return join.status;
}

// Computes a part of a read from the other drives. `failed`: the drive could not read it and gets it rewritten.
Task<void> Array::read_degraded(const IoCommand& command, ArrayExtent part, bool failed, Join& join) {
  co_await locks_.share(part.stripe, part.stripe);
  Stripe* const memory = co_await take_stripe();
  const std::uint32_t drive = drive_of(part.stripe, layout_.slot_of(part.stripe, part.column));
  // The drive may have returned, or finished collecting, since.
  const bool reads_around = drive != kNoDrive && !failed && config_.gc == "staggered" && around_.turns->collects(drive);
  const std::uint64_t own = drive != kNoDrive && (failed || reads_around) ? column_bit(part.column) : 0;
  IoStatus status = IoStatus::MediaError;
  if (failed) status = co_await load_own(part, *memory, command);
  const bool repairs = failed && own != 0 && status != IoStatus::Ok;
  if (status != IoStatus::Ok)
    status =
        co_await load(part.stripe, *memory, part.row, part.length, column_bit(part.column), own, &command, nullptr);
  if (status == IoStatus::Ok && !failed)
    ++(reads_around ? around_.statistics.reads_around : around_.statistics.degraded_reads);
  if (status != IoStatus::Ok && reads_around) status = co_await load_own(part, *memory, command);
  if (status == IoStatus::Ok && shape_.tokens)
    std::copy_n(memory_of(*memory, part.column, part.row), part.length / shape_.sector_bytes,
                tokens_at(command, part.at));
  if (status == IoStatus::Ok && repairs) {
    ++around_.statistics.repaired_reads;
    TransferGroup group;
    submit_column(group, IoOperation::Write, part.stripe, part.column, part.row, part.length, *memory, &command, false);
    co_await group;
    settle_writes(group);
  }
  if (status != IoStatus::Ok) {
    ++around_.statistics.unreadable;
    join.status = status;
  }
  give(memory);
  locks_.unshare(part.stripe, part.stripe);
  if (--join.open == 0) join.over.wake_all();
}

}  // namespace flashloom
