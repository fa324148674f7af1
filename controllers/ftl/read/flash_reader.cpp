#include "controllers/ftl/read/flash_reader.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "controllers/hardware/read_retry.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

FlashReader::FlashReader(const FtlContext& context, BlockTable& blocks, const Programmer& programmer,
                         const OobLayout& layout)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      layout_(layout),
      groups_(context.geometry.reads_together() ? context.geometry.dies : 0) {}

void FlashReader::add(Batch& batch, const ReadUnit& unit, PhysicalUnit place) {
  const PhysicalUnit where = programmer_.readable(place);
  if (open_ != nullptr && open_->batch == &batch && where == open_->first + open_->units.size() &&
      blocks_.unit_of_page(where) != 0) {
    open_->units.push_back(unit);
    return;
  }
  if (free_.empty()) [[unlikely]]
    enlarge_pool();
  PageRead& page = *free_.back();
  free_.pop_back();
  page.batch = &batch;
  page.block = blocks_.block_of(where);
  page.first = where;
  page.units.clear();
  page.units.push_back(unit);
  page.next = open_;
  open_ = &page;
  ++batch.pages;
  ++batch.pending;
  ++blocks_[page.block].reads_in_flight;
}

void FlashReader::enlarge_pool() {
  const std::uint32_t units_per_page = context_.geometry.units_per_page;
  auto& created = *pages_.emplace_back(std::make_unique<PageRead>());
  created.reader = this;
  created.oob.resize(units_per_page);
  created.tokens.resize(context_.verify ? std::size_t{units_per_page} * context_.sectors_per_unit : 0);
  created.units.reserve(units_per_page);
  free_.push_back(&created);
}

void FlashReader::issue(Batch& batch) {
  batch.runtime = &Runtime::current();
  // Collected newest first; issue in the order of the units.
  PageRead* pages = nullptr;
  while (open_ != nullptr) {
    PageRead* const page = std::exchange(open_, open_->next);
    page->next = std::exchange(pages, page);
  }
  while (pages != nullptr) {
    PageRead& page = *std::exchange(pages, pages->next);
    const std::uint32_t in_block = blocks_.offset_in_block(page.first, page.block);
    OnfiCommand& command = page.command;
    command.operation = FlashOperation::Read;
    command.origin = Origin::Host;
    command.address = blocks_.address(page.block, blocks_.page_of(in_block));
    command.first_unit = static_cast<std::uint16_t>(blocks_.unit_of_page(in_block));
    command.units = static_cast<std::uint16_t>(page.units.size());
    command.bytes = command.units * context_.geometry.unit_bytes;
    command.oob = page.oob.data();
    command.tokens = context_.verify ? page.tokens.data() : nullptr;
    command.completion = &page;
    command.owners = &batch.request->number;
    command.flow = batch.request->flow;
    if (groups_.empty()) [[likely]] {
      submit(command);
      continue;
    }
    ReadGroup& group = groups_[blocks_.die_of(page.block)];
    if (group.empty()) waiting_.push_back(&group);
    if (group.add(command, context_.geometry)) continue;
    submit(group.take());
    group.add(command, context_.geometry);
  }
  for (ReadGroup* group : waiting_) submit(group->take());
  waiting_.clear();
}

void FlashReader::submit(OnfiCommand& first) {
  if (context_.hardware.flash().limited()) [[unlikely]]
    Runtime::current().spawn([this, &first] { return submit_in_turn(first); });
  else
    submit_now(first);
}

Task<void> FlashReader::submit_in_turn(OnfiCommand& first) {
  co_await context_.hardware.flash().place(first);
  submit_now(first);
}

void FlashReader::submit_now(OnfiCommand& first) {
  if (context_.hardware.flash().submit(first)) [[unlikely]]
    for_each_of_group(first, [](OnfiCommand& each) { each.completion->on_flash_complete(each); });
}

void FlashReader::complete(PageRead& page) {
  if (needs_recovery(page.command)) [[unlikely]]
    page.batch->runtime->spawn([this, &page] { return recover(page); });
  else
    finish(page);
}

Task<void> FlashReader::recover(PageRead& page) {
  page.batch->request->breakdown->attribute(page.command.at);
  co_await recover_read(context_.hardware, page.command);
  page.batch->request->breakdown->attribute(LatencyPart::Array, page.command.at.queued);
  finish(page);
}

