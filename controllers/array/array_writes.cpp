// Writes of parity levels: reads what is needed, computes the new parity, and writes data and parity to the drives.
#include <algorithm>
#include <bit>

#include "controllers/array/array.hpp"

namespace flashloom {

Task<IoStatus> Array::write_striped(IoCommand& command) {
  Join join;
  const std::uint64_t bytes = layout_.stripe_bytes();
  const bool one = command.offset / bytes == (command.offset + command.length - 1) / bytes;
  for (std::uint64_t at = 0; at < command.length;) {
    const std::uint64_t from = command.offset + at;
    const std::uint64_t length = std::min(command.length - at, bytes - from % bytes);
    const StripeWrite write{.command = &command,
                            .breakdown = one ? &command.breakdown : nullptr,
                            .stripe = static_cast<std::uint32_t>(from / bytes),
                            .from = from,
                            .length = length,
                            .at = at};
    ++join.open;
    if (one)
      co_await write_part(write, join);
    else
      around_.runtime.spawn([&] { return write_part(write, join); });
    at += length;
  }
  while (join.open != 0) co_await join.over.wait();
  co_return join.status;
}

Task<void> Array::write_part(StripeWrite write, Join& join) {
  co_await locks_.lock(write.stripe, write.stripe);
  Stripe* const memory = co_await take_stripe();
  co_await note_intent(write.stripe, write.stripe);
  const IoStatus status = co_await write_locked(write, *memory);
  if (status != IoStatus::Ok) join.status = status;
  intent_done(write.stripe, write.stripe);
  give(memory);
  locks_.unlock(write.stripe, write.stripe);
  if (--join.open == 0) join.over.wake_all();
}

Task<IoStatus> Array::write_locked(const StripeWrite& write, Stripe& memory) {
  Bands bands = bands_of(write);
  for (std::uint32_t i = 0; i < bands.count; ++i) choose(write.stripe, bands.of[i]);
  const bool whole = co_await read_for(write, bands, memory);
  if (!whole) co_await solve_for(write, bands, memory);
  std::uint64_t computed = 0;
  for (std::uint32_t i = 0; i < bands.count; ++i) {
    const Band& band = bands.of[i];
    if (band.kind == Band::Kind::NoParity) continue;
    const bool modifies = band.kind == Band::Kind::Modify;
    const auto covered = static_cast<std::uint64_t>(std::popcount(band.covered));
    computed += (modifies ? 2 * covered : layout_.data_columns()) * band.length;
  }
  co_await compute(computed, computed);
  for (std::uint32_t i = 0; i < bands.count; ++i) apply(write, bands.of[i], memory);
  count(bands);
  JournalEntry* entry = nullptr;
  if (journals()) {
    std::unique_ptr<JournalEntry> written = entry_of(write, bands, memory);
    entry = co_await write_ahead(written);
  }
  step(ArrayStep::Write);
  TransferGroup group;
  const IoCommand* const like = write.command;
  // A write that ends a loss must be durable first: else a cut brings back old content that is no longer marked as
  // lost.
  const bool whole_stripe = write.length == layout_.stripe_bytes();
  const bool fua = like->fua || (whole_stripe && around_.media.lost.contains(write.stripe));
  layout_.each_extent(write.from, write.length, [&](const ArrayExtent& part) {
    submit_column(group, IoOperation::Write, part.stripe, part.column, part.row, part.length, memory, like, fua);
  });
  each_parity_range(bands, [&](std::uint64_t row, std::uint64_t length) {
    for (std::uint32_t column = layout_.data_columns(); column < layout_.columns(); ++column)
      submit_column(group, IoOperation::Write, write.stripe, column, row, length, memory, like, fua);
  });
  co_await group;
  if (write.breakdown != nullptr) group.charge(*write.breakdown);
  step(ArrayStep::Written);
  IoStatus status = settle_writes(group);
  if (status == IoStatus::Ok && !stored(write, bands)) status = IoStatus::MediaError;
  if (status != IoStatus::Ok)
    lose_failed(write.stripe);
  else if (whole_stripe)
    synced(write.stripe);
  if (entry != nullptr) journal_done(entry);
  co_return status;
}

// Whether data written to a column without a drive can be reconstructed from the others.
bool Array::stored(const StripeWrite& write, const Bands& bands) const {
  // Nothing of an untrusted stripe can be reconstructed until it is written whole.
  const bool doubtful = write.length != layout_.stripe_bytes() && !trusted(write.stripe);
  for (std::uint32_t i = 0; i < bands.count; ++i)
    for (std::uint32_t column = 0; column < layout_.data_columns(); ++column) {
      if ((bands.of[i].covered & column_bit(column)) == 0) continue;
      const std::uint32_t slot = layout_.slot_of(write.stripe, column);
      const bool no_parity = bands.of[i].kind == Band::Kind::NoParity;
      if ((no_parity && home_of(write.stripe, slot) == kNoDrive) ||
          (doubtful && drive_of(write.stripe, slot) == kNoDrive))
        return false;
    }
  return true;
}

// A write covers the end of one column, whole columns, and the start of another: at most three bands of rows.
Array::Bands Array::bands_of(const StripeWrite& write) const {
  const std::uint64_t chunk = layout_.chunk();
  const std::uint64_t begin = write.from % layout_.stripe_bytes();
  const std::uint64_t end = begin + write.length;
  const auto first = static_cast<std::uint32_t>(begin / chunk);
  const auto last = static_cast<std::uint32_t>((end - 1) / chunk);
  const std::uint64_t head = begin % chunk;
  const std::uint64_t tail = (end - 1) % chunk + 1;
  Bands bands;
  const std::uint64_t cuts[] = {0, std::min(head, tail), std::max(head, tail), chunk};
  for (int i = 0; i < 3; ++i) {
    Band band{.row = cuts[i], .length = cuts[i + 1] - cuts[i]};
    for (std::uint32_t column = first; column <= last && band.length != 0; ++column)
      if ((column > first || band.row >= head) && (column < last || band.row < tail))
        band.covered |= column_bit(column);
    if (band.covered != 0) bands.of[bands.count++] = band;
  }
  return bands;
}

// As in md: the way that reads less; if equal, reconstruction, which needs no old parity.
void Array::choose(std::uint32_t stripe, Band& band) const {
  const std::uint64_t data = layout_.data_mask();
  const std::uint64_t bad = away(stripe);
  std::uint64_t parities = 0;
  for (std::uint32_t column = layout_.data_columns(); column < layout_.columns(); ++column)
    parities |= column_bit(column) & ~bad;
  const std::uint64_t stays = data & ~band.covered;
  const std::uint64_t modify = band.covered | parities;
  const bool can_modify = trusted(stripe) && (band.covered & bad) == 0;
  const bool can_reconstruct = (stays & bad) == 0;
  if (parities == 0) {
    band.kind = Band::Kind::NoParity;
  } else if (stays == 0) {
    band.kind = Band::Kind::Full;
  } else if (can_reconstruct && (!can_modify || std::popcount(stays) <= std::popcount(modify))) {
    band.kind = Band::Kind::Reconstruct;
    band.reads = stays;
  } else if (can_modify) {
    band.kind = Band::Kind::Modify;
    band.reads = modify;
  } else {
    band.kind = Band::Kind::Solve;
  }
}

void Array::count(const Bands& bands) {
  ArrayStatistics& statistics = around_.statistics;
  for (std::uint32_t i = 0; i < bands.count; ++i) {
    const Band::Kind kind = bands.of[i].kind;
    ++(kind == Band::Kind::Full       ? statistics.full_stripe_writes
       : kind == Band::Kind::Modify   ? statistics.read_modify_writes
       : kind == Band::Kind::NoParity ? statistics.writes_without_parity
                                      : statistics.reconstruct_writes);
  }
}

// Reads what all bands need at once; false if a read failed or a band needs reconstruction by solving.
Task<bool> Array::read_for(const StripeWrite& write, const Bands& bands, Stripe& memory) {
  bool whole = true;
  TransferGroup group;
  for (std::uint32_t column = 0; column < layout_.columns(); ++column)
    for (std::uint32_t i = 0; i < bands.count; ++i) {
      const Band& band = bands.of[i];
      whole = whole && band.kind != Band::Kind::Solve;
      if ((band.reads & column_bit(column)) == 0) continue;
      std::uint64_t length = band.length;
      while (i + 1 < bands.count && (bands.of[i + 1].reads & column_bit(column)) != 0 &&
             bands.of[i + 1].row == band.row + length)
        length += bands.of[++i].length;
      submit_column(group, IoOperation::Read, write.stripe, column, band.row, length, memory, write.command, false);
    }
  co_await group;
  if (write.breakdown != nullptr) group.charge(*write.breakdown);
  co_return whole&& group.status() == IoStatus::Ok;
}

// For a stripe with a missing column: reads or computes all data that stay. If that fails, the parity of the stripe is
// lost, and with it the data of a failed drive.
Task<void> Array::solve_for(const StripeWrite& write, Bands& bands, Stripe& memory) {
  const std::uint64_t data = layout_.data_mask();
  for (std::uint32_t i = 0; i < bands.count; ++i) {
    Band& band = bands.of[i];
    choose(write.stripe, band);  // a drive may have failed since
    if (band.kind == Band::Kind::NoParity || band.kind == Band::Kind::Full) continue;
    const IoStatus status = co_await load(write.stripe, memory, band.row, band.length, data & ~band.covered, 0,
                                          write.command, write.breakdown);
    band.kind = status == IoStatus::Ok ? Band::Kind::Reconstruct : Band::Kind::NoParity;
    if (status != IoStatus::Ok) lose_failed(write.stripe);
  }
}

// Puts the new data into the stripe in memory and computes its parity.
void Array::apply(const StripeWrite& write, const Band& band, Stripe& memory) const {
  if (!shape_.tokens) return;
  const ParityRows rows = rows_of(memory);
  const std::size_t first = band.row / shape_.sector_bytes;
  const std::size_t count = band.length / shape_.sector_bytes;
  layout_.each_extent(write.from, write.length, [&](const ArrayExtent& part) {
    if ((band.covered & column_bit(part.column)) == 0) return;
    const std::uint64_t into = write.at + part.at + (band.row - part.row);
    const SectorToken* const tokens = tokens_at(*write.command, into);
    if (band.kind == Band::Kind::Modify)
      rows.update(part.column, first, {tokens, count});
    else
      std::copy_n(tokens, count, rows.column(part.column) + first);
  });
  if (band.kind == Band::Kind::Full || band.kind == Band::Kind::Reconstruct) rows.encode(first, count);
}

}  // namespace flashloom
