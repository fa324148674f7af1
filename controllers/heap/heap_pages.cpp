#include "controllers/heap/heap_pages.hpp"

#include "policies/registry.hpp"

namespace flashloom {

HeapPages::HeapPages(const HeapConfig& config, const HeapLayout& layout, const MappedView& mapped)
    : capacity_(layout.frames - config.in_flight),
      cluster_(config.cluster),
      policy_(Family<ReplacementPolicy>::make(
          config.replacement, {.capacity = capacity_, .slots = layout.frames + config.in_flight, .mapped = &mapped})),
      places_(layout.frames + config.in_flight),
      table_(layout.frames + config.in_flight) {
  for (Slot slot = places(); slot-- != 0;) free_places_.push_back(slot);
  free_frames_.reserve(layout.frames);
  claim_frames(std::vector<bool>(layout.frames));
}

void HeapPages::claim_frames(const std::vector<bool>& used) {
  free_frames_.clear();
  for (auto frame = static_cast<std::uint32_t>(used.size()); frame-- != 0;)
    if (!used[frame]) free_frames_.push_back(frame);
}

Slot HeapPages::enter(std::uint32_t page) {
  const Slot slot = free_places_.back();
  free_places_.pop_back();
  places_[slot] = {};
  places_[slot].number = page;
  table_.put(page, slot);
  return slot;
}

void HeapPages::make_room(std::uint32_t pages, std::vector<Slot>& left) {
  while (resident_ != 0 && resident_ + held_ + pages > capacity_)
    for (std::uint32_t i = 0; i < cluster_ && resident_ != 0; ++i) {
      const Slot victim = policy_->victim();
      leaving_.assign(1, victim);
      policy_->companions(victim, leaving_);
      for (const Slot slot : leaving_) {
        policy_->removed(slot);
        places_[slot].resident = false;
        --resident_;
        left.push_back(slot);
      }
    }
}

void HeapPages::admit(Slot slot, Access access, std::vector<Slot>& left) {
  policy_->expected(places_[slot].number, access);
  make_room(1, left);
  places_[slot].resident = true;
  ++resident_;
  policy_->inserted(slot, places_[slot].number, access);
}

void HeapPages::hold(std::uint32_t frames, std::vector<Slot>& left) {
  held_ += frames;
  make_room(0, left);
}

void HeapPages::remapped(std::uint32_t page) {
  const Slot slot = find(page);
  if (slot != kNoSlot && places_[slot].resident) policy_->remapped(slot);
}

void HeapPages::drop(Slot slot) {
  HeapPage& page = places_[slot];
  if (page.resident) {
    policy_->dropped(slot);
    page.resident = false;
    --resident_;
  }
  table_.erase(page.number);
  page.dropped = true;
}

void HeapPages::leave(Slot slot) {
  if (!places_[slot].dropped) table_.erase(places_[slot].number);
  places_[slot] = {};
  free_places_.push_back(slot);
}

}  // namespace flashloom
