// The heap across power cuts: what is left in the NVM becomes a heap again.
#include <array>
#include <stdexcept>

#include "controllers/heap/object_heap.hpp"
#include "controllers/runtime/fault.hpp"
#include "controllers/runtime/until.hpp"

namespace flashloom {

void ObjectHeap::power_cut() {
  contents_.power_cut(kernel_now());
  memory_.drop_all();
  runtime_.destroy_frames();
  timers_.cancel_all();
  for (Transfer& transfer : transfers_) transfer.waiter = {};
  state_ = std::make_unique<Volatile>(config_, layout_);
}

void ObjectHeap::power_on(std::function<void()> ready) {
  runtime_.spawn([&] { return recover(std::move(ready)); });
}

Task<void> ObjectHeap::recover(std::function<void()> ready) {
  const Picoseconds read = co_await move(false, layout_.metadata_bytes());
  co_await Until(timers_, read);
  free_transfers_.clear();
  for (Transfer& transfer : transfers_)
    if (!transfer.under_way) free_transfers_.push_back(&transfer);
  recovery_ = {};
  std::vector<const Object*> owners(layout_.pages);
  for (std::uint32_t number = 0; number < layout_.objects; ++number) {
    if (!recover_object(number)) continue;
    ++recovery_.objects;
    const Object& object = state_->objects[number];
    state_->extents.take_at(object.first, object.pages);
    for (std::uint32_t page = object.first; page != object.first + object.pages; ++page) owners[page] = &object;
  }
  NvramContents::Write repairs;
  std::vector<bool> frames(layout_.frames);
  for (std::uint32_t page = 0; page < layout_.pages; ++page) recover_page(page, owners[page], repairs, frames);
  if (repairs.count != 0) co_await persist(&repairs, 1, std::uint64_t{repairs.count} * HeapLayout::kLineBytes, 0);
  state_->pages.claim_frames(frames);
  for (std::uint32_t page = 0; page < layout_.pages; ++page) {
    const PagePlace entry = entry_of(page);
    if (entry.kind != PagePlace::Kind::Frame) continue;
    const Slot slot = state_->pages.enter(page);
    state_->pages[slot].frame = entry.number;
    state_->pages[slot].dirty = true;
    admit(slot, Access::Write);
  }
  ready();
}

// Reads the record of an object; false: there is no such object.
bool ObjectHeap::recover_object(std::uint32_t number) {
  Object& object = state_->objects[number];
  const std::size_t record = layout_.record_at(number);
  const std::uint64_t extent = contents_.read(record + HeapLayout::kExtentWord);
  object.exists = extent != 0;
  if (!object.exists) return false;
  object.bytes = contents_.read(record);
  object.transaction = static_cast<std::uint32_t>(contents_.read(record + HeapLayout::kTransactionWord));
  object.first = static_cast<std::uint32_t>(extent);
  object.pages = static_cast<std::uint32_t>(extent >> 32);
  for (std::uint32_t page = object.first; page != object.first + object.pages; ++page) state_->owners[page] = number;
  return true;
}

void ObjectHeap::recover_page(std::uint32_t page, const Object* owner, NvramContents::Write& repairs,
                              std::vector<bool>& frames) {
  if (layout_.shadows) {
    if (const std::uint64_t shadow = contents_.read(layout_.shadow_at(page)); shadow != 0) {
      const bool committed = owner != nullptr && shadow >> 32 == owner->transaction && !fault(Fault::CommitForgotten);
      ++(committed ? recovery_.redone : recovery_.undone);
      if (committed)
        repair(layout_.entry_at(page), PagePlace{PagePlace::Kind::Frame, static_cast<std::uint32_t>(shadow) - 1}.word(),
               repairs);
      repair(layout_.shadow_at(page), 0, repairs);
    }
  }
  const PagePlace entry = entry_of(page);
  if (entry.kind == PagePlace::Kind::Nowhere) return;
  if (owner == nullptr) {
    ++recovery_.cleared;
    repair(layout_.entry_at(page), 0, repairs);
    return;
  }
  if (entry.kind == PagePlace::Kind::Lost) return;
  if (entry.kind == PagePlace::Kind::Swap) {
    ++recovery_.pages_in_swap;
    state_->slots.take_at(entry.number);
    return;
  }
  ++recovery_.pages_in_nvm;
  frames[entry.number] = true;
}

void ObjectHeap::repair(std::size_t word, std::uint64_t value, NvramContents::Write& repairs) {
  const std::array<std::uint64_t, 1> words = {value};
  const NvramContents::Write write = contents_.begin(word, words);
  if (repairs.count++ == 0) repairs.first = write.first;
}

void ObjectHeap::check() const {
  const auto require = [](bool good, const char* what) {
    if (!good) throw std::logic_error(std::string("the heap does not add up: ") + what);
  };
  std::vector<bool> frames(layout_.frames);
  std::vector<bool> slots(layout_.slots);
  const auto claim = [&](std::vector<bool>& list, std::uint32_t number, const char* what) {
    require(!list[number], what);
    list[number] = true;
  };
  std::uint64_t owned = 0;
  std::uint32_t with_frame = 0;
  for (std::uint32_t number = 0; number < layout_.objects; ++number) {
    const Object& object = state_->objects[number];
    if (!object.exists) continue;
    owned += object.pages;
    for (std::uint32_t page = object.first; page != object.first + object.pages; ++page) {
      const PagePlace entry = entry_of(page);
      const Slot slot = state_->pages.find(page);
      const HeapPage* const place = slot == kNoSlot ? nullptr : &state_->pages[slot];
      if (entry.kind == PagePlace::Kind::Swap) claim(slots, entry.number, "two pages have one slot");
      require((entry.kind == PagePlace::Kind::Frame) == (place != nullptr && place->dirty), "dirty pages");
      if (place == nullptr) continue;
      require(entry.kind != PagePlace::Kind::Lost, "a page is lost, and there");
      require(place->resident && place->users == 0 && !place->writing && !place->loading, "a page is under way");
      require(!place->dirty || place->frame == entry.number, "an entry names another frame");
      require(
          place->dirty || (entry.kind == PagePlace::Kind::Swap ? place->slot == entry.number : place->slot == kNone),
          "a clean page has another slot");
      claim(frames, place->frame, "two pages have one frame");
      ++with_frame;
    }
  }
  std::uint64_t entries = 0;
  for (std::uint32_t page = 0; page < layout_.pages; ++page) entries += entry_of(page).word() != 0 ? 1 : 0;
  require(entries <= owned, "entries without an object");
  require(with_frame == state_->pages.resident(), "resident pages");
  require(state_->pages.free_frames() + with_frame == layout_.frames, "free frames");
  for (std::uint32_t slot = 0; slot < layout_.slots; ++slot)
    require(state_->slots.taken(slot) == slots[slot], "slots of the swap area");
}

}  // namespace flashloom
