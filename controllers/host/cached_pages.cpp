#include "controllers/host/cached_pages.hpp"

#include "policies/registry.hpp"

namespace flashloom {
namespace {

std::unique_ptr<ReplacementPolicy> make_policy(const PolicyChoice& policy, const CachedPages::Shape& shape,
                                               const CostOracle* costs) {
  const std::uint32_t ghosts = shape.shared_budget ? 0 : shape.capacity;
  return Family<ReplacementPolicy>::make(policy, {.capacity = shape.capacity,
                                                  .slots = shape.capacity + ghosts + shape.spare,
                                                  .shared_budget = shape.shared_budget,
                                                  .oracle = costs});
}

}  // namespace

CachedPages::CachedPages(const PolicyChoice& policy, const Shape& shape, const CostOracle* costs)
    : capacity_(shape.capacity),
      sectors_(shape.sectors),
      policy_(make_policy(policy, shape, costs)),
      own_room_(policy_->traits().own_room),
      pages_(shape.capacity + (own_room_ ? shape.capacity : 0) + shape.spare),
      tokens_(pages_.size() * shape.sectors),
      table_(slots()) {
  free_.reserve(pages_.size());
  for (Slot slot = slots(); slot-- != 0;) free_.push_back(slot);
}

Slot CachedPages::take_in(std::uint32_t number, Slot slot, Access access, std::vector<Slot>& left) {
  policy_->expected(number, access);
  if (own_room_) {
    let_go(left);
  } else if (resident_ == capacity_) {
    const Slot victim = policy_->victim();
    leaving_.assign(1, victim);
    policy_->companions(victim, leaving_);
    for (const Slot leaver : leaving_) {
      policy_->removed(leaver);
      pages_[leaver].resident = false;
      --resident_;
      left.push_back(leaver);
    }
  }
  if (slot != kNoSlot) {
    no_ghost(slot);
  } else {
    slot = free_.back();
    free_.pop_back();
    pages_[slot] = {};
    pages_[slot].number = number;
    table_.put(number, slot);
  }
  pages_[slot].resident = true;
  ++resident_;
  policy_->inserted(slot, number, access);
  return slot;
}

// Handles the pages that a policy with ghosts beside the capacity has evicted by itself.
void CachedPages::let_go(std::vector<Slot>& left) {
  const std::size_t first = left.size();
  policy_->gone(left);
  for (std::size_t i = first; i != left.size(); ++i) {
    CachedPage& page = pages_[left[i]];
    page.resident = false;
    page.ghost = page.dirty || page.writing;  // only ghosts leave to be written
    if (page.ghost) ++leaving_ghosts_;
  }
  resident_ -= static_cast<std::uint32_t>(left.size() - first);
}

void CachedPages::no_ghost(Slot slot) {
  if (!pages_[slot].ghost) return;
  pages_[slot].ghost = false;
  --leaving_ghosts_;
}

void CachedPages::mark_dirty(Slot slot, Picoseconds now) {
  CachedPage& page = pages_[slot];
  page.stale = false;
  if (page.dirty) return;
  page.dirty = true;
  page.order = ++order_;
  page.dirtied = now;
  link(slot, kNoSlot);
}

void CachedPages::restore_dirty(Slot slot) {
  CachedPage& page = pages_[slot];
  if (page.dirty) return;
  page.dirty = true;
  link(slot, oldest_);
}

void CachedPages::mark_clean(Slot slot) {
  if (!pages_[slot].dirty) return;
  pages_[slot].dirty = false;
  unlink(slot);
}

void CachedPages::forget(Slot slot) {
  CachedPage& page = pages_[slot];
  if (page.resident) {
    policy_->dropped(slot);
    page.resident = false;
    --resident_;
  }
  if (table_.find(page.number) == slot) table_.erase(page.number);
}

bool CachedPages::settle(Slot slot) {
  CachedPage& page = pages_[slot];
  if (page.users != 0 || page.fetch != nullptr || page.writing) return false;
  if (page.stale && !page.dirty) forget(slot);
  if (page.resident) return false;
  if (page.dirty) return true;
  forget(slot);
  no_ghost(slot);
  free_.push_back(slot);
  return false;
}

// Inserts the page before `newer` in the order in which pages became dirty; kNoSlot: at the end.
void CachedPages::link(Slot slot, Slot newer) {
  CachedPage& page = pages_[slot];
  page.newer = newer;
  page.older = newer == kNoSlot ? newest_ : pages_[newer].older;
  (page.older == kNoSlot ? oldest_ : pages_[page.older].newer) = slot;
  (newer == kNoSlot ? newest_ : pages_[newer].older) = slot;
  ++dirty_;
}

void CachedPages::unlink(Slot slot) {
  CachedPage& page = pages_[slot];
  (page.older == kNoSlot ? oldest_ : pages_[page.older].newer) = page.newer;
  (page.newer == kNoSlot ? newest_ : pages_[page.newer].older) = page.older;
  --dirty_;
}

}  // namespace flashloom
