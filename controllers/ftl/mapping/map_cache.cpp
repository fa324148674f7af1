#include "controllers/ftl/mapping/map_cache.hpp"

#include <algorithm>

#include "policies/registry.hpp"

namespace flashloom {

MapCache::MapCache(std::uint64_t units, std::uint32_t entries_per_page, std::uint32_t entries,
                   const PolicyChoice& replacement, bool batch)
    : units_(units),
      entries_per_page_(entries_per_page),
      batch_(batch),
      // At most as many entries as there are units.
      unit_of_(std::min<std::uint64_t>(entries, units)),
      slot_of_(units, unit_of_.size()),
      dirty_(units),
      policy_(Family<ReplacementPolicy>::make(replacement, {.capacity = this->entries()})) {}

MapCache::Result MapCache::access(std::uint32_t unit, Access access) {
  Slot slot = slot_of_.get(unit);
  Result result{.hit = slot != kNoSlot};
  if (result.hit) {
    policy_->referenced(slot, access);
  } else {
    if (filled_ < unit_of_.size()) {
      slot = filled_++;
    } else {
      policy_->expected(unit, access);
      slot = policy_->victim();
      const std::uint32_t victim = unit_of_[slot];
      if (dirty_.has(victim)) {
        result.write_back = page_of(victim);
        result.changed = batch_ ? written(result.write_back) : 1;
        dirty_.clear(victim);
      }
      policy_->removed(slot);
      slot_of_.clear(victim);
    }
    unit_of_[slot] = unit;
    slot_of_.set(unit, slot);
    policy_->inserted(slot, unit, access);
  }
  if (access == Access::Write) dirty_.set(unit);
  return result;
}

std::uint32_t MapCache::written(TranslationPage page) {
  std::uint32_t changed = 0;
  const std::uint64_t first = std::uint64_t{page} * entries_per_page_;
  dirty_.take(first, std::min(first + entries_per_page_, units_), [&](std::uint32_t unit) {
    policy_->cleaned(slot_of_.get(unit));
    ++changed;
  });
  return changed;
}

void MapCache::state(StateArchive& archive) {
  struct Entry {
    std::uint32_t unit = 0;
    bool used = false;
    bool dirty = false;
    void state(StateArchive& of) { of(unit, used, dirty); }
  };
  std::vector<Entry> entries;
  for (const std::uint32_t unit : unit_of_) entries.push_back({unit, entries.size() < filled_, dirty_.has(unit)});
  archive(filled_, entries);
  if (archive.loading())
    for (Slot slot = 0; slot < filled_; ++slot) {
      unit_of_[slot] = entries[slot].unit;
      slot_of_.set(unit_of_[slot], slot);
      if (entries[slot].dirty) dirty_.set(unit_of_[slot]);
    }
  archive.part("replacement");
  policy_->state(archive);
}

}  // namespace flashloom
