#include "controllers/ftl/features/rain/stripe_recovery.hpp"

#include <algorithm>
#include <bit>

#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/read_retry.hpp"
#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

StripeRecovery::StripeRecovery(const FtlContext& context, const BlockTable& blocks, const Stripes& stripes,
                               FtlStatistics::Rain& statistics)
    : context_(context), blocks_(blocks), stripes_(stripes), statistics_(statistics), dies_(stripes.dies()) {}

StripeRecovery::Room& StripeRecovery::take_room() {
  if (free_.empty()) {
    const std::uint32_t units = context_.geometry.units_per_program();
    Room& room = *rooms_.emplace_back(std::make_unique<Room>());
    room.reads.resize(dies_);
    room.oob.resize(std::size_t{dies_} * units);
    if (context_.verify)
      room.tokens.resize((std::size_t{dies_} + stripes_.parities()) * units * context_.sectors_per_unit);
    free_.push_back(&room);
  }
  Room& room = *free_.back();
  free_.pop_back();
  return room;
}

ParityRows StripeRecovery::rows(Room& room, std::uint32_t units) const {
  return {room.tokens.data(), context_.verify ? tokens_of(units) : 0, dies_, stripes_.parities()};
}

void StripeRecovery::from_cells(const ParityRows& rows, std::uint32_t n, BlockNumber member, std::uint32_t page,
                                std::uint32_t first_unit, std::uint32_t units) const {
  const std::uint32_t sectors = context_.sectors_per_unit;
  SectorToken* const column = rows.column(n);
  std::fill_n(column, tokens_of(units), SectorToken{0});
  if (!stripes_.on_flash(member, page) || blocks_[member].parity != 0) return;
  for (std::uint32_t unit = 0; unit < units; ++unit)
    if (const SectorToken* const tokens = context_.media.tokens(blocks_.address(member, page), first_unit + unit))
      std::copy_n(tokens, sectors, column + std::size_t{unit} * sectors);
}

ParityRows StripeRecovery::encode_cells(Room& room, BlockNumber block, std::uint32_t page, std::uint32_t first_unit,
                                        std::uint32_t units) const {
  const ParityRows cells = rows(room, units);
  for (std::uint32_t n = 0; n < dies_; ++n) from_cells(cells, n, stripes_.member(block, n), page, first_unit, units);
  cells.encode(0, tokens_of(units));
  return cells;
}

void StripeRecovery::parity_of(BlockNumber parity, std::uint32_t page, SectorToken* tokens) {
  if (!context_.verify) return;
  const std::uint32_t units = context_.geometry.units_per_program();
  Room& room = take_room();
  const ParityRows cells = encode_cells(room, parity, page, 0, units);
  std::copy_n(cells.column(stripes_.column(parity)), tokens_of(units), tokens);
  free_.push_back(&room);
}

// Fills the columns of `wanted` with the parity that memory has accumulated for a stripe being filled.
void StripeRecovery::from_memory(const ParityRows& rows, std::uint64_t wanted, const OnfiCommand& lost,
                                 BlockNumber block) {
  Room& room = take_room();
  const ParityRows cells = encode_cells(room, block, lost.address.page.value(), lost.first_unit, lost.units);
  for (; wanted != 0; wanted &= wanted - 1) {
    const auto column = static_cast<std::uint32_t>(std::countr_zero(wanted));
    std::copy_n(cells.column(column), tokens_of(lost.units), rows.column(column));
  }
  free_.push_back(&room);
}

// Whole units, even if only part of them was wanted; for units of different sizes, their frames.
std::uint32_t StripeRecovery::bytes_of(const OnfiCommand& lost) const {
  return context_.geometry.sizes_vary() ? lost.bytes : lost.units * context_.geometry.unit_bytes;
}

void StripeRecovery::fill_read(Room& room, std::uint32_t n, BlockNumber member, const OnfiCommand& lost) const {
  OnfiCommand& read = room.reads[n];
  read = OnfiCommand{};
  read.operation = FlashOperation::Read;
  read.origin = lost.origin;
  read.address = blocks_.address(member, lost.address.page.value());
  read.first_unit = lost.first_unit;
  read.units = lost.units;
  read.from = context_.geometry.sizes_vary() ? lost.from : lost.first_unit * context_.geometry.unit_bytes;
  read.bytes = bytes_of(lost);
  read.oob = &room.oob[std::size_t{n} * lost.units];
  read.tokens = context_.verify ? rows(room, lost.units).column(stripes_.column(member)) : nullptr;
  read.flow = lost.flow;
}

