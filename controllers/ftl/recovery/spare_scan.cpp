#include "controllers/ftl/recovery/spare_scan.hpp"

#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/hardware/read_retry.hpp"
#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

Task<void> SpareScan::read_page(OnfiCommand& command, BlockNumber block, std::uint32_t page) {
  command.operation = FlashOperation::Read;
  command.origin = Origin::Recovery;
  command.address = numbers_.address(block, page);
  command.status = FlashStatus::Good;
  co_await context_.hardware.flash().place(command);
  co_await FlashBatch(context_.hardware.flash(), command);
  if (needs_recovery(command)) [[unlikely]]
    co_await recover_read(context_.hardware, command, true);  // reads of spare areas alone never need it
  ++report_.reads;
  if (command.status == FlashStatus::Corrupt)
    command.status = fault(Fault::GarbageTaken) ? FlashStatus::Good : FlashStatus::Torn;
  if (command.status == FlashStatus::Torn) ++report_.torn_pages;
}

Task<void> SpareScan::read_log(BlockNumber block, const OobLayout& layout, LogEntries& entries) {
  SpareRead spare = spare_read();
  spare.command.bytes = context_.geometry.page_bytes;
  spare.command.spare_only = false;
  const std::uint32_t together = context_.geometry.program_pages;
  OobWord word = 0;
  std::uint32_t whole = 0;
  for (std::uint32_t page = 0; page < context_.geometry.pages; ++page) {
    co_await read_page(spare.command, block, page);
    if (spare.command.status == FlashStatus::Erased) break;
    ++report_.log_pages;
    if (page % together == 0) whole = 0;
    if (spare.command.status == FlashStatus::Torn || !layout.is_metadata(spare.words[0])) continue;
    if (whole != 0 && spare.words[0] != word) whole = 0;
    word = spare.words[0];
    entries.seen(layout.version(word));
    if (++whole == together)
      entries.add({.number = layout.version(word), .block = block, .words = &context_.media.content(word)});
  }
}

}  // namespace flashloom
