// The reading side of the programmer: what must be there before a program unit can be programmed.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "controllers/hardware/read_retry.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

// The command that reads `units` units of one page into the job's room for its units from `index` on.
OnfiCommand& Programmer::fill_read(ProgramJob& job, OnfiCommand& read, std::uint32_t index, std::uint32_t units,
                                   Origin origin) const {
  const BlockNumber block = blocks_.block_of(job.source[index]);
  const std::uint32_t in_block = blocks_.offset_in_block(job.source[index], block);
  read.operation = FlashOperation::Read;
  read.origin = origin;
  read.address = blocks_.address(block, blocks_.page_of(in_block));
  read.first_unit = static_cast<std::uint16_t>(blocks_.unit_of_page(in_block));
  read.units = static_cast<std::uint16_t>(units);
  read.bytes = units * unit_bytes_;
  read.oob = &job.read_oob[index];
  read.tokens = context_.verify ? &job.read_tokens[std::size_t{index} * context_.sectors_per_unit] : nullptr;
  read.flow = job.command.flow;
  read.together = read.then = nullptr;
  return read;
}

Task<void> Programmer::gather(ProgramJob& job) {
  // Consecutive units of one source page are one read command, neighbouring pages of several planes one group.
  FlashBatch batch;
  ReadGroup group;
  Hardware& hardware = context_.hardware;
  std::uint32_t commands = 0;
  std::uint32_t bytes = 0;
  for (std::uint32_t index = 0; index < job.filled;) {
    const PhysicalUnit source = job.source[index];
    if (source == kNoPhysicalUnit || job.writes[index] != nullptr) {
      ++index;
      continue;
    }
    const std::uint32_t run = run_of(job, index);
    if (!blocks_.on_flash(source) && !group.empty()) {
      co_await hardware.flash().place(group.first());
      batch.submit(hardware.flash(), group.take());
    }
    while (WaitList* const list = blocks_.before_on_flash(source)) co_await list->wait();
    const bool of_gc = job.command.origin == Origin::Gc;
    OnfiCommand& read = fill_read(job, job.reads[index], index, run,
                                  job.command.origin == Origin::Host ? Origin::Merge : job.command.origin);
    read.owners = of_gc ? job.owners : nullptr;
    bytes += read.bytes;
    ++commands;
    index += run;
    hardware.charge(FirmwareStep::FlashIssue, 1, read.address.die.value());
    if (group.add(read, context_.geometry)) continue;
    co_await hardware.flash().place(group.first());
    batch.submit(hardware.flash(), group.take());
    group.add(read, context_.geometry);
  }
  if (!group.empty()) {
    co_await hardware.flash().place(group.first());
    batch.submit(hardware.flash(), group.take());
  }
  moves(job);
  co_await batch;
  Picoseconds decoded = 0;
  if (hardware.flash().ecc() != nullptr) [[unlikely]]
    decoded = co_await recover_reads(job);
  job.staged = hardware.staging_address(std::max(bytes, job.command.bytes));
  const Picoseconds stored = co_await hardware.dram_write(bytes, decoded, job.staged);
  job.gathered = std::max(stored, hardware.charge(FirmwareStep::FlashComplete, commands, blocks_.die_of(job.block)));
  take_gathered(job);
}

// What was read for the units that are copied goes to the program.
void Programmer::take_gathered(ProgramJob& job) {
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    const PhysicalUnit source = job.source[index];
    if (source == kNoPhysicalUnit || job.writes[index] != nullptr) continue;
    const FlashStatus status = job.reads[index].status;  // of the first unit of each command
    if (status != FlashStatus::Good && status != FlashStatus::Uncorrectable)
      throw std::logic_error("gathering for a program met a page that cannot be read");
    check_source(job, index);
    if (OobLayout::lost(job.read_oob[index])) [[unlikely]]
      note_lost(job, index);
    const auto first = static_cast<std::ptrdiff_t>(std::size_t{index} * context_.sectors_per_unit);
    if (context_.verify && !fault(Fault::StaleCopy))
      std::copy_n(job.read_tokens + first, context_.sectors_per_unit, job.tokens + first);
  }
}

// Units of the job from this copy on that one command reads: consecutive ones of one page.
std::uint32_t Programmer::run_of(const ProgramJob& job, std::uint32_t index) const {
  if (units_per_page_ == 1) return 1;
  const PhysicalUnit source = job.source[index];
  const std::uint32_t in_block = blocks_.offset_in_block(source, blocks_.block_of(source));
  const std::uint32_t of_page = units_per_page_ - blocks_.unit_of_page(in_block);
  std::uint32_t run = 1;
  while (run < of_page && index + run < job.filled && job.source[index + run] == source + run &&
         job.writes[index + run] == nullptr)
    ++run;
  return run;
}

// What could not be corrected at once; returns when all is decoded. Units of a page that stays unreadable are lost, and
// their words say so from now on; data are never made of them.
Task<Picoseconds> Programmer::recover_reads(ProgramJob& job) {
  Picoseconds decoded = 0;
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    if (job.source[index] == kNoPhysicalUnit || job.writes[index] != nullptr) continue;
    OnfiCommand& read = job.reads[index];
    if (read.oob != &job.read_oob[index]) continue;  // of the command before
    if (needs_recovery(read)) {
      const bool metadata = layout_.unit(job.oob[index]) >= context_.host_units;
      co_await recover_read(context_.hardware, read, metadata);
      if (read.status == FlashStatus::Uncorrectable)
        for (std::uint32_t unit = 0; unit < read.units; ++unit) {
          if (OobLayout::lost(read.oob[unit])) continue;  // long known
          read.oob[unit] = OobLayout::as_lost(read.oob[unit]);
          context_.hardware.flash().ecc()->count_lost(1);
        }
    }
    decoded = std::max(decoded, read.at.decoded);
    read.oob = nullptr;  // done with: the next job's run of units may not begin here
  }
  co_return decoded;
}