// Bit masks of columns: members by die, then P and Q (Stripes::column).
Task<void> StripeRecovery::recover(OnfiCommand& lost) {
  Hardware& hardware = context_.hardware;
  const BlockNumber block = lost.address.die.value() * blocks_.blocks_per_die() + lost.address.block.value();
  const std::uint32_t page = lost.address.page.value();
  const auto bit = [](std::uint32_t column) { return std::uint64_t{1} << column; };
  const std::uint64_t parities = (bit(stripes_.parities()) - 1) << dies_;
  Room& room = take_room();
  const ParityRows rows = this->rows(room, lost.units);
  std::fill(room.tokens.begin(), room.tokens.end(), SectorToken{0});  // members outside the stripe count as zero
  std::uint64_t missing = bit(stripes_.column(block)) | parities;
  std::uint64_t in_memory = 0;
  std::uint64_t gone = 0;  // missing from a stripe with parity
  std::uint32_t reads = 0;
  // Look at all members before waiting: meanwhile more of the stripe may reach flash.
  for (std::uint32_t n = 0; n < dies_; ++n) {
    const BlockNumber member = stripes_.member(block, n);
    const BlockInfo& info = blocks_[member];
    const std::uint64_t column = bit(stripes_.column(member));
    room.reads[n].oob = nullptr;
    if (member == block) continue;
    if (!stripes_.on_flash(member, page)) {
      if (info.parity != 0 && info.pending != nullptr && !stripes_.fails(member, page))
        in_memory |= column;
      else if (stripes_.missing(member, page))
        gone |= column;
      continue;
    }
    if (blocks_.dead(blocks_.die_of(member))) {
      missing |= column;
      continue;
    }
    missing &= ~column;
    fill_read(room, n, member, lost);
    ++reads;
  }
  missing = in_memory != 0 ? missing & ~in_memory : missing | gone;
  if (context_.verify && in_memory != 0) from_memory(rows, in_memory, lost, block);
  FlashBatch batch;
  for (OnfiCommand& read : room.reads) {
    if (read.oob == nullptr) continue;
    hardware.charge(FirmwareStep::FlashIssue, 1, read.address.die.value());
    co_await hardware.flash().place(read);
    batch.submit(hardware.flash(), read);
  }
  co_await batch;
  Picoseconds decoded = 0;
  for (std::uint32_t n = 0; n < dies_; ++n) {
    OnfiCommand& read = room.reads[n];
    if (read.oob == nullptr) continue;
    if (needs_recovery(read)) co_await recover_read(hardware, read);
    decoded =
        std::max({decoded, read.at.decoded, hardware.charge(FirmwareStep::FlashComplete, 1, read.address.die.value())});
    if (read.status != FlashStatus::Good) missing |= bit(stripes_.column(stripes_.member(block, n)));
  }
  statistics_.reconstruction_reads += reads;
  const int lost_members = std::popcount(missing & (bit(dies_) - 1));
  if (lost_members > std::popcount(parities & ~missing)) {
    ++statistics_.unrecoverable_reads;
  } else {
    const std::uint32_t columns = reads + static_cast<std::uint32_t>(std::popcount(in_memory));
    const std::uint32_t bytes = columns * bytes_of(lost);
    lost.at.decoded = co_await hardware.dram_write(bytes, decoded, hardware.staging_address(bytes));
    if (context_.verify) {
      const std::uint32_t mine = stripes_.column(block);
      const std::size_t count = tokens_of(lost.units);
      if (fault(Fault::StripeMixedUp)) std::fill_n(rows.column(mine == 0 ? 1 : 0), count, SectorToken{0});
      rows.solve(missing, 0, count);
      std::copy_n(rows.column(mine), count, lost.tokens);
    }
    lost.status = FlashStatus::Good;
    ++statistics_.reconstructed_reads;
  }
  free_.push_back(&room);
}

}  // namespace flashloom
