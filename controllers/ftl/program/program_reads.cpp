#include "controllers/ftl/program/program_reads.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/program/redundancy.hpp"
#include "controllers/hardware/read_retry.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

// readable() of a unit that is not on flash.
PhysicalUnit ProgramReads::source_of(PhysicalUnit unit) const {
  while (!blocks_.on_flash(unit)) {
    const PhysicalUnit source = blocks_.programs().pending_source(unit);
    if (source == kNoPhysicalUnit) break;  // host data in transit: the buffer has them
    unit = source;
  }
  return unit;
}

bool ProgramReads::lost_in_transit(PhysicalUnit unit) const {
  const PhysicalUnit where = readable(unit);
  return !blocks_.on_flash(where) && OobLayout::lost(blocks_.programs().pending_word(where));
}

Task<void> ProgramReads::recover(OnfiCommand& read, bool metadata) const {
  const bool dead = redundancy_ != nullptr && blocks_.dead(read.address.die.value());
  if (!dead || metadata) co_await recover_read(context_.hardware, read, metadata);
  if (redundancy_ == nullptr || !needs_recovery(read)) co_return;
  co_await redundancy_->rebuild(read);
  if (dead && needs_recovery(read)) context_.hardware.flash().ecc()->count_uncorrectable(read);
}

OnfiCommand& ProgramReads::fill_read(ProgramJob& job, OnfiCommand& read, std::uint32_t index, std::uint32_t units,
                                     Origin origin) const {
  const BlockNumber block = blocks_.block_of(job.source[index]);
  const std::uint32_t in_block = blocks_.offset_in_block(job.source[index], block);
  read.operation = FlashOperation::Read;
  read.origin = origin;
  read.address = blocks_.address(block, blocks_.page_of(in_block));
  read.first_unit = static_cast<std::uint16_t>(blocks_.unit_of_page(in_block));
  read.units = static_cast<std::uint16_t>(units);
  move_frames(read, job.source[index], all_sectors_, all_sectors_);
  read.oob = &job.read_oob[index];
  read.tokens = context_.verify ? &job.read_tokens[std::size_t{index} * context_.sectors_per_unit] : nullptr;
  read.flow = job.command.flow;
  read.together = read.then = nullptr;
  return read;
}

// Hands over the complete group, if any. Returns what it must wait for first; null if nothing.
WaitList* ProgramReads::hand_over_group(Gathering& reads) {
  FlashPort& flash = context_.hardware.flash();
  if (!std::exchange(reads.has_place, true))
    if (WaitList* const place = flash.ask_place(reads.group.first())) return place;
  reads.has_place = reads.group_ends = false;
  reads.batch.submit(flash, reads.group.take());
  if (reads.next != nullptr) reads.group.add(*std::exchange(reads.next, nullptr), context_.media);
  return nullptr;
}

// Hands over the reads of a job's copies. Returns what the next of them waits for; null once all are handed over.
// Consecutive units of one source page form one read command, neighbouring pages of several planes one group.
WaitList* ProgramReads::hand_over_reads(ProgramJob& job, Gathering& reads) {
  const Origin origin = job.command.origin == Origin::Host ? Origin::Merge : job.command.origin;
  for (;;) {
    if (reads.group_ends)
      if (WaitList* const place = hand_over_group(reads)) return place;
    while (reads.index < job.filled && !copies(job, reads.index)) ++reads.index;
    WaitList* const list =
        reads.index < job.filled ? blocks_.programs().before_on_flash(job.source[reads.index]) : nullptr;
    if (reads.index == job.filled || list != nullptr) {
      if (reads.group.empty()) return list;
      reads.group_ends = true;
      continue;
    }
    const std::uint32_t run = run_of(job, reads.index);
    OnfiCommand& read = fill_read(job, job.reads[reads.index], reads.index, run, origin);
    read.owners = origin == Origin::Gc ? job.owners : nullptr;
    reads.index += run;
    reads.bytes += read.bytes;
    ++reads.commands;
    context_.hardware.charge(FirmwareStep::FlashIssue, 1, read.address.die.value());
    if (reads.group.add(read, context_.media)) continue;
    reads.group_ends = true;
    reads.next = &read;
  }
}

