#include "controllers/buffer/entry_store.hpp"

#include <algorithm>
#include <bit>

#include "controllers/runtime/fault.hpp"

namespace flashloom {

EntryStore::EntryStore(const BufferShape& shape, std::vector<BufferPart> parts, std::unique_ptr<CorrelatedSets> sets,
                       std::unique_ptr<NvramRecords> records, BufferStatistics& statistics)
    : pieces_(shape.unit_bytes, shape.sector_bytes),
      slots_(shape.units),
      destage_units_(shape.destage_units),
      sectors_(shape.unit_bytes / shape.sector_bytes),
      verify_(shape.verify),
      parts_(std::move(parts)),
      sets_(std::move(sets)),
      records_(std::move(records)),
      statistics_(statistics),
      entries_(shape.units + shape.padding_units),
      index_(entries_.size()) {
  if (verify_) tokens_.resize(entries_.size() * sectors_);
  free_.reserve(slots_);
  for (auto slot = static_cast<Slot>(entries_.size()); slot-- > 0;) {
    entries_[slot].write.owner_slot = slot;
    if (verify_) entries_[slot].write.tokens = &tokens_[std::size_t{slot} * sectors_];
    (slot < slots_ ? free_ : free_padding_).push_back(slot);
  }
}

void EntryStore::tell(WriteListener& listener) {
  for (BufferEntry& entry : entries_) entry.write.listener = &listener;
}

Task<void> EntryStore::recover() {
  std::vector<WriteUnit*> units;
  for (BufferEntry& entry : entries_) units.push_back(&entry.write);
  std::vector<Slot> held;
  co_await records_->recover(held, units);
  if (!held.empty()) version_ = std::max(version_, entries_[held.back()].write.version);
  for (const Slot slot : held) restore(slot);
  std::erase_if(free_, [this](Slot slot) { return entries_[slot].dirty(); });
}

void EntryStore::restore(Slot slot) {
  BufferEntry& entry = entries_[slot];
  entry.recorded = true;
  entry.write.request = 0;
  // Flash may have the tombstone of a trim that was in flight. The recorded data outlive it, so they get a newer
  // version.
  entry.write.version = ++version_;
  enter(entry, entry.write.stream, ++writes_);  // nobody knows any more what was written together
}

std::uint64_t EntryStore::serve_held(const BufferEntry* entry, std::uint32_t unit, std::uint64_t sectors,
                                     SectorToken* tokens, std::uint32_t first_sector) const {
  const std::uint64_t rest = missing_of(entry, unit, sectors);
  if (tokens != nullptr)
    for (std::uint64_t held = sectors & ~rest; held != 0; held &= held - 1) {
      const auto sector = static_cast<std::uint32_t>(std::countr_zero(held));
      const bool written = entry != nullptr && ((entry->write.sectors >> sector) & 1) != 0;
      tokens[sector - first_sector] = written ? entry->write.tokens[sector] : SectorToken{0};
    }
  return rest;
}

std::uint64_t EntryStore::missing_of(const BufferEntry* entry, std::uint32_t unit, std::uint64_t sectors) const {
  const std::uint64_t rest = entry == nullptr ? sectors : sectors & ~entry->write.sectors;
  return rest != 0 && !trims_.empty() && !fault(Fault::TrimUncovers) && being_trimmed(unit) ? 0 : rest;
}

BufferEntry& EntryStore::take_slot(std::uint32_t unit) {
  BufferEntry& entry = entries_[free_.back()];
  free_.pop_back();
  entry.write.unit = unit;
  entry.write.sectors = 0;
  entry.write.rest_lost = false;
  if (verify_) std::fill_n(entry.write.tokens, sectors_, SectorToken{0});
  return entry;
}

void EntryStore::merge(BufferEntry& entry, const UnitPiece& piece) {
  entry.write.version = ++version_;
  entry.write.request = piece.request;
  entry.write.sectors |= piece.sectors;
  entry.write.stream = piece.stream;
  entry.write.placement = piece.placement;
  if (piece.tokens != nullptr)
    std::copy_n(piece.tokens, std::popcount(piece.sectors), entry.write.tokens + piece.first_sector);
}

inline void EntryStore::become_dirty(BufferEntry& entry) {
  entry.state = EntryState::Resident;
  entry.dirty_since = version_;
  ++part_of(entry).dirty;
  dirty_.push_back(entry);
}

inline void EntryStore::enter(BufferEntry& entry, std::uint8_t stream, std::uint64_t write) {
  entry.part = part_of(stream);
  enter_index(entry);
  become_dirty(entry);
  part_of(entry).victims->inserted(slot_of(entry), entry.write.unit, Access::Write);
  tell_sets(entry, write);
}

// If `piece` is only a part of the unit, the sectors of `older` are merged in; not if the rest of `older` is lost: then
// its data will not get to flash, and it is treated as if it were there already.
BufferEntry& EntryStore::place(const UnitPiece& piece, BufferEntry* older) {
  BufferEntry& entry = take_slot(piece.unit);
  if (older != nullptr) {
    if (piece.sectors != pieces_.all_sectors() && !older->write.rest_lost) {
      entry.write.sectors = pieces_.all_sectors();
      if (verify_) std::copy_n(older->write.tokens, sectors_, entry.write.tokens);
    }
    if (!fault(Fault::StaleEntry)) leave_index(*older);
  }
  merge(entry, piece);
  enter(entry, piece.stream, piece.write);
  return entry;
}

void EntryStore::overwrite(BufferEntry& entry, const UnitPiece& piece) {
  merge(entry, piece);
  tell_sets(entry, piece.write);
  BufferPart& part = part_of(entry);
  if (entry.dirty()) {
    ++statistics_.write_hits;
    ++statistics_.parts[part_of(piece.stream)].write_hits;
    part.victims->referenced(slot_of(entry), Access::Write);
    return;
  }
  if (std::exchange(entry.ahead, false)) ++statistics_.read_ahead_wasted;
  --part.clean;
  become_dirty(entry);
  if (part.clean_victims == nullptr) {
    part.victims->referenced(slot_of(entry), Access::Write);
  } else {
    part.clean_victims->dropped(slot_of(entry));
    part.victims->inserted(slot_of(entry), entry.write.unit, Access::Write);
  }
}

Task<Picoseconds> EntryStore::record(BufferEntry& entry, BufferEntry* superseded) {
  entry.recorded = true;
  std::uint32_t released = NvramRecords::kNone;
  if (superseded != nullptr && std::exchange(superseded->recorded, false)) released = slot_of(*superseded);
  return records_->write(slot_of(entry), entry.write, released);
}

void EntryStore::leave(BufferEntry& entry, bool last, std::uint32_t set) {
  part_of(entry).victims->removed(slot_of(entry));
  if (sets_ != nullptr) sets_->removed(slot_of(entry));
  dirty_.erase(dirty_.iterator_to(entry));
  --part_of(entry).dirty;
  entry.state = EntryState::Destaging;
  entry.write.last = last;
  entry.write.set = set;
  entry.order = ++evictions_;
  destaging_.push_back(entry);
  ++destaging_count_;
}

void EntryStore::end_destaging(BufferEntry& entry) {
  destaging_.erase(destaging_.iterator_to(entry));
  --destaging_count_;
}

// The buffer's previous contents are on flash by now, and it holds the last units of the stream.
void EntryStore::pass_stream(const StreamCycle& cycle, std::uint64_t cycles, std::uint64_t writes) {
  const std::uint64_t units = cycles * cycle.units();
  std::uint32_t unit = dirty_.empty() ? 0 : dirty_.front().write.unit + static_cast<std::uint32_t>(units);
  std::vector<Slot> resident;
  while (!dirty_.empty()) {
    BufferEntry& entry = dirty_.front();
    resident.push_back(slot_of(entry));
    part_of(entry).victims->removed(slot_of(entry));
    --part_of(entry).dirty;
    dirty_.pop_front();
    leave_index(entry);
    entry.state = EntryState::Free;
  }
  version_ += units - resident.size();
  cycle.pass(cycles, resident, free_);
  for (const Slot slot : resident) {
    BufferEntry& entry = entries_[slot];
    entry.write.unit = unit++;
    entry.write.sectors = pieces_.all_sectors();
    entry.write.rest_lost = false;
    entry.write.placement = {};
    entry.write.version = ++version_;
    enter(entry, 0, 0);
  }
  evictions_ += units;
  writes_ = writes;
}

BufferEntry& EntryStore::begin_reading(std::uint32_t unit, std::uint8_t part) {
  BufferEntry& entry = take_slot(unit);
  entry.state = EntryState::Reading;
  entry.part = part;
  ++part_of(entry).clean;
  enter_index(entry);
  part_of(entry).of_clean().inserted(slot_of(entry), unit, Access::Read);
  return entry;
}

void EntryStore::keep(BufferEntry& entry, std::uint64_t sectors, const SectorToken* tokens,
                      std::uint32_t first_sector) {
  entry.state = EntryState::Clean;
  entry.write.sectors = sectors;
  if (tokens == nullptr || tokens == entry.write.tokens) return;
  for (std::uint64_t held = sectors; held != 0; held &= held - 1) {
    const auto sector = static_cast<std::uint32_t>(std::countr_zero(held));
    entry.write.tokens[sector] = tokens[sector - first_sector];
  }
}

// The slot of an entry that is being read becomes free when its data arrive.
[[gnu::noinline]] void EntryStore::forget_clean(BufferEntry& entry, bool evicted) {
  leave_index(entry);
  EvictionPolicy& policy = part_of(entry).of_clean();
  if (evicted)
    policy.removed(slot_of(entry));
  else
    policy.dropped(slot_of(entry));
  --part_of(entry).clean;
  if (evicted) ++statistics_.evictions_clean;
  if (std::exchange(entry.ahead, false)) ++statistics_.read_ahead_wasted;
  if (entry.state == EntryState::Reading)
    arrived_.wake_all();
  else
    free(entry);
}

BufferEntry& EntryStore::take_padding() {
  BufferEntry& entry = entries_[free_padding_.back()];
  free_padding_.pop_back();
  if (verify_) std::fill_n(entry.write.tokens, sectors_, SectorToken{0});
  return entry;
}

void EntryStore::pad(BufferEntry& entry, std::uint32_t unit, std::uint64_t version, bool last) {
  entry.state = EntryState::Padding;
  entry.write.unit = unit;
  entry.write.version = version;
  entry.write.sectors = pieces_.all_sectors();
  entry.write.stream = 0;
  entry.write.placement = {};
  entry.write.request = 0;
  entry.write.last = last;
  entry.write.refused = false;
  show_padding(entry);
}

// Enters it in the index: reads must find it until it is on flash, since its program unit may fill late.
void EntryStore::show_padding(BufferEntry& entry) {
  if (being_trimmed(entry.write.unit)) return;  // the trim comes behind it
  BufferEntry* const other = find(entry.write.unit);
  if (other != nullptr && other->dirty()) return;  // newer
  if (other != nullptr && other->on_its_way()) {
    if (other->write.version > entry.write.version) return;
    leave_index(*other);
  } else if (other != nullptr) {
    forget_clean(*other, false);
  }
  enter_index(entry);
}

void EntryStore::free_padding(BufferEntry& entry) {
  leave_index(entry);
  entry.state = EntryState::Free;
  free_padding_.push_back(slot_of(entry));
}

const BufferEntry* EntryStore::on_its_way(std::uint32_t unit, std::uint64_t evictions) const {
  if (find(unit) == nullptr) return nullptr;
  const BufferEntry* newest = nullptr;
  for (const BufferEntry& entry : destaging_)
    if (entry.order <= evictions && entry.write.unit == unit) newest = &entry;
  for (std::size_t slot = slots_; slot < entries_.size(); ++slot) {
    const BufferEntry& padding = entries_[slot];
    if (padding.state != EntryState::Padding || padding.write.unit != unit) continue;
    if (newest == nullptr || padding.write.version > newest->write.version) newest = &padding;
  }
  return newest;
}

bool EntryStore::being_trimmed(std::uint32_t unit) const {
  return std::ranges::any_of(trims_, [unit](UnitRange trim) { return unit - trim.first < trim.count; });
}

// Iterates over units or over entries, whichever is shorter. Slots become free in the order in which units are dropped.
void EntryStore::discard(std::uint32_t first, std::uint32_t count) {
  if (count < std::bit_ceil(std::size_t{slots_} * 2)) {
    for (std::uint32_t unit = first; unit < first + count; ++unit)
      if (BufferEntry* const entry = find(unit)) discard(*entry);
  } else {
    for (BufferEntry& entry : entries_)
      if (entry.newest && entry.write.unit - first < count) discard(entry);
  }
}

[[gnu::noinline]] void EntryStore::discard(BufferEntry& entry) {
  if (entry.on_its_way()) {  // it goes to flash and is unmapped behind
    leave_index(entry);
    release(entry);
  } else if (entry.dirty()) {
    ++discarded_;
    part_of(entry).victims->dropped(slot_of(entry));
    if (sets_ != nullptr) sets_->removed(slot_of(entry));
    dirty_.erase(dirty_.iterator_to(entry));
    --part_of(entry).dirty;
    free(entry);
  } else {
    forget_clean(entry, false);
  }
}

void EntryStore::state(StateArchive& archive) {
  archive(tokens_);
  for (BufferEntry& entry : entries_) {
    archive(entry.write.unit, entry.write.version, entry.write.sectors, entry.write.stream,
            entry.write.placement.directive, entry.write.placement.identifier, entry.write.last, entry.order,
            entry.dirty_since, entry.state, entry.part, entry.ahead, entry.recorded, entry.newest);
    if (!archive.loading()) continue;
    entry.write.rest_lost =
        entry.on_its_way() && entry.write.sectors != pieces_.all_sectors();  // nothing is being read
    if (entry.newest) enter_index(entry);
  }
  list_state(archive, dirty_);
  list_state(archive, destaging_);
  archive(free_, free_padding_, in_table_, destaging_count_, version_, writes_, evictions_);
}

void EntryStore::policies_state(StateArchive& archive) {
  archive.part("replacement");
  for (BufferPart& part : parts_) {
    archive(part.dirty, part.clean);
    part.victims->state(archive);
    if (part.clean_victims != nullptr) part.clean_victims->state(archive);
  }
  if (sets_ != nullptr) sets_->state(archive);
}

void EntryStore::list_state(StateArchive& archive, List& list) {
  std::vector<Slot> slots;
  for (const BufferEntry& entry : list) slots.push_back(slot_of(entry));
  archive(slots);
  if (archive.loading())
    for (const Slot slot : slots) list.push_back(entries_[slot]);
}

}  // namespace flashloom
