#include "controllers/ftl/blocks/eraser.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

Eraser::Eraser(const FtlContext& context, BlockTable& blocks)
    : context_(context), blocks_(blocks), nothing_(context.geometry.units_per_program()) {}

void Eraser::start(BlockNumber block, Origin origin, std::uint64_t collection) {
  const Decided decided{blocks_.pending_erase(block), blocks_[block].state == BlockState::Bad};
  under_way_.push_back(decided.erase);
  Runtime::current().spawn([=, this] { return erase(decided, origin, collection); });
}

Task<void> Eraser::erase(Decided decided, Origin origin, std::uint64_t collection) {
  const BlockNumber block = decided.erase.block;
  co_await context_.hardware.cpu(FirmwareStep::VictimSelect, 1, 0, blocks_.die_of(block));
  if (!fault(Fault::EarlyErase))
    while (WaitList* const list = blocks_.waits().before_erase(decided.erase)) co_await list->wait();
  while (!comes_first(decided.erase)) co_await blocks_.waits().events(blocks_.die_of(block)).erased.wait();
  if (context_.geometry.limits_erases() && !fault(Fault::EraseUnpadded)) co_await fill(block, collection);
  OnfiCommand command;
  command.operation = FlashOperation::Erase;
  command.origin = origin;
  command.address = blocks_.address(block, 0);
  if (collection != 0) command.owners = &collection;
  co_await context_.hardware.flash().place(command);
  co_await FlashBatch(context_.hardware.flash(), command);
  if (decided.fails) {
    // Some worn-out blocks fail only when programmed, so one program tests the block at once. On a dead die the test is
    // skipped.
    if (command.status == FlashStatus::Failed || blocks_.dead(blocks_.die_of(block))) co_return done(decided.erase);
    command = program(command.address, blocks_.in_slc_mode(block));
    command.origin = origin;
    if (collection != 0) command.owners = &collection;
    co_await context_.hardware.flash().place(command);
    co_await FlashBatch(context_.hardware.flash(), command);
    if (command.status != FlashStatus::Failed)
      throw std::logic_error("a block that is taken for bad can be programmed");
    co_return done(decided.erase);
  }
  if (command.status == FlashStatus::Failed) throw std::logic_error("a block failed that is not taken for bad");
  if (observer_ != nullptr) observer_->erased(block);
  done(decided.erase);
}

// A block may be released again, still empty, before its erase is done.
bool Eraser::comes_first(const PendingErase& erase) const {
  return std::ranges::none_of(under_way_, [&erase](const PendingErase& other) {
    return other.block == erase.block && other.number < erase.number;
  });
}

void Eraser::done(const PendingErase& erase) {
  under_way_.erase(std::ranges::find(under_way_, erase));
  blocks_.waits().erase_done(erase);
}

// A power cut in between leaves a released block with some more padding.
Task<void> Eraser::fill(BlockNumber block, std::uint64_t collection) {
  const NandMedia& media = context_.media;
  FlashAddress next = blocks_.address(block, 0);
  const std::uint32_t pages = media.pages_before_erase(next.die, next.block);
  const bool slc = media.in_slc_mode(next.die, next.block);
  const std::uint32_t first = media.write_pointer(next.die, next.block);
  for (std::uint32_t page = 0; page < pages; page += context_.geometry.program_pages) {
    next.page = Page{first + page};
    OnfiCommand command = program(next, slc);
    command.origin = Origin::Padding;
    if (collection != 0) command.owners = &collection;
    co_await context_.hardware.flash().place(command);
    co_await FlashBatch(context_.hardware.flash(), command);
  }
}

OnfiCommand Eraser::program(const FlashAddress& address, bool slc) {
  OnfiCommand command;
  command.operation = FlashOperation::Program;
  command.address = address;
  command.units = static_cast<std::uint16_t>(nothing_.size());
  command.bytes = context_.geometry.program_bytes(address.page, slc);
  command.unused_units = command.units - context_.geometry.whole_units_per_program();
  command.oob = nothing_.data();
  return command;
}

}  // namespace flashloom
