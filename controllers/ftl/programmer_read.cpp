// The reading side of the programmer: what must be there before a program unit can be programmed.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "controllers/ftl/programmer.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

// The command that reads `units` units of one page into the job's room for its units from `index` on.
OnfiCommand& Programmer::fill_read(ProgramJob& job, OnfiCommand& read, std::uint32_t index, std::uint32_t units,
                                   Origin origin) const {
  const BlockNumber block = blocks_.block_of(job.source[index]);
  const std::uint32_t in_block = job.source[index] - block * blocks_.units_per_block();
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
    const BlockNumber block = blocks_.block_of(source);
    const std::uint32_t in_block = source - block * blocks_.units_per_block();
    const std::uint32_t page = blocks_.page_of(in_block);
    std::uint32_t run = 1;
    while (index + run < job.filled && job.source[index + run] == source + run && job.writes[index + run] == nullptr &&
           blocks_.page_of(in_block + run) == page)
      ++run;
    if (!blocks_.programmed(blocks_[block], page) && !group.empty()) {
      co_await hardware.flash().place(group.first());
      batch.submit(hardware.flash(), group.take());
    }
    while (!blocks_.programmed(blocks_[block], page)) co_await blocks_.events(blocks_.die_of(block)).durable.wait();
    const bool of_gc = job.command.origin == Origin::Gc;
    OnfiCommand& read = fill_read(job, job.reads[index], index, run,
                                  job.command.origin == Origin::Host ? Origin::Merge : job.command.origin);
    read.owners = of_gc ? job.owners : nullptr;
    bytes += read.bytes;
    ++commands;
    index += run;
    hardware.charge(FirmwareStep::FlashIssue);
    if (group.add(read, context_.geometry)) continue;
    co_await hardware.flash().place(group.first());
    batch.submit(hardware.flash(), group.take());
    group.add(read, context_.geometry);
  }
  if (!group.empty()) {
    co_await hardware.flash().place(group.first());
    batch.submit(hardware.flash(), group.take());
  }
  co_await batch;
  const Picoseconds stored = co_await hardware.dram_write(bytes);
  job.gathered = std::max(stored, hardware.charge(FirmwareStep::FlashComplete, commands));
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    const PhysicalUnit source = job.source[index];
    if (source == kNoPhysicalUnit || job.writes[index] != nullptr) continue;
    if (job.reads[index].status != FlashStatus::Good)  // of the first unit of each command
      throw std::logic_error("gathering for a program met a page that cannot be read");
    check_source(job, index);
    const auto first = static_cast<std::ptrdiff_t>(std::size_t{index} * context_.sectors_per_unit);
    if (context_.verify && !fault(Fault::StaleCopy))
      std::copy_n(job.read_tokens + first, context_.sectors_per_unit, job.tokens + first);
  }
}

void Programmer::check_source(const ProgramJob& job, std::uint32_t index) const {
  const OobWord word = job.read_oob[index];
  if (!layout_.is_data(word) || layout_.unit(word) != layout_.unit(job.oob[index]))
    throw std::logic_error("flash returned another unit than the map says, unit " +
                           std::to_string(layout_.unit(job.oob[index])));
}

// Read-modify-write: the sectors of a unit that the host has not written come from its old place.
Task<void> Programmer::complete(ProgramJob& job, std::uint32_t index) {
  Hardware& hardware = context_.hardware;
  const PhysicalUnit source = job.source[index];
  const BlockNumber block = blocks_.block_of(source);
  const std::uint32_t in_block = source - block * blocks_.units_per_block();
  const std::uint32_t page = blocks_.page_of(in_block);
  const std::size_t first = std::size_t{index} * context_.sectors_per_unit;
  while (!blocks_.programmed(blocks_[block], page)) co_await blocks_.events(blocks_.die_of(block)).durable.wait();
  OnfiCommand& read = fill_read(job, job.reads[index], index, 1, Origin::Rmw);
  read.owners = &job.owners[index];
  hardware.charge(FirmwareStep::FlashIssue);
  co_await hardware.flash().place(read);
  FlashBatch batch;
  batch.submit(hardware.flash(), read);
  co_await batch;
  if (read.status != FlashStatus::Good) throw std::logic_error("completing a unit met a page that cannot be read");
  const Picoseconds stored = co_await hardware.dram_write(read.bytes);
  job.gathered = std::max({job.gathered, stored, hardware.charge(FirmwareStep::FlashComplete)});
  check_source(job, index);
  WriteUnit& write = *job.writes[index];
  for (std::uint32_t sector = 0; context_.verify && sector < context_.sectors_per_unit; ++sector)
    if (((write.sectors >> sector) & 1) == 0 && !fault(Fault::FillDropped))
      write.tokens[sector] = job.read_tokens[first + sector];
  write.sectors = all_sectors_;
  blocks_.read_done(block);
  if (--job.completing == 0) job.completed.wake_all();
  write.listener->on_filled(write);
  blocks_.events(blocks_.die_of(job.block)).durable.wake_all();  // a read may wait for the whole unit
}

}  // namespace flashloom
