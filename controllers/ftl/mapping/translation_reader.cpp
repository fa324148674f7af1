#include "controllers/ftl/mapping/translation_reader.hpp"

#include <stdexcept>

#include "controllers/ftl/unit_sizes.hpp"
#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/hardware/read_retry.hpp"

namespace flashloom {

Task<void> TranslationReader::read(TranslationFetch fetch) {
  const BlockNumber block = blocks_.block_of(fetch.place);
  const std::uint32_t in_block = blocks_.offset_in_block(fetch.place, block);
  while (WaitList* const list = blocks_.programs().before_on_flash(fetch.place)) co_await list->wait();
  Hardware& hardware = context_.hardware;
  hardware.charge(FirmwareStep::FlashIssue, 1, blocks_.die_of(block));
  OobWord word = 0;
  OnfiCommand read;
  read.operation = FlashOperation::Read;
  read.origin = fetch.origin;
  read.address = blocks_.address(block, blocks_.page_of(in_block));
  read.first_unit = static_cast<std::uint16_t>(blocks_.unit_of_page(in_block));
  read.units = 1;
  const NandGeometry& geometry = context_.geometry;
  read.from = read.first_unit * geometry.unit_bytes + fetch.span.skipped;
  read.bytes = fetch.span.bytes;
  if (context_.sizes != nullptr) [[unlikely]]
    context_.sizes->locate_part(read, blocks_, fetch.place, fetch.span.skipped);
  read.oob = &word;
  co_await hardware.flash().place(read);
  co_await FlashBatch(hardware.flash(), read);
  if (needs_recovery(read)) [[unlikely]]
    co_await recover_read(hardware, read, true);
  if (read.status != FlashStatus::Good || !layout_.is_data(word) || layout_.unit(word) != first_unit_ + fetch.page)
    throw std::logic_error("a translation page is not where the GTD says");
  const Picoseconds stored =
      co_await hardware.dram_write(read.bytes, read.at.decoded, hardware.staging_address(read.bytes));
  co_await hardware.cpu(FirmwareStep::FlashComplete, 1, stored, blocks_.die_of(block));
  blocks_.waits().read_done(block);
  if (fetch.kept != 0 && fetch.kept == host_.tenure()) co_await host_.write_page();
}

Task<void> TranslationReader::read_shared(TranslationFetch fetch, std::uint32_t& pending, WaitList& all) {
  Shared shared{fetch};
  shared_.push_back(&shared);
  co_await read(fetch);
  std::erase(shared_, &shared);
  shared.over.wake_all();
  if (--pending == 0) all.wake_all();
}

Task<void> TranslationReader::share(WaitList& under_way, std::uint32_t& pending, WaitList& all) {
  co_await under_way.wait();
  if (--pending == 0) all.wake_all();
}

WaitList* TranslationReader::under_way(const TranslationFetch& fetch) const {
  const std::uint32_t end = fetch.span.skipped + fetch.span.bytes;
  for (Shared* const other : shared_) {
    const TranslationFetch& read = other->fetch;
    if (read.place == fetch.place && read.span.skipped <= fetch.span.skipped &&
        end <= read.span.skipped + read.span.bytes)
      return &other->over;
  }
  return nullptr;
}

}  // namespace flashloom