Task<void> ProgramReads::gather(ProgramJob& job) {
  Hardware& hardware = context_.hardware;
  Gathering reads;
  while (WaitList* const list = hand_over_reads(job, reads)) co_await list->wait();
  job.note_in_flight();
  co_await reads.batch;
  Picoseconds decoded = 0;
  if (hardware.flash().ecc() != nullptr) [[unlikely]]
    decoded = co_await recover_reads(job);
  job.staged = hardware.staging_address(std::max(reads.bytes, job.command.bytes));
  const Picoseconds stored = co_await hardware.dram_write(reads.bytes, decoded, job.staged);
  job.gathered =
      std::max(stored, hardware.charge(FirmwareStep::FlashComplete, reads.commands, blocks_.die_of(job.block)));
  take_gathered(job);
}

bool ProgramReads::gather_now(ProgramJob& job) {
  for (std::uint32_t index = 0; index < job.filled; ++index)
    if (copies(job, index) && !blocks_.on_flash(job.source[index])) return false;
  if (can_copy_back(job)) return true;
  Gathering reads;
  hand_over_reads(job, reads);
  take_gathered(job);
  return true;
}

// Puts the data read for copies into the program.
void ProgramReads::take_gathered(ProgramJob& job) {
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    if (!copies(job, index)) continue;
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

// Number of the job's units, from this copy on, that one command reads: consecutive ones of one page.
std::uint32_t ProgramReads::run_of(const ProgramJob& job, std::uint32_t index) const {
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

// Recovers reads that the first decoding could not correct; returns when all are decoded. Units of an unreadable page
// are lost: their words are marked so, and no data are made up for them.
Task<Picoseconds> ProgramReads::recover_reads(ProgramJob& job) {
  Picoseconds decoded = 0;
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    if (!copies(job, index)) continue;
    OnfiCommand& read = job.reads[index];
    if (read.oob != &job.read_oob[index]) continue;  // belongs to the previous command
    if (needs_recovery(read)) {
      const bool metadata = layout_.unit(job.oob[index]) >= context_.host_units;
      co_await recover(read, metadata);
      if (read.status == FlashStatus::Uncorrectable)
        for (std::uint32_t unit = 0; unit < read.units; ++unit) {
          if (OobLayout::lost(read.oob[unit])) continue;  // already known to be lost
          read.oob[unit] = OobLayout::as_lost(read.oob[unit]);
          context_.hardware.flash().ecc()->count_lost(1);
        }
    }
    decoded = std::max(decoded, read.at.decoded);
    read.oob = nullptr;  // done; the next job's run may not begin at this unit
  }
  co_return decoded;
}

void ProgramReads::note_lost(ProgramJob& job, std::uint32_t index) {
  job.oob[index] = OobLayout::as_lost(job.oob[index]);
  blocks_[job.block].pending->oob[job.first_page * units_per_page_ + index] = job.oob[index];
}

void ProgramReads::check_source(const ProgramJob& job, std::uint32_t index) const {
  const OobWord word = job.read_oob[index];
  if (!layout_.is_data(word) || layout_.unit(word) != layout_.unit(job.oob[index]))
    another_than_mapped(layout_.unit(job.oob[index]));
}

// Read-modify-write, from the unit's old place.
Task<void> ProgramReads::complete(ProgramJob& job, std::uint32_t index, std::uint64_t missing) {
  Hardware& hardware = context_.hardware;
  const std::uint32_t unit_bytes = context_.geometry.unit_bytes;
  const PhysicalUnit source = job.source[index];
  const BlockNumber block = blocks_.block_of(source);
  const std::size_t first = std::size_t{index} * context_.sectors_per_unit;
  while (!blocks_.awaits_second_pass(source)) {
    WaitList* const list = blocks_.programs().before_on_flash(source);
    if (list == nullptr) break;
    co_await list->wait();
  }
  OnfiCommand& read = fill_read(job, job.reads[index], index, 1, Origin::Rmw);
  move_frames(read, source, missing, missing);
  if (blocks_.awaits_second_pass(source)) [[unlikely]] {
    // The data are in controller memory; the model stores them with the cells.
    read.status = FlashStatus::Good;
    read.oob[0] = blocks_.programs().pending_word(source);
    if (read.tokens != nullptr)
      std::copy_n(context_.media.kept_tokens(read.address, read.first_unit), context_.sectors_per_unit, read.tokens);
    read.at.decoded = co_await hardware.dram_read(read.bytes, 0, hardware.staging_address(read.bytes));
  } else {
    read.owners = &job.owners[index];
    hardware.charge(FirmwareStep::FlashIssue, 1, blocks_.die_of(block));
    co_await hardware.flash().place(read);
    co_await FlashBatch(hardware.flash(), read);
    if (needs_recovery(read)) [[unlikely]]
      co_await recover(read);
    if (read.status != FlashStatus::Good && read.status != FlashStatus::Uncorrectable)
      throw std::logic_error("completing a unit met a page that cannot be read");
  }
  // The sectors read go beside the unit's sectors in the buffer.
  std::uint32_t first_byte = read.from - read.first_unit * unit_bytes;
  std::uint32_t bytes = read.bytes;
  if (sizes_ != nullptr) [[unlikely]] {
    first_byte = 0;
    bytes = unit_bytes;
    read.at.decoded = sizes_->restored(1, read.at.decoded);
  }
  const std::uint64_t place =
      hardware.buffer_address(std::uint64_t{layout_.unit(job.oob[index])} * unit_bytes + first_byte, bytes);
  const Picoseconds stored = co_await hardware.dram_write(bytes, read.at.decoded, place);
  job.gathered =
      std::max({job.gathered, stored, hardware.charge(FirmwareStep::FlashComplete, 1, blocks_.die_of(block))});
  check_source(job, index);
  WriteUnit& write = *job.writes[index];
  // If the other sectors are unreadable, the whole unit counts as lost on flash. The buffer still serves the sectors
  // that the host has written.
  const bool lost = read.status == FlashStatus::Uncorrectable || OobLayout::lost(job.read_oob[index]);
  read.oob = nullptr;  // as in recover_reads()
  if (lost) [[unlikely]] {
    if (!OobLayout::lost(job.read_oob[index])) hardware.flash().ecc()->count_lost(1);
    note_lost(job, index);
    write.rest_lost = true;
  }
  for (std::uint32_t sector = 0; context_.verify && !lost && sector < context_.sectors_per_unit; ++sector)
    if (((write.sectors >> sector) & 1) == 0 && !fault(Fault::FillDropped))
      write.tokens[sector] = job.read_tokens[first + sector];
  if (!lost) write.sectors = all_sectors_;
  blocks_.waits().read_done(block);
  if (--job.completing == 0) job.completed.wake_all();
  write.listener->on_filled(write);
  blocks_.waits().events(blocks_.die_of(job.block)).durable.wake_all();  // a host read may wait for the whole unit
}

void ProgramReads::another_than_mapped(std::uint32_t unit) {
  throw std::logic_error("flash returned another unit than the map says, unit " + std::to_string(unit));
}

bool ProgramReads::can_copy_back(const ProgramJob& job) const {
  const NandGeometry& geometry = context_.geometry;
  if (!job.failures.empty()) return false;  // after a failed program the register's data are gone
  if (!geometry.copyback || geometry.program_pages != geometry.planes_together || job.copied != units_per_program_ ||
      job.command.origin == Origin::Map)
    return false;
  const BlockNumber from = blocks_.block_of(job.source[0]);
  const std::uint32_t in_block = blocks_.offset_in_block(job.source[0], from);
  if (blocks_.die_of(from) != job.die() || in_block % units_per_program_ != 0) return false;
  for (std::uint32_t index = 1; index < units_per_program_; ++index)
    if (job.source[index] != job.source[0] + index) return false;
  return geometry.plane_of(Block{blocks_.block_of_die(from)}, Page{blocks_.page_of(in_block)}) ==
         geometry.plane_of(Block{blocks_.block_of_die(job.block)}, Page{job.first_page});
}

OnfiCommand& ProgramReads::copyback(ProgramJob& job) const {
  for (std::uint32_t page = 0; page < context_.geometry.program_pages; ++page) {
    const std::uint32_t index = page * units_per_page_;
    OnfiCommand& read = fill_read(job, job.reads[page], index, units_per_page_, job.command.origin);
    read.bytes = 0;
    read.oob = job.oob + index;  // keeps the words: a copy keeps its unit and version
    read.tokens = context_.verify ? job.tokens + std::size_t{index} * context_.sectors_per_unit : nullptr;
    if (page != 0) job.reads[page - 1].together = &read;
  }
  job.reads[0].then = &job.command;
  job.command.bytes = 0;
  return job.reads[0];
}

void ProgramReads::check_copyback(const ProgramJob& job) const {
  for (std::uint32_t page = 0; page < context_.geometry.program_pages; ++page)
    if (job.reads[page].status != FlashStatus::Good)
      throw std::logic_error("a copyback met a page that cannot be read");
  const std::size_t first = std::size_t{job.first_page} * units_per_page_;
  const OobWord* const expected = &blocks_[job.block].pending->oob[first];
  if (!std::equal(expected, expected + job.filled, job.oob))
    throw std::logic_error("a copyback moved other units than the map says");
}

}  // namespace flashloom