void Programmer::note_lost(ProgramJob& job, std::uint32_t index) {
  job.oob[index] = OobLayout::as_lost(job.oob[index]);
  blocks_[job.block].pending->oob[job.first_page * units_per_page_ + index] = job.oob[index];
}

void Programmer::check_source(const ProgramJob& job, std::uint32_t index) const {
  const OobWord word = job.read_oob[index];
  if (!layout_.is_data(word) || layout_.unit(word) != layout_.unit(job.oob[index]))
    throw std::logic_error("flash returned another unit than the map says, unit " +
                           std::to_string(layout_.unit(job.oob[index])));
}

// Each entry is a burst at its own address.
Task<void> Programmer::write_entries(const ProgramJob& job, Picoseconds& mapped) {
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    const OobWord word = job.oob[index];
    const std::uint32_t unit = layout_.is_data(word) ? layout_.unit(word) : 0;
    const Picoseconds written = co_await context_.hardware.map_write(1, unit);
    mapped = std::max(mapped, written);
  }
}

// Copies lie together where they were gathered; host data where each unit has its place in the buffer, and what fills
// up the program unit comes from a page of zeroes.
Task<void> Programmer::fetch_units(const ProgramJob& job, Picoseconds& fetched) {
  Hardware& hardware = context_.hardware;
  if (job.command.origin != Origin::Host) {
    const Picoseconds read = co_await hardware.dram_read(job.command.bytes, job.gathered, job.staged);
    fetched = read;
    co_return;
  }
  std::uint32_t left = job.command.bytes;
  for (std::uint32_t index = 0; index < job.filled;) {
    const OobWord word = job.oob[index];
    std::uint32_t run = 1;
    while (layout_.is_data(word) && index + run < job.filled && layout_.is_data(job.oob[index + run]) &&
           layout_.unit(job.oob[index + run]) == layout_.unit(word) + run)
      ++run;
    const std::uint32_t bytes = std::min(left, run * unit_bytes_);
    const std::uint64_t offset = layout_.is_data(word) ? std::uint64_t{layout_.unit(word)} * unit_bytes_ : 0;
    const Picoseconds read = co_await hardware.buffer_read(bytes, job.gathered, hardware.buffer_address(offset, bytes));
    fetched = std::max(fetched, read);
    left -= bytes;
    index += run;
  }
  const Picoseconds padding = co_await hardware.buffer_read(left, job.gathered, hardware.buffer_address(0, left));
  fetched = std::max(fetched, padding);
}

// Read-modify-write: the sectors of a unit that the host has not written come from its old place.
Task<void> Programmer::complete(ProgramJob& job, std::uint32_t index) {
  Hardware& hardware = context_.hardware;
  const PhysicalUnit source = job.source[index];
  const BlockNumber block = blocks_.block_of(source);
  const std::size_t first = std::size_t{index} * context_.sectors_per_unit;
  while (WaitList* const list = blocks_.before_on_flash(source)) co_await list->wait();
  OnfiCommand& read = fill_read(job, job.reads[index], index, 1, Origin::Rmw);
  read.owners = &job.owners[index];
  hardware.charge(FirmwareStep::FlashIssue, 1, blocks_.die_of(block));
  co_await hardware.flash().place(read);
  co_await FlashBatch(hardware.flash(), read);
  if (needs_recovery(read)) [[unlikely]]
    co_await recover_read(hardware, read);
  if (read.status != FlashStatus::Good && read.status != FlashStatus::Uncorrectable)
    throw std::logic_error("completing a unit met a page that cannot be read");
  // The rest of a unit that the buffer has: beside it.
  const std::uint64_t place =
      hardware.buffer_address(std::uint64_t{layout_.unit(job.oob[index])} * unit_bytes_, read.bytes);
  const Picoseconds stored = co_await hardware.dram_write(read.bytes, read.at.decoded, place);
  job.gathered =
      std::max({job.gathered, stored, hardware.charge(FirmwareStep::FlashComplete, 1, blocks_.die_of(block))});
  check_source(job, index);
  WriteUnit& write = *job.writes[index];
  // Its other sectors cannot be had any more: then the whole unit counts as lost, on flash. The buffer goes on serving
  // those that the host has written.
  const bool lost = read.status == FlashStatus::Uncorrectable || OobLayout::lost(job.read_oob[index]);
  read.oob = nullptr;  // recover_reads()
  if (lost) [[unlikely]] {
    if (!OobLayout::lost(job.read_oob[index])) hardware.flash().ecc()->count_lost(1);
    note_lost(job, index);
    write.rest_lost = true;
  }
  for (std::uint32_t sector = 0; context_.verify && !lost && sector < context_.sectors_per_unit; ++sector)
    if (((write.sectors >> sector) & 1) == 0 && !fault(Fault::FillDropped))
      write.tokens[sector] = job.read_tokens[first + sector];
  if (!lost) write.sectors = all_sectors_;
  blocks_.read_done(block);
  if (--job.completing == 0) job.completed.wake_all();
  write.listener->on_filled(write);
  blocks_.events(blocks_.die_of(job.block)).durable.wake_all();  // a read may wait for the whole unit
}

}  // namespace flashloom
