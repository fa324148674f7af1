// Swap-in and swap-out of the heap.
#include <algorithm>
#include <stdexcept>

#include "controllers/heap/object_heap.hpp"
#include "controllers/runtime/fault.hpp"
#include "controllers/runtime/until.hpp"

namespace flashloom {
Task<std::uint32_t> ObjectHeap::take_frame() {
  if (state_->pages.free_frames() == 0) {
    const Picoseconds begin = kernel_now();
    ++statistics_.stalls;
    while (state_->pages.free_frames() == 0) co_await state_->room.wait();
    statistics_.stalled_time += kernel_now() - begin;
  }
  co_return state_->pages.take_frame();
}

void ObjectHeap::give_frame(std::uint32_t frame) {
  if (frame == kNone) return;
  state_->pages.give_frame(frame);
  state_->room.wake_all();
}

void ObjectHeap::give_slot(std::uint32_t slot) {
  if (slot != kNone) state_->slots.give_back(slot);
}

// Brings the page into NVM, unless it is there, and counts the caller among its users. kNoSlot: the page is lost, and
// the access does not overwrite all of it.
Task<Slot> ObjectHeap::bring_in(const Part& part, const Object& object, Access access) {
  bool trapped = false;
  while (true) {
    Slot slot = state_->pages.find(part.page);
    if (slot != kNoSlot && state_->pages[slot].loading) {
      co_await state_->loaded.wait();
      continue;
    }
    if (slot != kNoSlot) {
      HeapPage& page = state_->pages[slot];
      ++page.users;
      ++statistics_.hits;
      if (std::exchange(page.ahead, false)) ++statistics_.read_ahead_used;
      if (page.resident) {
        state_->pages.reference(slot, access);
      } else {
        ++statistics_.leaving_hits;
        admit(slot, access);
      }
      co_return slot;
    }
    if (!trapped) {
      trapped = true;
      co_await Until(timers_, kernel_now() + config_.fault_latency);
      continue;
    }
    const PagePlace entry = entry_of(part.page);
    const bool lost = entry.kind == PagePlace::Kind::Lost;
    const bool overwritten = access == Access::Write && (lost ? all(part, object) || fault(Fault::LostMadeGood)
                                                              : whole(part) && !config_.fetch_overwritten);
    if (lost && !overwritten) [[unlikely]]
      co_return kNoSlot;
    if (access == Access::Write && (entry.kind == PagePlace::Kind::Nowhere || overwritten)) {
      slot = state_->pages.enter(part.page);
      if (entry.kind == PagePlace::Kind::Swap) state_->pages[slot].slot = entry.number;
      ++state_->pages[slot].users;
      ++statistics_.zero_filled;
      admit(slot, access);
      co_return slot;
    }
    if (state_->pages.free_frames() == 0) {
      const std::uint32_t frame = co_await take_frame();
      give_frame(frame);
      continue;  // another operation may have brought the page meanwhile: look again
    }
    slot = state_->pages.enter(part.page);
    ++state_->pages[slot].users;
    if (co_await load(slot, object, access)) co_return slot;
  }
}

// Reads a page that has just got a place, with its successors in both the object and the swap area (read-ahead). False:
// the device cannot read it, and it is lost.
Task<bool> ObjectHeap::load(Slot slot, const Object& object, Access access) {
  HeapPages& pages = state_->pages;
  pages[slot].loading = true;
  pages[slot].frame = pages.take_frame();
  const std::uint32_t first = pages[slot].number;
  const PagePlace entry = entry_of(first);
  NvramContents::Write contents;
  if (entry.kind == PagePlace::Kind::Nowhere) {
    ++statistics_.zero_filled;
    admit(slot, access);
    if (layout_.tokens) contents = begin_contents(pages[slot].frame, {first, 0, 0, nullptr}, kNone);
    co_await persist(&contents, 1, layout_.page_bytes, 0);
    pages[slot].loading = false;
    state_->loaded.wake_all();
    co_return true;
  }
  Transfer& transfer = take_transfer(IoOperation::Read);
  pages[slot].slot = entry.number;
  transfer.items.push_back({slot, pages[slot].frame, entry.number});
  admit(slot, access);
  const std::uint32_t most = std::min(config_.read_ahead, std::max(1U, pages.capacity() / 4));
  for (std::uint32_t i = 1; i < most && first + i < object.first + object.pages; ++i) {
    const PagePlace next = entry_of(first + i);
    if (!(next == PagePlace{PagePlace::Kind::Swap, entry.number + i}) || pages.find(first + i) != kNoSlot ||
        pages.free_frames() <= config_.cluster)
      break;
    const Slot ahead = pages.enter(first + i);
    pages[ahead].loading = pages[ahead].ahead = true;
    pages[ahead].frame = pages.take_frame();
    pages[ahead].slot = next.number;
    transfer.items.push_back({ahead, pages[ahead].frame, next.number});
    admit(ahead, Access::Read);
    ++statistics_.read_ahead;
  }
  prepare(transfer);
  bool good = co_await submit(transfer);
  if (!good && transfer.items.size() > 1) [[unlikely]]
    good = co_await read_alone(transfer);
  if (!good) [[unlikely]] {
    free_transfers_.push_back(&transfer);
    co_await lose(slot, entry.number);
    co_return false;
  }
  const std::size_t count = transfer.items.size();
  statistics_.swapped_in += count;
  ++statistics_.swap_ins;
  for (std::size_t i = 0; layout_.tokens && i < count; ++i) {
    const NvramContents::Write write = begin_contents(transfer.items[i].frame,
                                                      {.page = first,
                                                       .first = 0,
                                                       .sectors = layout_.page_sectors,
                                                       .tokens = &transfer.contents[i * layout_.page_sectors]},
                                                      kNone);
    if (i == 0) contents.first = write.first;
    contents.count += write.count;
  }
  co_await persist(&contents, 1, count * layout_.page_bytes, 0);
  for (const Transfer::Item& item : transfer.items) pages[item.place].loading = false;
  for (const Transfer::Item& item : transfer.items) settle(item.place);
  free_transfers_.push_back(&transfer);
  state_->loaded.wake_all();
  co_return true;
}

// The device does not say which page it cannot read. Reads the first page, which is needed, again without the others;
// these are read when they are needed.
Task<bool> ObjectHeap::read_alone(Transfer& transfer) {
  for (; transfer.items.size() > 1; transfer.items.pop_back()) forget(transfer.items.back().place);
  state_->loaded.wake_all();
  transfer.begin(IoOperation::Read, transfer.queue);
  prepare(transfer);
  return submit(transfer);
}

// Marks the page as lost in its entry before the slot is reused for another page.
Task<void> ObjectHeap::lose(Slot slot, std::uint32_t swap_slot) {
  ++statistics_.lost_pages;
  const PagePlace place{fault(Fault::LostAsZeroes) ? PagePlace::Kind::Nowhere : PagePlace::Kind::Lost};
  const NvramContents::Write entry = begin_entry(state_->pages[slot].number, place);
  co_await persist(&entry, 1, HeapLayout::kLineBytes, 0);
  forget(slot);
  give_slot(swap_slot);
  state_->loaded.wake_all();
}

// Removes a page that was brought in without contents.
void ObjectHeap::forget(Slot slot) {
  give_frame(state_->pages[slot].frame);
  state_->pages.drop(slot);
  state_->pages.leave(slot);
}

void ObjectHeap::put_down(Slot slot) {
  if (--state_->pages[slot].users != 0) return;
  if (state_->pages[slot].writing) state_->let_go.wake_all();
  settle(slot);
}

// Frees the place of an evicted page that no operation uses.
void ObjectHeap::settle(Slot slot) {
  HeapPage& page = state_->pages[slot];
  if (!page.over()) return;
  if (page.dirty) {
    left_.assign(1, slot);
    send_away();
    return;
  }
  give_frame(page.frame);
  state_->pages.leave(slot);
}

void ObjectHeap::admit(Slot slot, Access access) {
  left_.clear();
  state_->pages.admit(slot, access, left_);
  evict();
}

void ObjectHeap::evict() {
  for (const Slot slot : left_)
    ++(state_->pages[slot].dirty ? statistics_.dirty_evictions : statistics_.clean_evictions);
  send_away();
}

// Evicts pages: writes dirty ones to neighbouring slots in address order, so that a swap-in can read them together.
void ObjectHeap::send_away() {
  dirty_.clear();
  for (const Slot slot : left_) {
    if (!state_->pages[slot].dirty)
      settle(slot);
    else if (!state_->pages[slot].writing)
      dirty_.push_back(slot);
  }
  std::sort(dirty_.begin(), dirty_.end(),
            [this](Slot a, Slot b) { return state_->pages[a].number < state_->pages[b].number; });
  for (std::size_t begin = 0; begin != dirty_.size();) {
    const SwapSpace::Run run = state_->slots.take(static_cast<std::uint32_t>(dirty_.size() - begin));
    if (run.count == 0) throw std::logic_error("the swap area is full, though every page has a slot");
    Transfer& transfer = take_transfer(IoOperation::Write);
    for (std::uint32_t i = 0; i < run.count; ++i) {
      HeapPage& page = state_->pages[dirty_[begin + i]];
      page.writing = true;
      page.source = page.frame;
      transfer.items.push_back({dirty_[begin + i], page.frame, run.first + i});
    }
    begin += run.count;
    runtime_.spawn([this, &transfer] { return swap_out(transfer); });
  }
}

// The frames keep their contents until the entries name the slots.
Task<void> ObjectHeap::swap_out(Transfer& transfer) {
  const std::size_t count = transfer.items.size();
  transfer.fua = true;
  prepare(transfer);
  for (std::size_t i = 0; layout_.tokens && i < count * layout_.page_sectors; ++i)
    transfer.contents[i] = static_cast<SectorToken>(
        contents_.read(layout_.tokens_at(transfer.items[i / layout_.page_sectors].frame) + i % layout_.page_sectors));
  const Picoseconds read = co_await move(false, count * layout_.page_bytes);
  co_await Until(timers_, read);
  if (fault(Fault::SlotNamedEarly)) co_await name_slots(transfer);
  co_await submit(transfer);
  statistics_.swapped_out += count;
  ++statistics_.swap_outs;
  co_await name_slots(transfer);
  for (const Transfer::Item& item : transfer.items) finish(item);
  free_transfers_.push_back(&transfer);
}

Task<void> ObjectHeap::name_slots(const Transfer& transfer) {
  NvramContents::Write entries;
  for (const Transfer::Item& item : transfer.items) {
    const HeapPage& page = state_->pages[item.place];
    if (page.dropped || page.frame != item.frame) continue;
    const NvramContents::Write entry = begin_entry(page.number, {PagePlace::Kind::Swap, item.slot});
    if (entries.count++ == 0) entries.first = entry.first;
  }
  if (entries.count != 0) co_await persist(&entries, 1, entries.count * HeapLayout::kLineBytes, 0);
}

void ObjectHeap::finish(const Transfer::Item& item) {
  HeapPage& page = state_->pages[item.place];
  if (page.dropped || page.frame != item.frame) {
    ++statistics_.stale_swap_outs;
    runtime_.spawn([this, item] { return finish_later(item); });
    return;
  }
  page.writing = page.dirty = false;
  page.source = kNone;
  page.slot = item.slot;
  if (page.resident) state_->pages.cleaned(item.place);
  settle(item.place);
}

// The page has been updated or deleted meanwhile: frees its slot when that is persistent.
Task<void> ObjectHeap::finish_later(Transfer::Item item) {
  while (state_->pages[item.place].users != 0) co_await state_->let_go.wait();
  give_frame(item.frame);
  give_slot(item.slot);
  HeapPage& page = state_->pages[item.place];
  page.writing = false;
  page.source = kNone;
  if (page.dropped)
    state_->pages.leave(item.place);
  else
    settle(item.place);
}

ObjectHeap::Transfer& ObjectHeap::take_transfer(IoOperation operation) {
  if (free_transfers_.empty()) free_transfers_.push_back(&transfers_.emplace_back());
  Transfer& transfer = *free_transfers_.back();
  free_transfers_.pop_back();
  transfer.begin(operation, static_cast<std::uint16_t>(queue_));
  queue_ = queue_ + 1 == device_.queues() ? 0 : queue_ + 1;
  transfer.items.clear();
  return transfer;
}

// The slots of `items` are neighbours.
void ObjectHeap::prepare(Transfer& transfer) {
  transfer.offset = std::uint64_t{transfer.items.front().slot} * layout_.page_bytes;
  transfer.length = transfer.items.size() * layout_.page_bytes;
  if (!layout_.tokens) return;
  const std::size_t sectors = transfer.items.size() * layout_.page_sectors;
  transfer.contents.resize(std::max(transfer.contents.size(), sectors));
  transfer.tokens = transfer.contents.data();
}

// False: a read that the device cannot carry out for its own places alone.
Task<bool> ObjectHeap::submit(Transfer& transfer) {
  transfer.under_way = true;
  co_await device_.submit(transfer);
  const auto operation = static_cast<std::size_t>(transfer.operation);
  if (transfer.status == IoStatus::WriteProtected) throw SwapWornOut();
  if (transfer.status == IoStatus::MediaError && transfer.operation == IoOperation::Read) co_return false;
  if (transfer.status != IoStatus::Ok) throw std::runtime_error("the swap device could not carry out a request");
  ++statistics_.device_ios[operation];
  statistics_.device_bytes[operation] += transfer.length;
  co_return true;
}

}  // namespace flashloom
