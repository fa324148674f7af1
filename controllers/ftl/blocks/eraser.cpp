#include "controllers/ftl/blocks/eraser.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

Eraser::Eraser(const FtlContext& context, BlockTable& blocks)
    : context_(context), blocks_(blocks), nothing_(context.geometry.units_per_program()) {}

void Eraser::start(BlockNumber block, Origin origin, std::uint64_t collection) {
  const PendingErase decided = blocks_.pending_erase(block);
  const bool fails = blocks_[block].state == BlockState::Bad;
  under_way_.push_back(decided);
  Runtime::current().spawn([=, this] { return erase(decided, fails, origin, collection); });
}

Task<void> Eraser::erase(PendingErase decided, bool fails, Origin origin, std::uint64_t collection) {
  const BlockNumber block = decided.block;
  const FlashAddress address = blocks_.address(block, 0);
  FlashPort& flash = context_.hardware.flash();
  co_await context_.hardware.cpu(FirmwareStep::VictimSelect, 1, 0, address.die.value());
  if (!fault(Fault::EarlyErase))
    while (WaitList* const list = blocks_.waits().before_erase(decided)) co_await list->wait();
  while (!comes_first(decided)) co_await blocks_.waits().events(address.die.value()).erased.wait();
  if (context_.geometry.limits_erases() && !fault(Fault::EraseUnpadded)) co_await fill(block, collection);
  OnfiCommand erase = command(FlashOperation::Erase, address, false, origin, collection);
  co_await flash.place(erase);
  co_await FlashBatch(flash, erase);
  const bool failed = erase.status == FlashStatus::Failed;
  if (failed && !fails) throw std::logic_error("a block failed that is not taken for bad");
  // Some worn-out blocks fail only when programmed, so one program tests the block at once. On a dead die the test is
  // skipped.
  if (fails && !failed && !blocks_.dead(address.die.value())) {
    OnfiCommand test = command(FlashOperation::Program, address, blocks_.in_slc_mode(block), origin, collection);
    co_await flash.place(test);
    co_await FlashBatch(flash, test);
    if (test.status != FlashStatus::Failed) throw std::logic_error("a block that is taken for bad can be programmed");
  }
  if (!fails && observer_ != nullptr) observer_->erased(block);
  under_way_.erase(std::ranges::find(under_way_, decided));
  blocks_.waits().erase_done(decided);
}

// A block may be released again, still empty, before its erase is done.
bool Eraser::comes_first(const PendingErase& erase) const {
  return std::ranges::none_of(under_way_, [&erase](const PendingErase& other) {
    return other.block == erase.block && other.number < erase.number;
  });
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
    OnfiCommand padding = command(FlashOperation::Program, next, slc, Origin::Padding, collection);
    co_await context_.hardware.flash().place(padding);
    co_await FlashBatch(context_.hardware.flash(), padding);
  }
}

OnfiCommand Eraser::command(FlashOperation operation, const FlashAddress& address, bool slc, Origin origin,
                            const std::uint64_t& collection) {
  OnfiCommand command;
  command.operation = operation;
  command.origin = origin;
  command.address = address;
  if (collection != 0) command.owners = &collection;
  if (operation == FlashOperation::Erase) return command;
  command.units = static_cast<std::uint16_t>(nothing_.size());
  command.bytes = context_.geometry.program_bytes(address.page, slc);
  command.unused_units = command.units - context_.geometry.whole_units_per_program();
  command.oob = nothing_.data();
  return command;
}

}  // namespace flashloom
