#include "controllers/ftl/spare_scan.hpp"

#include "controllers/runtime/fault.hpp"
#include "controllers/runtime/flash_batch.hpp"
#include "controllers/runtime/hardware.hpp"

namespace flashloom {

Task<void> SpareScan::read_page(OnfiCommand& command, BlockNumber block, std::uint32_t page) {
  command.operation = FlashOperation::Read;
  command.origin = Origin::Recovery;
  command.address = numbers_.address(block, page);
  command.status = FlashStatus::Good;
  FlashBatch batch;
  co_await context_.hardware.flash().place(command);
  batch.submit(context_.hardware.flash(), command);
  co_await batch;
  ++report_.reads;
  if (command.status == FlashStatus::Corrupt)
    command.status = fault(Fault::GarbageTaken) ? FlashStatus::Good : FlashStatus::Torn;
  if (command.status == FlashStatus::Torn) ++report_.torn_pages;
}

}  // namespace flashloom
