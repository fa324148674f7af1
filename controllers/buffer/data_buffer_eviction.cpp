// What leaves the data buffer: victims with what goes along, and page padding, for which a logical block leaves whole,
// what is not buffered of it being read from flash first.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/buffer/data_buffer.hpp"

namespace flashloom {

void DataBuffer::evict_next(std::uint8_t number, DestageCause cause) {
  Slot victim = parts_[number].victims->victim();
  // Where a clean one should leave first, that does not help: the one that has been dirty longest.
  if (entries_[victim].state != State::Resident)
    victim = slot_of(
        *std::find_if(dirty_.begin(), dirty_.end(), [number](const Entry& entry) { return entry.part == number; }));
  evict_with_companions(victim, cause);
}

// What leaves is decided at once, all of it; the destager hands it on as the destage table allows.
void DataBuffer::evict_with_companions(Slot victim, DestageCause cause) {
  EvictionPolicy& victims = *part_of(entries_[victim]).victims;
  ++statistics_.evicted_groups;
  if (victims.traits().padding) {
    evict_padded(entries_[victim].write.unit, cause);
    return;
  }
  if (!victims.traits().companions && shape_.program_units == 1 && sets_ == nullptr) {
    evict(entries_[victim], cause);
    return;
  }
  leaving_.assign(1, victim);
  victims.companions(victim, leaving_);
  if (leaving_.size() == 1 && shape_.program_units > 1) gather_program_unit(victim);
  evict_leaving(cause);
}

// What stands in leaving_, and the sets that it belongs to.
void DataBuffer::evict_leaving(DestageCause cause) {
  if (sets_ == nullptr && leaving_.size() == 1) {
    evict(entries_[leaving_.front()], cause);
    return;
  }
  if (sets_ != nullptr) {
    sets_->complete(leaving_, leaving_in_sets_);
  } else {
    leaving_in_sets_.clear();
    for (const Slot slot : leaving_) leaving_in_sets_.push_back({slot});
  }
  // Out of the policy before the first is handed over: on the instant clock that is a deed.
  std::vector<LeavingPage> together = std::move(leaving_in_sets_);
  std::uint32_t set = 0;
  for (const LeavingPage& page : together) {
    if (entries_[page.slot].state != State::Resident) continue;
    if (page.set != 0) ++statistics_.correlated_units;
    if (page.set != 0 && page.set != set) ++statistics_.correlated_sets;
    set = page.set;
    evict(entries_[page.slot], cause, page.slot == together.back().slot, page.set);
  }
  leaving_in_sets_ = std::move(together);  // its memory, for the next time
}

void DataBuffer::evict_for_flush(Entry& entry) {
  if (shape_.whole_blocks) {
    evict_with_companions(slot_of(entry), DestageCause::Flush);
    return;
  }
  ++statistics_.evicted_groups;
  leaving_.assign(1, slot_of(entry));
  evict_leaving(DestageCause::Flush);
}

// All that is dirty of the victim's aligned group of logical units, in their order, so that whole groups lie in whole
// pages; then those that became dirty first.
void DataBuffer::gather_program_unit(Slot victim) {
  const std::uint32_t first = entries_[victim].write.unit / shape_.program_units * shape_.program_units;
  leaving_.clear();
  for (std::uint32_t unit = first; unit < first + shape_.program_units; ++unit) {
    const Entry* const entry = find(unit);
    if (entry != nullptr && entry->state == State::Resident) leaving_.push_back(slot_of(*entry));
  }
  for (const Entry& entry : dirty_) {
    if (leaving_.size() == shape_.program_units) break;
    const Slot slot = slot_of(entry);
    if (std::find(leaving_.begin(), leaving_.end(), slot) == leaving_.end()) leaving_.push_back(slot);
  }
}

void DataBuffer::destage_to_low(std::uint8_t part) {
  while (parts_[part].dirty > parts_[part].low_units) evict_next(part, DestageCause::Watermark);
}

void DataBuffer::evict(Entry& entry, DestageCause cause, bool last, std::uint32_t set) {
  part_of(entry).victims->removed(slot_of(entry));
  if (sets_ != nullptr) sets_->removed(slot_of(entry));
  dirty_.erase(dirty_.iterator_to(entry));
  --part_of(entry).dirty;
  ++statistics_.destages[static_cast<std::size_t>(cause)];
  entry.state = State::Destaging;
  entry.write.last = last;
  entry.write.set = set;
  entry.order = ++evictions_;
  destaging_.push_back(entry);
  ++destaging_count_;
  ++statistics_.evictions;
  order_write(entry);
}

// All of the unit's block leaves, in order. What pads it takes its version now, so that the host's next write of it
// counts for newer wherever padding has got to by then.
void DataBuffer::evict_padded(std::uint32_t unit, DestageCause cause) {
  const std::uint32_t first = unit / shape_.units_per_block * shape_.units_per_block;
  const std::uint32_t end = std::min(first + shape_.units_per_block, shape_.logical_units);
  for (std::uint32_t each = first; each < end; ++each) {
    Entry* const entry = find(each);
    if (entry != nullptr && entry->state == State::Resident) {
      evict(*entry, cause, each + 1 == end);
      continue;
    }
    ++statistics_.padding_units;
    order(PaddingOrder{.unit = each, .version = ++version_, .evictions = evictions_, .last = each + 1 == end});
  }
}

// Its turn among the writes has come: all that left before it is the FTL's, and nothing that left after it.
Task<void> DataBuffer::pad(PaddingOrder order) {
  // What the buffer still has of the unit's older data, while they are on their way to flash.
  struct Older final : FrontBuffer {
    const DataBuffer& buffer;
    std::uint64_t evictions;
    Older(const DataBuffer& of, std::uint64_t until) : buffer(of), evictions(until) {}

    const Entry* find(std::uint32_t unit) const {
      const Entry* const newest = buffer.find(unit);
      if (newest == nullptr) return nullptr;
      const Entry* older = nullptr;
      for (const Entry& entry : buffer.destaging_)
        if (entry.order <= evictions && entry.write.unit == unit) older = &entry;
      for (std::size_t slot = buffer.shape_.units; slot < buffer.entries_.size(); ++slot) {
        const Entry& padding = buffer.entries_[slot];
        if (padding.state != State::Padding || padding.write.unit != unit) continue;
        if (older == nullptr || padding.write.version > older->write.version) older = &padding;
      }
      return older;
    }
    std::uint64_t serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                        std::uint32_t first_sector) override {
      return buffer.serve(find(unit), unit, sectors, tokens, first_sector);
    }
    std::uint64_t missing(std::uint32_t unit, std::uint64_t sectors) const override {
      return buffer.missing(find(unit), unit, sectors);
    }
    WriteUnit& write_unit(std::uint32_t) override { throw std::logic_error("padding is read, not written"); }
  };

