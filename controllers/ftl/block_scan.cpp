#include "controllers/ftl/block_scan.hpp"

#include <algorithm>

#include "controllers/runtime/flash_batch.hpp"
#include "controllers/runtime/hardware.hpp"

namespace flashloom {

BlockScan::BlockScan(const FtlContext& context, const BlockTable& blocks)
    : context_(context),
      blocks_(blocks),
      found_(blocks.size()),
      written_(std::size_t{blocks.size()} * context.geometry.pages),
      dies_left_(context.geometry.dies) {}

Task<void> BlockScan::run() {
  for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
    Runtime::current().spawn([this, die] { return scan_die(die); });
  while (dies_left_ != 0) co_await done_.wait();
}

Task<void> BlockScan::scan_die(std::uint32_t die) {
  const std::uint32_t units = context_.geometry.units_per_page;
  std::vector<OobWord> oob(units);
  OnfiCommand command;
  command.operation = FlashOperation::Read;
  command.origin = Origin::Recovery;
  command.units = static_cast<std::uint16_t>(units);
  command.bytes = static_cast<std::uint32_t>(units * sizeof(OobWord));
  command.oob = oob.data();
  for (std::uint32_t of_die = 0; of_die < context_.geometry.blocks; ++of_die) {
    const BlockNumber block = die * context_.geometry.blocks + of_die;
    Block& found = found_[block];
    for (std::uint32_t page = 0; page < context_.geometry.pages; ++page) {
      command.address = blocks_.address(block, page);
      command.status = FlashStatus::Good;
      FlashBatch batch;
      co_await context_.hardware.flash().place(command);
      batch.submit(context_.hardware.flash(), command);
      co_await batch;
      if (command.status == FlashStatus::Erased) {
        if (context_.geometry.in_order_program) break;
        continue;
      }
      found.pages = page + 1;
      written_[index(block, page)] = 1;
      if (command.status == FlashStatus::Good) {
        found.sequence = command.sequence;
        newest_sequence_ = std::max(newest_sequence_, command.sequence);
      }
    }
    // An erase that was broken off leaves nothing that can be read.
    found.torn_erase = found.pages != 0 && found.sequence == 0;
  }
  if (--dies_left_ == 0) done_.wake_all();
}

}  // namespace flashloom
