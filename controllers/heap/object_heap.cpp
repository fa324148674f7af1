#include "controllers/heap/object_heap.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "controllers/runtime/fault.hpp"
#include "controllers/runtime/until.hpp"

namespace flashloom {
namespace {

// Memory traffic in bytes for `words` neighbouring words: whole lines.
std::uint64_t lines(std::uint64_t words) {
  return (words * HeapLayout::kWordBytes + HeapLayout::kLineBytes - 1) / HeapLayout::kLineBytes *
         HeapLayout::kLineBytes;
}

}  // namespace

const char* to_string(HeapStatus status) {
  constexpr const char* kNames[] = {"ok",
                                    "the object exists already",
                                    "there is no such object",
                                    "no free range of the heap is so long",
                                    "an update of so many pages is not kept whole: it needs as many free frames",
                                    "a page of the object is lost: the swap device could not read it"};
  return kNames[static_cast<std::size_t>(status)];
}

ObjectHeap::Volatile::Volatile(const HeapConfig& config, const HeapLayout& layout)
    : pages(config, layout, *this),
      slots(layout.slots),
      extents(layout.pages),
      objects(config.objects),
      owners(layout.pages) {}

ObjectHeap::ObjectHeap(const sc_core::sc_module_name& name, const HeapConfig& config, const HeapLayout& layout,
                       std::uint32_t queues)
    : sc_module(name),
      config_(config),
      layout_(layout),
      memory_("memory"),
      device_("swap", queues),
      timers_("timers"),
      state_(std::make_unique<Volatile>(config, layout)) {
  contents_.fit(layout.words());
}

ObjectHeap::~ObjectHeap() { runtime_.destroy_frames(); }

Task<void> ObjectHeap::lock(Object& object, bool alone) {
  while (object.updating || (alone && object.readers != 0)) co_await object.turn.wait();
  if (alone)
    object.updating = true;
  else
    ++object.readers;
}

void ObjectHeap::unlock(Object& object, bool alone) {
  if (alone)
    object.updating = false;
  else
    --object.readers;
  object.turn.wake_all();
}

Task<HeapStatus> ObjectHeap::create(std::uint32_t number, std::uint64_t bytes) {
  co_await Until(timers_, kernel_now() + config_.call_latency);
  Object& object = state_->objects[number];
  co_await lock(object, true);
  HeapStatus status = object.exists ? HeapStatus::Exists : HeapStatus::Ok;
  if (!object.exists) {
    const auto pages = static_cast<std::uint32_t>((bytes + layout_.page_bytes - 1) / layout_.page_bytes);
    const std::uint32_t first = state_->extents.take(pages);
    if (first == kNone) status = HeapStatus::NoSpace;
    if (first != kNone) {
      const std::array<std::uint64_t, HeapLayout::kRecordWords> record = {bytes, 0, 0,
                                                                          std::uint64_t{pages} << 32 | first};
      const NvramContents::Write write = contents_.begin(layout_.record_at(number), record);
      co_await persist(&write, 1, HeapLayout::kLineBytes, 0);
      recover_object(number);
    }
  }
  unlock(object, true);
  co_return status;
}

Task<HeapStatus> ObjectHeap::remove(std::uint32_t number) {
  co_await Until(timers_, kernel_now() + config_.call_latency);
  Object& object = state_->objects[number];
  co_await lock(object, true);
  const bool found = object.exists;
  if (found) {
    constexpr std::array<std::uint64_t, 1> kGone = {0};
    const NvramContents::Write record = contents_.begin(layout_.record_at(number) + HeapLayout::kExtentWord, kGone);
    object.exists = false;
    co_await persist(&record, 1, HeapLayout::kLineBytes, 0);
    for (std::uint32_t page = object.first; page != object.first + object.pages; ++page) {
      const PagePlace entry = entry_of(page);
      const Slot slot = state_->pages.find(page);
      const bool writing = slot != kNoSlot && state_->pages[slot].writing;  // to the slot of the entry, if it has one
      if (entry.kind == PagePlace::Kind::Swap && !writing) give_slot(entry.number);
      if (slot == kNoSlot) continue;
      HeapPage& place = state_->pages[slot];
      if (!writing || place.frame != place.source) give_frame(place.frame);
      state_->pages.drop(slot);
      if (!writing) state_->pages.leave(slot);
    }
    // The range is freed only when its entries are clear: they would be taken for those of the next object there.
    words_.assign(object.pages, 0);
    const NvramContents::Write entries = contents_.begin(layout_.entry_at(object.first), words_);
    co_await persist(&entries, 1, std::uint64_t{object.pages} * HeapLayout::kWordBytes, 0);
    state_->extents.give_back(object.first, object.pages);
    object.mappings = 0;
  }
  unlock(object, true);
  co_return found ? HeapStatus::Ok : HeapStatus::NotFound;
}

Task<HeapStatus> ObjectHeap::map(std::uint32_t object) { return remap(object, true); }
Task<HeapStatus> ObjectHeap::unmap(std::uint32_t object) { return remap(object, false); }

Task<HeapStatus> ObjectHeap::remap(std::uint32_t number, bool mapped) {
  co_await Until(timers_, kernel_now() + config_.call_latency);
  Object& object = state_->objects[number];
  if (!object.exists || (!mapped && object.mappings == 0)) co_return HeapStatus::NotFound;
  object.mappings += mapped ? 1 : -1;
  if (object.mappings == (mapped ? 1U : 0U) && state_->pages.follows_mappings())
    for (std::uint32_t page = object.first; page != object.first + object.pages; ++page) state_->pages.remapped(page);
  co_return HeapStatus::Ok;
}

ObjectHeap::Part ObjectHeap::part_of(const HeapAccess& access, const Object& object, std::uint64_t at) const {
  const std::uint32_t sector = layout_.page_bytes / layout_.page_sectors;
  const auto first = static_cast<std::uint32_t>(at % layout_.page_bytes / sector);
  const auto left = static_cast<std::uint32_t>(
      std::min<std::uint64_t>((access.offset + access.length - at) / sector, layout_.page_sectors - first));
  return {.page = object.first + static_cast<std::uint32_t>(at / layout_.page_bytes),
          .first = first,
          .sectors = left,
          .tokens = access.tokens == nullptr ? nullptr : access.tokens + (at - access.offset) / sector};
}

// Whether the part covers all of the object's data in the page.
bool ObjectHeap::all(const Part& part, const Object& object) const {
  const std::uint64_t begin = std::uint64_t{part.page - object.first} * layout_.page_bytes;
  const std::uint64_t bytes = std::uint64_t{part.sectors} * (layout_.page_bytes / layout_.page_sectors);
  return part.first == 0 && bytes >= std::min<std::uint64_t>(layout_.page_bytes, object.bytes - begin);
}

Task<HeapStatus> ObjectHeap::access(HeapAccess& access) {
  Object& object = state_->objects[access.object];
  const std::uint64_t pages =
      (access.offset + access.length - 1) / layout_.page_bytes - access.offset / layout_.page_bytes + 1;
  const bool together = access.update && layout_.shadows;
  if (together && pages > state_->pages.capacity() / 2) co_return HeapStatus::TooLarge;
  co_await lock(object, access.update);
  HeapStatus status = HeapStatus::NotFound;
  if (object.exists) {
    bool good = false;
    if (!access.update)
      good = co_await read(access, object);
    else if (together)
      good = co_await update_together(access, object);
    else
      good = co_await update(access, object);
    status = good ? HeapStatus::Ok : HeapStatus::MediaError;
    if (!good) ++(access.update ? statistics_.failed_updates : statistics_.failed_reads);
  }
  unlock(object, access.update);
  co_return status;
}

std::uint64_t ObjectHeap::lost_pages() const {
  std::uint64_t lost = 0;
  for (std::uint32_t page = 0; page < layout_.pages; ++page)
    lost += entry_of(page).kind == PagePlace::Kind::Lost ? 1 : 0;
  return lost;
}

Task<bool> ObjectHeap::read(HeapAccess& access, Object& object) {
  const std::uint32_t sector = layout_.page_bytes / layout_.page_sectors;
  bool good = true;
  for (std::uint64_t at = access.offset; at != access.offset + access.length;) {
    const Part part = part_of(access, object, at);
    at += std::uint64_t{part.sectors} * sector;
    ++statistics_.reads;
    const Slot slot = co_await bring_in(part, object, Access::Read);
    if (slot == kNoSlot) [[unlikely]] {
      good = false;
      continue;
    }
    for (std::uint32_t i = 0; part.tokens != nullptr && i < part.sectors; ++i)
      part.tokens[i] =
          static_cast<SectorToken>(contents_.read(layout_.tokens_at(state_->pages[slot].frame) + part.first + i));
    const Picoseconds until = co_await move(false, std::uint64_t{part.sectors} * sector);
    co_await Until(timers_, until);
    put_down(slot);
  }
  co_return good;
}

NvramContents::Write ObjectHeap::begin_entry(std::uint32_t page, PagePlace place) {
  const std::array<std::uint64_t, 1> word = {place.word()};
  return contents_.begin(layout_.entry_at(page), word);
}

// The contents of frame `from` (none: zeroes), overwritten with the part of the update that lies in the page.
NvramContents::Write ObjectHeap::begin_contents(std::uint32_t frame, const Part& part, std::uint32_t from) {
  words_.assign(layout_.page_sectors, 0);
  for (std::uint32_t i = 0; i < layout_.page_sectors; ++i) {
    if (part.tokens != nullptr && i >= part.first && i < part.first + part.sectors)
      words_[i] = part.tokens[i - part.first];
    else if (from != kNone)
      words_[i] = contents_.read(layout_.tokens_at(from) + i);
  }
  return contents_.begin(layout_.tokens_at(frame), words_);
}

// Charges the NVM with `read` bytes read and `bytes` written; carries out the writes in order. Returns when they are
// persistent.
Task<void> ObjectHeap::persist(const NvramContents::Write* writes, std::size_t count, std::uint64_t bytes,
                               std::uint64_t reads) {
  const Picoseconds asked = kernel_now();
  Picoseconds from = asked;
  if (reads != 0) from = co_await move(false, reads);
  const Picoseconds until = co_await move(true, bytes, from);
  std::uint64_t words = 0;
  for (std::size_t i = 0; i < count; ++i) words += writes[i].count;
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < count; ++i) {
    done += writes[i].count;
    contents_.end(writes[i], asked, done == words ? until : asked + (until - asked) / words * done);
  }
  co_await Until(timers_, until);
}