  while (free_padding_.empty() && !ftl_.out_of_room()) co_await padding_.wait();
  if (ftl_.out_of_room()) co_return;  // its block does not leave any more
  Entry& entry = entries_[free_padding_.back()];
  free_padding_.pop_back();
  const std::uint32_t sectors = shape_.unit_bytes / shape_.sector_bytes;
  if (shape_.verify) std::fill_n(entry.write.tokens, sectors, SectorToken{0});
  Older older(*this, order.evictions);
  BufferRead& request = take_unheard_request();
  request.front = &older;
  request.units.push_back({order.unit, 0, all_sectors_, shape_.verify ? entry.write.tokens : nullptr});
  co_await ftl_.read(request);
  const bool failed = request.failed;
  free_requests_.push_back(&request);
  if (failed) {  // it stays where it is
    free_padding_.push_back(slot_of(entry));
    co_return;
  }
  entry.state = State::Padding;
  entry.write.unit = order.unit;
  entry.write.version = order.version;
  entry.write.sectors = all_sectors_;
  entry.write.stream = 0;
  entry.write.request = 0;
  entry.write.last = order.last;
  entry.write.refused = false;
  show_padding(entry);
  co_await ftl_.write(entry.write);
  if (entry.write.refused) strand(entry);  // it may hide what has been refused before it
}

// Reads find it until it is on flash: it may wait long for its program unit to fill.
void DataBuffer::show_padding(Entry& entry) {
  if (being_trimmed(entry.write.unit)) return;  // the trim comes behind it
  Entry* const other = find(entry.write.unit);
  if (other != nullptr && other->state == State::Resident) return;  // newer
  if (other != nullptr && other->on_its_way()) {
    if (other->write.version > entry.write.version) return;
    index_.erase(index_.iterator_to(*other));
  } else if (other != nullptr) {
    drop(*other);
  }
  index_.insert(entry);
}

}  // namespace flashloom