void FlashReader::finish(PageRead& page) {
  deliver(page);
  blocks_.read_done(page.block);
  if (context_.hardware.moves_at_once()) [[likely]]
    stream_at_once(page);
  else
    page.batch->runtime->spawn([this, &page] { return stream(page); });
}

// The host gets the sectors that it asked for, though flash gives whole units.
FlashReader::Streamed FlashReader::begin_stream(PageRead& page) {
  std::uint64_t sectors = 0;
  for (const ReadUnit& unit : page.units) sectors += static_cast<std::uint64_t>(std::popcount(unit.sectors));
  const std::uint64_t wanted = sectors * (context_.geometry.unit_bytes / context_.sectors_per_unit);
  page.batch->request->sent += wanted;
  return {.wanted = wanted,
          .place = context_.hardware.staging_address(page.command.bytes),
          .noted = context_.hardware.charge(FirmwareStep::FlashComplete, 1, page.command.address.die.value())};
}

void FlashReader::stream_at_once(PageRead& page) {
  ReadRequest& request = *page.batch->request;
  Hardware& hardware = context_.hardware;
  Streamed streamed = begin_stream(page);
  const auto at_once = [](Hardware::MoveAwaiter&& move) { return Hardware::at_once(std::move(move)); };
  streamed.stored = at_once(hardware.dram_write(page.command.bytes, page.command.at.decoded, streamed.place));
  streamed.fetched = streamed.stored;
  if (request.to_host) [[likely]] {
    streamed.fetched = at_once(hardware.dram_read(streamed.wanted, streamed.stored, streamed.place));
    if (request.setup != 0) [[unlikely]]
      at_once(hardware.to_host(std::exchange(request.setup, 0), streamed.fetched));
    request.data_done = std::max(request.data_done, at_once(hardware.to_host(streamed.wanted, streamed.fetched)));
  }
  end_stream(page, streamed);
}

// The same where a memory may keep its answer waiting.
Task<void> FlashReader::stream(PageRead& page) {
  ReadRequest& request = *page.batch->request;
  Hardware& hardware = context_.hardware;
  Streamed streamed = begin_stream(page);
  const Picoseconds stored = co_await hardware.dram_write(page.command.bytes, page.command.at.decoded, streamed.place);
  streamed.stored = streamed.fetched = stored;
  if (request.to_host) [[likely]] {
    const Picoseconds fetched = co_await hardware.dram_read(streamed.wanted, stored, streamed.place);
    streamed.fetched = fetched;
    if (request.setup != 0) [[unlikely]]
      co_await hardware.to_host(std::exchange(request.setup, 0), fetched);
    const Picoseconds sent = co_await hardware.to_host(streamed.wanted, fetched);
    request.data_done = std::max(request.data_done, sent);
  }
  end_stream(page, streamed);
}

void FlashReader::end_stream(PageRead& page, const Streamed& streamed) {
  Batch& batch = *page.batch;
  ReadRequest& request = *batch.request;
  request.ready = std::max({request.ready, streamed.noted, streamed.stored});
  free_.push_back(&page);
  if (--batch.pending != 0) return;
  // The page that the request waited for longest.
  request.breakdown->attribute(page.command.at);
  request.breakdown->attribute(LatencyPart::Array, page.command.at.decoded);
  request.breakdown->attribute(LatencyPart::Dram, streamed.fetched);
  if (batch.waiter) batch.runtime->wake(batch.waiter);
}

void FlashReader::refuse(const ReadUnit& wanted) {
  throw std::logic_error("flash returned another unit than the map says, unit " + std::to_string(wanted.unit));
}

void FlashReader::deliver(PageRead& page) {
  if (page.command.status != FlashStatus::Good) [[unlikely]] {
    page.batch->request->failed = true;
    return;
  }
  for (std::size_t i = 0; i < page.units.size(); ++i) {
    const ReadUnit& wanted = page.units[i];
    if (!layout_.is_data(page.oob[i]) || layout_.unit(page.oob[i]) != wanted.unit) [[unlikely]]
      refuse(wanted);
    if (OobLayout::lost(page.oob[i])) [[unlikely]] {
      page.batch->request->failed = true;
      continue;
    }
    for (std::uint32_t sector = 0; wanted.tokens != nullptr && sector < context_.sectors_per_unit; ++sector)
      if ((wanted.sectors >> sector) & 1)
        wanted.tokens[sector - wanted.first_sector] =
            page.tokens[i * context_.sectors_per_unit + (fault(Fault::WrongSector) ? sector ^ 1 : sector)];
  }
}

}  // namespace flashloom