Task<bool> ObjectHeap::update(HeapAccess& access, Object& object) {
  const std::uint32_t sector = layout_.page_bytes / layout_.page_sectors;
  bool good = true;
  for (std::uint64_t at = access.offset; at != access.offset + access.length;) {
    const Part part = part_of(access, object, at);
    at += std::uint64_t{part.sectors} * sector;
    ++statistics_.updates;
    const Slot slot = co_await bring_in(part, object, Access::Write);
    if (slot == kNoSlot) [[unlikely]] {
      good = false;
      continue;
    }
    const std::uint32_t frame = co_await take_frame();
    Change change{part.page, frame};
    const std::uint32_t old_frame = state_->pages[slot].frame;
    std::array<NvramContents::Write, 2> writes;
    if (layout_.tokens) writes[0] = begin_contents(frame, part, old_frame);
    writes[1] = begin_entry(part.page, {PagePlace::Kind::Frame, frame});
    change_over(change);
    const std::uint64_t rest = layout_.page_bytes - std::uint64_t{part.sectors} * sector;
    if (rest != 0) ++statistics_.copied;
    co_await persist(writes.data(), writes.size(), layout_.page_bytes + HeapLayout::kLineBytes,
                     old_frame == kNone ? 0 : rest);
    give_up(change);
    put_down(slot);
  }
  co_return good;
}

