#include "controllers/ftl/read/flash_reader.hpp"

#include <algorithm>
#include <utility>

#include "controllers/hardware/read_retry.hpp"

namespace flashloom {

void FlashReader::PageRead::foresee() const {
  prefetch_lines(this, sizeof(PageRead));
  prefetch_lines(batch, 2 * kCacheLine);  // with what follows in an object that is a batch
  prefetch_lines(request, sizeof(ReadRequest) + kCacheLine);
  // It lies amid its command.
  prefetch_lines(reinterpret_cast<const std::byte*>(breakdown) - 2 * kCacheLine, 6 * kCacheLine);
}

FlashReader::FlashReader(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout)
    : context_(context), blocks_(blocks), programmer_(programmer), layout_(layout), groups_(context.geometry) {}

void FlashReader::add(Batch& batch, const ReadUnit& unit, PhysicalUnit where) {
  if (last_ != nullptr && where == last_->first + last_->units.size() && blocks_.unit_of_page(where) != 0) {
    last_->units.push_back(unit);
    return;
  }
  if (free_.empty()) [[unlikely]]
    enlarge_pool();
  PageRead& page = *free_.back();
  free_.pop_back();
  page.batch = &batch;
  page.request = batch.request;
  page.breakdown = batch.request->breakdown;
  page.block = blocks_.block_of(where);
  page.first = where;
  page.units.clear();
  page.units.push_back(unit);
  page.next = nullptr;
  (last_ == nullptr ? first_ : last_->next) = &page;
  last_ = &page;
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
  // Fields common to all reads of this object, except `completion`, which a retry changes.
  OnfiCommand& command = created.command;
  command.operation = FlashOperation::Read;
  command.origin = Origin::Host;
  command.oob = created.oob.data();
  command.tokens = context_.verify ? created.tokens.data() : nullptr;
  free_.push_back(&created);
}

void FlashReader::issue(Batch& batch) {
  batch.runtime = &Runtime::current();
  OnfiCommand* const first = commands_of(batch);
  FlashPort& flash = context_.hardware.flash();
  if (flash.limits_queues()) [[unlikely]]
    submit_in_turn(first);
  else
    flash.submit_all(first);
}

OnfiCommand* FlashReader::commands_of(Batch& batch) {
  OnfiCommand* first = nullptr;
  OnfiCommand** link = &first;
  const auto append = [&link](OnfiCommand& command) {
    *link = &command;
    link = &command.next;
  };
  for (PageRead* page = std::exchange(first_, nullptr); page != nullptr; page = page->next) {
    const std::uint32_t in_block = blocks_.offset_in_block(page->first, page->block);
    OnfiCommand& command = page->command;
    command.address = blocks_.address(page->block, blocks_.page_of(in_block));
    command.first_unit = static_cast<std::uint16_t>(blocks_.unit_of_page(in_block));
    command.units = static_cast<std::uint16_t>(page->units.size());
    programmer_.reads().move_frames(command, page->first, page->units.front().sectors, page->units.back().sectors);
    command.completion = page;
    command.owners = &batch.request->number;
    command.flow = batch.request->flow;
    if (groups_.none()) [[likely]]
      append(command);
    else
      groups_.add(command, context_.media);
  }
  last_ = nullptr;
  groups_.take_all(append);
  *link = nullptr;
  return first;
}

void FlashReader::submit_in_turn(OnfiCommand* first) {
  FlashPort& flash = context_.hardware.flash();
  while (first != nullptr) {
    OnfiCommand& command = *std::exchange(first, first->next);
    if (WaitList* const place = flash.ask_place(command))
      Runtime::current().spawn([this, &command, place] { return submit_after(command, *place); });
    else
      flash.submit(command);  // false: only on the timed clock queues have a limit
  }
}

Task<void> FlashReader::submit_after(OnfiCommand& first, WaitList& place) {
  co_await place.wait();
  context_.hardware.flash().submit(first);
}

void FlashReader::deliver(PageRead& page) {
  if (page.command.status != FlashStatus::Good) [[unlikely]] {
    page.request->failed = true;
    return;
  }
  for (std::size_t i = 0; i < page.units.size(); ++i) {
    const ReadUnit& wanted = page.units[i];
    if (!layout_.is_data(page.oob[i]) || layout_.unit(page.oob[i]) != wanted.unit) [[unlikely]]
      ProgramReads::another_than_mapped(wanted.unit);
    if (OobLayout::lost(page.oob[i])) [[unlikely]] {
      page.request->failed = true;
      continue;
    }
    for (std::uint32_t sector = 0; wanted.tokens != nullptr && sector < context_.sectors_per_unit; ++sector)
      if ((wanted.sectors >> sector) & 1)
        wanted.tokens[sector - wanted.first_sector] =
            page.tokens[i * context_.sectors_per_unit + (fault(Fault::WrongSector) ? sector ^ 1 : sector)];
  }
}

// The host gets only the sectors that it asked for, although flash transfers whole frames.
void FlashReader::begin_stream(PageRead& page) {
  page.wanted = 0;
  for (const ReadUnit& unit : page.units) page.wanted += programmer_.jobs().bytes_of(unit.sectors);
  page.request->sent += page.wanted;
  page.bytes = page.command.bytes;
  if (context_.sizes != nullptr) [[unlikely]] {
    page.bytes = page.command.units * context_.geometry.unit_bytes;
    page.command.at.decoded = context_.sizes->restored(page.command.units, page.command.at.decoded);
  }
  page.place = context_.hardware.staging_address(page.bytes);
  page.noted = context_.hardware.charge(FirmwareStep::FlashComplete, 1, page.command.address.die.value());
  page.stored = page.fetched = 0;
  page.stage = PageRead::Stage::Store;
}

void FlashReader::end_stream(PageRead& page) {
  Batch& batch = *page.batch;
  ReadRequest& request = *page.request;
  request.ready = std::max({request.ready, page.noted, page.stored});
  free_.push_back(&page);
  if (--batch.pending != 0) return;
  // The last page to arrive determines the breakdown.
  page.breakdown->attribute(page.command.at);
  if (page.command.at.decoded != 0) [[unlikely]]
    page.breakdown->attribute(context_.hardware.flash().ecc() != nullptr ? LatencyPart::Array : LatencyPart::Controller,
                              page.command.at.decoded);
  page.breakdown->attribute(LatencyPart::Dram, page.fetched);
  if (batch.waiter)
    batch.runtime->wake(batch.waiter);
  else
    batch.all_read();
}

// Streams the page through DRAM and link as far as the memories answer at once; a memory that delays its answer calls
// resume_stream().
void FlashReader::stream(PageRead& page) {
  using Stage = PageRead::Stage;
  ReadRequest& request = *page.request;
  Hardware& hardware = context_.hardware;
  switch (page.stage) {
    case Stage::Store:
      page.stage = Stage::Fetch;
      if (page.move(hardware.dram_write(page.bytes, page.command.at.decoded, page.place), page.stored)) return;
      [[fallthrough]];
    case Stage::Fetch:
      if (!request.to_host) [[unlikely]] {
        page.fetched = page.stored;
        break;
      }
      page.stage = Stage::Setup;
      if (page.move(hardware.dram_read(page.wanted, page.stored, page.place), page.fetched)) return;
      [[fallthrough]];
    case Stage::Setup:
      page.stage = Stage::Send;
      if (request.setup != 0 && page.move(hardware.to_host(std::exchange(request.setup, 0), page.fetched), page.set_up))
          [[unlikely]]
        return;
      [[fallthrough]];
    case Stage::Send:
      page.stage = Stage::End;
      if (page.move(hardware.data_to_host(page.wanted, page.fetched), request.data_done)) return;
      [[fallthrough]];
    case Stage::End:
      break;
  }
  end_stream(page);
}

void FlashReader::resume_stream(PageRead& page) { stream(page); }

void FlashReader::finish(PageRead& page) {
  deliver(page);
  blocks_.waits().read_done(page.block);
  begin_stream(page);
  stream(page);
}

void FlashReader::complete(PageRead& page) {
  if (needs_recovery(page.command)) [[unlikely]]
    page.batch->runtime->spawn([this, &page] { return recover(page); });
  else
    finish(page);
}

Task<void> FlashReader::recover(PageRead& page) {
  page.breakdown->attribute(page.command.at);
  co_await programmer_.reads().recover(page.command);
  page.breakdown->attribute(LatencyPart::Array, page.command.at.queued);
  finish(page);
}

}  // namespace flashloom
