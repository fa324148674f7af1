#include "controllers/ftl/program/stripe_recovery.hpp"

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
  return {room.tokens.data(), context_.verify ? std::size_t{units} * context_.sectors_per_unit : 0, dies_,
          stripes_.parities()};
}

// Spare areas and the table of open blocks tell firmware which program units there are.
bool StripeRecovery::on_flash(BlockNumber member, std::uint32_t page) const {
  return blocks_[member].state != BlockState::Bad &&
         context_.media.page(blocks_.address(member, page)).status == FlashStatus::Good;
}

void StripeRecovery::from_cells(const ParityRows& rows, std::uint32_t n, BlockNumber member, std::uint32_t page,
                                std::uint32_t first_unit, std::uint32_t units) const {
  if (!context_.verify) return;
  const std::uint32_t sectors = context_.sectors_per_unit;
  SectorToken* const column = rows.column(n);
  std::fill_n(column, std::size_t{units} * sectors, SectorToken{0});
  if (!on_flash(member, page) || blocks_[member].parity) return;
  for (std::uint32_t unit = 0; unit < units; ++unit)
    if (const SectorToken* const tokens = context_.media.tokens(blocks_.address(member, page), first_unit + unit))
      std::copy_n(tokens, sectors, column + std::size_t{unit} * sectors);
}

void StripeRecovery::parity_of(BlockNumber parity, std::uint32_t page, SectorToken* tokens) {
  if (!context_.verify) return;
  const std::uint32_t units = context_.geometry.units_per_program();
  Room& room = take_room();
  const ParityRows rows = this->rows(room, units);
  for (std::uint32_t n = 0; n < dies_; ++n) from_cells(rows, n, stripes_.member(parity, n), page, 0, units);
  const std::size_t count = std::size_t{units} * context_.sectors_per_unit;
  rows.encode(0, count);
  std::copy_n(rows.column(dies_ + stripes_.rank(parity)), count, tokens);
  free_.push_back(&room);
}

Task<void> StripeRecovery::recover(OnfiCommand& lost) {
  Hardware& hardware = context_.hardware;
  const BlockNumber block = lost.address.die.value() * blocks_.blocks_per_die() + lost.address.block.value();
  const std::uint32_t page = lost.address.page.value();
  const std::uint32_t mine = stripes_.number(block);
  Room& room = take_room();
  const ParityRows rows = this->rows(room, lost.units);
  const std::size_t count = context_.verify ? std::size_t{lost.units} * context_.sectors_per_unit : 0;
  std::uint64_t missing = std::uint64_t{1} << mine;  // members, then P and Q: columns
  const auto column_of = [&](std::uint32_t n, BlockNumber member) {
    return blocks_[member].parity ? dies_ + stripes_.rank(member) : n;
  };
  std::uint32_t in_memory = 0;  // parities of a stripe that is being filled
  FlashBatch batch;
  std::uint64_t read = 0;  // members
  missing |= ((std::uint64_t{1} << stripes_.parities()) - 1) << dies_;
  for (std::uint32_t n = 0; n < dies_; ++n) {
    const BlockNumber member = stripes_.member(block, n);
    const BlockInfo& info = blocks_[member];
    const std::uint32_t column = column_of(n, member);
    if (member == block || !on_flash(member, page)) {
      if (context_.verify && column == n && n != mine) std::fill_n(rows.column(n), count, SectorToken{0});
      if (info.parity && !info.failed && info.pending != nullptr) {
        ++in_memory;
        missing &= ~(std::uint64_t{1} << column);
      }
      continue;
    }
    if (blocks_.dead(blocks_.die_of(member))) {
      missing |= std::uint64_t{1} << column;
      continue;
    }
    OnfiCommand& command = room.reads[n];
    command = OnfiCommand{};
    command.operation = FlashOperation::Read;
    command.origin = lost.origin;
    command.address = blocks_.address(member, page);
    command.first_unit = lost.first_unit;
    command.units = lost.units;
    command.bytes = std::uint32_t{lost.units} * context_.geometry.unit_bytes;
    command.oob = &room.oob[std::size_t{n} * lost.units];
    command.tokens = context_.verify ? rows.column(column) : nullptr;
    command.flow = lost.flow;
    missing &= ~(std::uint64_t{1} << column);
    read |= std::uint64_t{1} << n;
  }
  if (context_.verify && in_memory != 0) {
    // What memory has gathered of this stripe.
    Room& memory = take_room();
    const ParityRows cells = this->rows(memory, lost.units);
    for (std::uint32_t n = 0; n < dies_; ++n)
      from_cells(cells, n, stripes_.member(block, n), page, lost.first_unit, lost.units);
    cells.encode(0, count);
    for (std::uint32_t n = 0; n < dies_; ++n) {
      const BlockNumber member = stripes_.member(block, n);
      if (const std::uint32_t column = column_of(n, member); column >= dies_ && ((missing >> column) & 1) == 0 &&
                                                             ((read >> n) & 1) == 0)
        std::copy_n(cells.column(column), count, rows.column(column));
    }
    free_.push_back(&memory);
  }
  const auto each_read = [&](auto&& f) {
    for (std::uint64_t left = read; left != 0; left &= left - 1) f(static_cast<std::uint32_t>(std::countr_zero(left)));
  };
  const std::uint64_t to_read = read;
  for (std::uint64_t left = to_read; left != 0; left &= left - 1) {
    OnfiCommand& command = room.reads[static_cast<std::uint32_t>(std::countr_zero(left))];
    hardware.charge(FirmwareStep::FlashIssue, 1, command.address.die.value());
    co_await hardware.flash().place(command);
    batch.submit(hardware.flash(), command);
  }
  co_await batch;
  Picoseconds decoded = 0;
  for (std::uint64_t left = to_read; left != 0; left &= left - 1) {
    const auto n = static_cast<std::uint32_t>(std::countr_zero(left));
    OnfiCommand& command = room.reads[n];
    if (needs_recovery(command)) co_await recover_read(hardware, command);
    decoded = std::max({decoded, command.at.decoded, hardware.charge(FirmwareStep::FlashComplete, 1,
                                                                     command.address.die.value())});
    if (command.status != FlashStatus::Good) missing |= std::uint64_t{1} << column_of(n, stripes_.member(block, n));
  }
  each_read([&](std::uint32_t) { ++statistics_.reconstruction_reads; });
  // As many as can be computed; parity that is missing is no loss.
  const std::uint64_t data = (std::uint64_t{1} << dies_) - 1;
  const auto lost_data = static_cast<std::uint32_t>(std::popcount(missing & data));
  const std::uint32_t parities =
      stripes_.parities() - static_cast<std::uint32_t>(std::popcount(missing >> dies_));
  if (lost_data <= parities) {
    const std::uint32_t bytes = (std::popcount(to_read) + in_memory) * lost.units * context_.geometry.unit_bytes;
    const std::uint64_t place = hardware.staging_address(bytes);
    decoded = co_await hardware.dram_write(bytes, decoded, place);
    if (context_.verify) {
      if (fault(Fault::StripeMixedUp)) std::fill_n(rows.column(mine == 0 ? 1 : 0), count, SectorToken{0});
      rows.solve(missing, 0, count);
      std::copy_n(rows.column(mine), count, lost.tokens);
    }
    lost.status = FlashStatus::Good;
    lost.at.decoded = decoded;
    ++statistics_.reconstructed_reads;
  } else {
    ++statistics_.unrecoverable_reads;
  }
  free_.push_back(&room);
}

}  // namespace flashloom
