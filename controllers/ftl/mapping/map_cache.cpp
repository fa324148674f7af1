#include "controllers/ftl/mapping/map_cache.hpp"

#include <algorithm>

#include "policies/registry.hpp"

namespace flashloom {

MapCache::MapCache(std::uint64_t units, std::uint32_t entries_per_page, std::uint32_t entries,
                   const PolicyChoice& replacement, bool batch)
    : units_(units),
      entries_per_page_(entries_per_page),
      batch_(batch),
      // No more than there are units.
      entries_(std::min<std::uint64_t>(entries, units)),
      slot_of_(units, entries_.size()),
      policy_(Family<ReplacementPolicy>::make(replacement, {.capacity = static_cast<std::uint32_t>(entries_.size())})) {
}

MapCache::Result MapCache::access(std::uint32_t unit, Access access) {
  Slot slot = slot_of_.get(unit);
  Result result{.hit = slot != kNoSlot};
  if (result.hit) {
    policy_->referenced(slot, access);
  } else {
    if (filled_ < entries_.size()) {
      slot = filled_++;
    } else {
      policy_->expected(unit, access);
      slot = policy_->victim();
      Entry& victim = entries_[slot];
      if (victim.dirty) {
        result.write_back = page_of(victim.unit);
        result.changed = batch_ ? written(result.write_back) : 1;
      }
      policy_->removed(slot);
      slot_of_.clear(victim.unit);
    }
    entries_[slot] = {.unit = unit, .used = true, .dirty = false};
    slot_of_.set(unit, slot);
    policy_->inserted(slot, unit, access);
  }
  if (access == Access::Write) entries_[slot].dirty = true;
  return result;
}

std::uint32_t MapCache::written(TranslationPage page) {
  std::uint32_t changed = 0;
  const std::uint64_t first = std::uint64_t{page} * entries_per_page_;
  const std::uint64_t end = std::min(first + entries_per_page_, units_);
  for (std::uint64_t unit = first; unit < end; ++unit)
    if (const Slot slot = slot_of_.get(static_cast<std::uint32_t>(unit)); slot != kNoSlot && entries_[slot].dirty) {
      entries_[slot].dirty = false;
      policy_->cleaned(slot);
      ++changed;
    }
  return changed;
}

void MapCache::state(StateArchive& archive) {
  archive(filled_, entries_);
  if (archive.loading())
    for (Slot slot = 0; slot < filled_; ++slot) slot_of_.set(entries_[slot].unit, slot);
  archive.part("replacement");
  policy_->state(archive);
}

}  // namespace flashloom
