#include "controllers/buffer/evictor.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

bool Evictor::make_room(BufferPart& part, std::uint32_t unit) {
  const EvictionTraits& traits = part.victims->traits();
  if (traits.ghosts) part.victims->expected(unit, Access::Write);
  // So ends each write that was woken for one slot, at its next unit. Policies that are not in_order are asked all the
  // same, since victim() may change their state.
  if (traits.in_order && part.clean == 0 && !store_.can_leave()) return false;
  return evict_clean_or(part, part.clean_victims != nullptr ? part.clean_victims->victim() : kNoSlot);
}

bool Evictor::make_clean_room(BufferPart& part, std::uint32_t unit) {
  const bool limited = part.clean >= part.clean_units;
  if (!limited && !part.full()) return true;
  part.of_clean().expected(unit, Access::Read);
  if (limited) {
    EvictionPolicy& policy = part.of_clean();
    store_.forget_clean(store_[policy.clean_victim()], true);
    if (policy.traits().in_order && part.clean != 0) store_.prefetch_slot(policy.clean_victim());
    return true;
  }
  if (!evict_clean_or(part, part.clean_victims != nullptr ? part.clean_victims->clean_victim() : kNoSlot)) return false;
  return store_.any_free() && store_.find(unit) == nullptr;
}

// Blocks and clean pages have no common order: clean pages are evicted first, as long as there are any.
bool Evictor::evict_clean_or(BufferPart& part, Slot clean) {
  const Slot victim = clean != kNoSlot ? clean : part.victims->victim();
  if (!store_[victim].dirty()) {
    store_.forget_clean(store_[victim], true);
    return true;
  }
  if (!store_.can_leave()) return false;
  evict_with_companions(victim, DestageCause::Need);
  return true;
}

void Evictor::evict_next(std::uint8_t part, DestageCause cause) {
  Slot victim = store_.parts()[part].victims->victim();
  // Evicting a clean victim would not help here: takes the entry that has been dirty longest.
  if (!store_[victim].dirty())
    victim =
        store_.slot_of(*std::ranges::find_if(store_.dirty(), [part](const auto& entry) { return entry.part == part; }));
  evict_with_companions(victim, cause);
}

// Chooses the victim and its companions in one step; the destager hands them over as the destage table has room.
void Evictor::evict_with_companions(Slot victim, DestageCause cause) {
  BufferEntry& first = store_[victim];
  EvictionPolicy& victims = *store_.part_of(first).victims;
  ++statistics_.evicted_groups;
  if (victims.traits().padding) {
    evict_padded(first.write.unit, cause);
    return;
  }
  if (!victims.traits().companions && shape_.program_units == 1 && store_.sets() == nullptr) {
    evict(first, cause);
    return;
  }
  leaving_.assign(1, victim);
  victims.companions(victim, leaving_);
  if (leaving_.size() == 1 && shape_.program_units > 1) gather_program_unit(victim);
  evict_leaving(cause);
}

// Evicts the entries of leaving_, and the correlated sets that they belong to.
[[gnu::noinline]] void Evictor::evict_leaving(DestageCause cause) {
  CorrelatedSets* const sets = store_.sets();
  if (sets == nullptr && leaving_.size() == 1) {
    evict(store_[leaving_.front()], cause);
    return;
  }
  if (sets != nullptr) {
    sets->complete(leaving_, leaving_in_sets_);
    // The map is updated on the same core behind that, in the order of the work.
    hardware_.charge(FirmwareStep::SetDetect, static_cast<std::uint32_t>(leaving_in_sets_.size()),
                     store_[leaving_in_sets_.front().slot].write.unit);
  } else {
    leaving_in_sets_.clear();
    for (const Slot slot : leaving_) leaving_in_sets_.push_back({slot});
  }
  // Removes all from the policy before the first is handed over, which on the instant clock has its effects at once.
  std::vector<LeavingPage> together = std::move(leaving_in_sets_);
  std::uint32_t set = 0;
  for (const LeavingPage& page : together) {
    if (!store_[page.slot].dirty()) continue;
    if (page.set != 0) ++statistics_.correlated_units;
    if (page.set != 0 && page.set != set) ++statistics_.correlated_sets;
    set = page.set;
    evict(store_[page.slot], cause, page.slot == together.back().slot, page.set);
  }
  leaving_in_sets_ = std::move(together);  // its memory, for the next time
}

void Evictor::evict_for_flush(BufferEntry& entry) {
  if (shape_.whole_blocks) {
    evict_with_companions(store_.slot_of(entry), DestageCause::Flush);
    return;
  }
  ++statistics_.evicted_groups;
  leaving_.assign(1, store_.slot_of(entry));
  evict_leaving(DestageCause::Flush);
}

// Gathers the dirty units of the victim's aligned group of logical units, in order, so that whole groups are in whole
// pages; then the units that became dirty first.
[[gnu::noinline]] void Evictor::gather_program_unit(Slot victim) {
  const std::uint32_t first = store_[victim].write.unit / shape_.program_units * shape_.program_units;
  leaving_.clear();
  for (std::uint32_t unit = first; unit < first + shape_.program_units; ++unit) {
    const BufferEntry* const entry = store_.find(unit);
    if (entry != nullptr && entry->dirty()) leaving_.push_back(store_.slot_of(*entry));
  }
  for (const BufferEntry& entry : store_.dirty()) {
    if (leaving_.size() == shape_.program_units) break;
    const Slot slot = store_.slot_of(entry);
    if (std::ranges::find(leaving_, slot) == leaving_.end()) leaving_.push_back(slot);
  }
}

void Evictor::destage_to_low(std::uint8_t part) {
  const BufferPart& of = store_.parts()[part];
  while (of.dirty > of.low_units) evict_next(part, DestageCause::Watermark);
}

void Evictor::evict(BufferEntry& entry, DestageCause cause, bool last, std::uint32_t set) {
  store_.leave(entry, last, set);
  ++statistics_.destages[static_cast<std::size_t>(cause)];
  ++statistics_.evictions;
  destager_.order_write(entry);
}

// Evicts all of the unit's block, in order. Padding gets its version now, so that a later host write to a padded unit
// counts as newer, however far the padding has got.
[[gnu::noinline]] void Evictor::evict_padded(std::uint32_t unit, DestageCause cause) {
  const std::uint32_t first = unit / shape_.units_per_block * shape_.units_per_block;
  const std::uint32_t end = std::min(first + shape_.units_per_block, shape_.logical_units);
  for (std::uint32_t each = first; each < end; ++each) {
    const bool last = each + 1 == end;
    BufferEntry* const entry = store_.find(each);
    if (entry != nullptr && entry->dirty()) {
      evict(*entry, cause, last);
      continue;
    }
    ++statistics_.padding_units;
    destager_.order(PaddingOrder{each, store_.next_version(), store_.evictions(), last});
  }
}

}  // namespace flashloom