// Writes the new contents of all pages to frames named by the shadows; one word in the object's record commits them;
// then the entries change. After a power cut, recovery completes committed updates and drops the others.
Task<bool> ObjectHeap::update_together(HeapAccess& access, Object& object) {
  const std::uint32_t sector = layout_.page_bytes / layout_.page_sectors;
  const auto pages = static_cast<std::uint32_t>((access.offset + access.length - 1) / layout_.page_bytes -
                                                access.offset / layout_.page_bytes + 1);
  while (state_->held + pages > state_->pages.capacity() / 2) co_await state_->budget.wait();
  state_->held += pages;
  left_.clear();
  state_->pages.hold(pages, left_);
  evict();
  const std::uint32_t transaction = object.transaction + 1;
  std::vector<Change> changes;
  changes.reserve(pages);
  for (std::uint64_t at = access.offset; at != access.offset + access.length;) {
    const Part part = part_of(access, object, at);
    at += std::uint64_t{part.sectors} * sector;
    ++statistics_.updates;
    const Slot slot = co_await bring_in(part, object, Access::Write);
    if (slot == kNoSlot) [[unlikely]] {
      co_await take_back(changes, pages);
      co_return false;
    }
    const std::uint32_t frame = co_await take_frame();
    const std::uint32_t old_frame = state_->pages[slot].frame;
    std::array<NvramContents::Write, 2> writes;
    if (layout_.tokens) writes[0] = begin_contents(frame, part, old_frame);
    const std::array<std::uint64_t, 1> shadow = {std::uint64_t{transaction} << 32 | (frame + 1)};
    writes[1] = contents_.begin(layout_.shadow_at(part.page), shadow);
    const std::uint64_t rest = layout_.page_bytes - std::uint64_t{part.sectors} * sector;
    if (rest != 0) ++statistics_.copied;
    co_await persist(writes.data(), writes.size(), layout_.page_bytes + HeapLayout::kLineBytes,
                     old_frame == kNone ? 0 : rest);
    changes.push_back({part.page, frame});
    put_down(slot);
  }
  const std::array<std::uint64_t, 1> committed = {transaction};
  const NvramContents::Write commit =
      contents_.begin(layout_.record_at(access.object) + HeapLayout::kTransactionWord, committed);
  co_await persist(&commit, 1, HeapLayout::kLineBytes, 0);
  object.transaction = transaction;
  NvramContents::Write entries;
  constexpr std::array<std::uint64_t, 1> kNothing = {0};
  for (Change& change : changes) {
    if (const PagePlace old = entry_of(change.page); old.kind == PagePlace::Kind::Swap) change.old_slot = old.number;
    const NvramContents::Write entry = begin_entry(change.page, {PagePlace::Kind::Frame, change.frame});
    if (entries.count == 0) entries.first = entry.first;
    contents_.begin(layout_.shadow_at(change.page), kNothing);
    entries.count += 2;
  }
  for (Change& change : changes) {
    state_->pages.release(1);
    change_over(change);
    ++state_->pages[state_->pages.find(change.page)].users;
  }
  co_await persist(&entries, 1, 2 * lines(pages), 0);
  for (const Change& change : changes) {
    give_up(change);
    put_down(state_->pages.find(change.page));
  }
  state_->held -= pages;
  state_->budget.wake_all();
  co_return true;
}

