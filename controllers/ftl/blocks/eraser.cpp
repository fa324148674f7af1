#include "controllers/ftl/blocks/eraser.hpp"

#include <stdexcept>
#include <vector>

#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

void Eraser::start(BlockNumber block, Origin origin, std::uint64_t collection) {
  Runtime::current().spawn([this, block, origin, collection] { return erase(block, origin, collection); });
}

Task<void> Eraser::erase(BlockNumber block, Origin origin, std::uint64_t collection) {
  BlockInfo& info = blocks_[block];
  BlockTable::Events& events = blocks_.events(blocks_.die_of(block));
  co_await context_.hardware.cpu(FirmwareStep::VictimSelect, 1, 0, blocks_.die_of(block));
  while (!blocks_.unused(block) && !fault(Fault::EarlyErase)) co_await events.unused.wait();
  if (blocks_.superblocks() != nullptr)
    for (BlockNumber sibling; (sibling = needed_sibling(block)) != kNoBlockNumber;)
      co_await blocks_.events(blocks_.die_of(sibling)).unused.wait();
  OnfiCommand command;
  command.operation = FlashOperation::Erase;
  command.origin = origin;
  command.address = blocks_.address(block, 0);
  if (collection != 0) command.owners = &collection;
  co_await context_.hardware.flash().place(command);
  co_await FlashBatch(context_.hardware.flash(), command);
  if (info.state == BlockState::Bad) {
    // Some worn-out blocks fail only when they are programmed: that is tried at once.
    if (command.status == FlashStatus::Failed) co_return;
    std::vector<OobWord> words(context_.geometry.units_per_program());
    command.operation = FlashOperation::Program;
    command.units = static_cast<std::uint16_t>(words.size());
    command.bytes = context_.geometry.program_pages * context_.geometry.page_bytes;
    command.oob = words.data();
    co_await context_.hardware.flash().place(command);
    FlashBatch program;
    program.submit(context_.hardware.flash(), command);
    co_await program;
    if (command.status != FlashStatus::Failed)
      throw std::logic_error("a block that is taken for bad can be programmed");
    co_return;
  }
  if (command.status == FlashStatus::Failed) throw std::logic_error("a block failed that is not taken for bad");
  info.erased = true;
  if (observer_ != nullptr) observer_->erased(block);
  events.erased.wake_all();
}

// A member of its superblock that was given up with it, and is still needed: then all of them may be, after a power
// cut.
BlockNumber Eraser::needed_sibling(BlockNumber block) const {
  const Superblocks& all = *blocks_.superblocks();
  for (std::uint32_t n = 0; n < all.members(); ++n) {
    const BlockNumber sibling = all.member(all.of(block), n);
    if (blocks_[sibling].given_up() && !blocks_.unused(sibling)) return sibling;
  }
  return kNoBlockNumber;
}

}  // namespace flashloom
