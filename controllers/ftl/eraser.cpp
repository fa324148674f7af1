#include "controllers/ftl/eraser.hpp"

#include "controllers/runtime/fault.hpp"
#include "controllers/runtime/flash_batch.hpp"
#include "controllers/runtime/hardware.hpp"

namespace flashloom {

void Eraser::start(BlockNumber block, Origin origin, std::uint64_t collection) {
  Runtime::current().spawn([this, block, origin, collection] { return erase(block, origin, collection); });
}

Task<void> Eraser::erase(BlockNumber block, Origin origin, std::uint64_t collection) {
  BlockInfo& info = blocks_[block];
  BlockTable::Events& events = blocks_.events(blocks_.die_of(block));
  co_await context_.hardware.cpu(FirmwareStep::VictimSelect, 1);
  while (!blocks_.unused(block) && !fault(Fault::EarlyErase)) co_await events.unused.wait();
  OnfiCommand command;
  command.operation = FlashOperation::Erase;
  command.origin = origin;
  command.address = blocks_.address(block, 0);
  if (collection != 0) command.owners = &collection;
  co_await context_.hardware.flash().place(command);
  FlashBatch batch;
  batch.submit(context_.hardware.flash(), command);
  co_await batch;
  info.erased = true;
  events.erased.wake_all();
}

}  // namespace flashloom