// Rolls back an update before its commit. Its shadows are removed, since the object's next update has the same number.
Task<void> ObjectHeap::take_back(const std::vector<Change>& changes, std::uint32_t held) {
  NvramContents::Write shadows;
  constexpr std::array<std::uint64_t, 1> kNothing = {0};
  for (const Change& change : changes) {
    if (fault(Fault::ShadowsLeft)) break;
    const NvramContents::Write shadow = contents_.begin(layout_.shadow_at(change.page), kNothing);
    if (shadows.count++ == 0) shadows.first = shadow.first;
  }
  if (shadows.count != 0) co_await persist(&shadows, 1, lines(shadows.count), 0);
  for (const Change& change : changes) {
    give_frame(change.frame);
    // A page that was brought in only to be overwritten has no contents.
    const Slot slot = state_->pages.find(change.page);
    if (slot != kNoSlot && state_->pages[slot].frame == kNone) forget(slot);
  }
  state_->pages.release(held);
  state_->held -= held;
  state_->budget.wake_all();
}

// Makes the new frame the page's contents, except for its entry.
void ObjectHeap::change_over(Change& change) {
  Slot slot = state_->pages.find(change.page);
  if (slot == kNoSlot) {
    slot = state_->pages.enter(change.page);
    state_->pages[slot].slot = change.old_slot;
  }
  HeapPage& page = state_->pages[slot];
  if (!page.writing || page.source != page.frame) change.old_frame = page.frame;
  change.old_slot = std::exchange(page.slot, kNone);
  page.frame = change.frame;
  page.dirty = true;
  if (!page.resident) admit(slot, Access::Write);
}

void ObjectHeap::give_up(const Change& change) {
  give_frame(change.old_frame);
  give_slot(change.old_slot);
}

}  // namespace flashloom
