// The reading side of the data buffer: what it serves, what it keeps of what was read, what it reads ahead.
#include <algorithm>
#include <bit>

#include "controllers/buffer/data_buffer.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

std::uint64_t DataBuffer::serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                                std::uint32_t first_sector) {
  return serve(find(unit), unit, sectors, tokens, first_sector);
}

std::uint64_t DataBuffer::serve(const Entry* entry, std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                                std::uint32_t first_sector) const {
  const std::uint64_t rest = missing(entry, unit, sectors);
  if (tokens != nullptr)
    for (std::uint64_t held = sectors & ~rest; held != 0; held &= held - 1) {
      const auto sector = static_cast<std::uint32_t>(std::countr_zero(held));
      const bool written = entry != nullptr && ((entry->write.sectors >> sector) & 1) != 0;
      tokens[sector - first_sector] = written ? entry->write.tokens[sector] : SectorToken{0};
    }
  return rest;
}

std::uint64_t DataBuffer::missing(std::uint32_t unit, std::uint64_t sectors) const {
  return missing(find(unit), unit, sectors);
}

std::uint64_t DataBuffer::missing(const Entry* entry, std::uint32_t unit, std::uint64_t sectors) const {
  const std::uint64_t rest = entry == nullptr ? sectors : sectors & ~entry->write.sectors;
  return rest != 0 && !trims_.empty() && !fault(Fault::TrimUncovers) && being_trimmed(unit) ? 0 : rest;
}

bool DataBuffer::being_trimmed(std::uint32_t unit) const {
  return std::any_of(trims_.begin(), trims_.end(),
                     [unit](const TrimOrder& trim) { return unit - trim.first < trim.count; });
}

DataBuffer::BufferRead& DataBuffer::take_request() {
  if (free_requests_.empty()) [[unlikely]]
    free_requests_.push_back(requests_.emplace_back(std::make_unique<BufferRead>()).get());
  BufferRead& request = *free_requests_.back();
  free_requests_.pop_back();
  request.units.clear();
  request.front = this;
  request.ready = 0;
  request.data_done = 0;
  request.sent = 0;
  request.failed = false;
  return request;
}

// For a read of the buffer's own, which no host command waits for.
DataBuffer::BufferRead& DataBuffer::take_unheard_request() {
  BufferRead& request = take_request();
  request.number = 0;
  request.flow = kNoFlow;
  request.setup = 0;
  request.unheard.begin(hardware_.now());
  request.breakdown = &request.unheard;
  request.to_host = false;
  return request;
}

Task<void> DataBuffer::read(IoCommand& command, Picoseconds fetched) {
  ftl_.prefetch(first_unit(command));
  co_await hardware_.cpu(FirmwareStep::CommandParse, 1, FirmwareStep::BufferLookup, units_of(command), fetched,
                         command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  ReadAhead::Range ahead;
  if (shape_.read_cache && shape_.read_ahead_units != 0 && command.length != 0) [[unlikely]] {
    ahead = ahead_.read(first_unit(command), units_of(command));
    co_await until_read(first_unit(command), units_of(command));
    command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  }
  BufferRead& request = look_up(command);
  if (ahead.count != 0 && ahead.first < shape_.logical_units) [[unlikely]]
    begin_read_ahead(ahead, part_of(command.stream));
  if (request.served != 0) {
    const Picoseconds in_hand =
        co_await hardware_.buffer_read(request.served, 0, hardware_.buffer_address(command.offset, request.served));
    // Hidden behind what comes from flash, if anything does.
    if (request.units.empty()) command.breakdown.attribute(LatencyPart::Dram, in_hand);
    if (request.setup != 0) [[unlikely]]
      co_await hardware_.to_host(std::exchange(request.setup, 0), in_hand);
    request.data_done = co_await hardware_.to_host(request.served, in_hand);
  }
  if (!request.units.empty()) {
    co_await ftl_.read(request);
    if (!request.fills.empty()) [[unlikely]] {
      const std::uint64_t kept = keep(request);
      if (records_ != nullptr) co_await hardware_.nvram_write(kept);  // on the side
    }
    // What did not come from flash goes to the host too: zeroes of unmapped units, sectors that the buffer had.
    if (const std::uint64_t rest = command.length - request.served - request.sent; rest != 0) [[unlikely]] {
      if (request.setup != 0) co_await hardware_.to_host(std::exchange(request.setup, 0), request.ready);
      request.data_done = std::max(request.data_done, co_await hardware_.to_host(rest, request.ready));
    }
  }
  command.data_done = request.data_done;
  if (request.failed) command.status = IoStatus::MediaError;
  // The completion entry follows the data on the link; the core prepares it meanwhile.
  command.ready = std::max(request.ready, hardware_.charge(FirmwareStep::CommandComplete, 1, command.queue));
  free_requests_.push_back(&request);
}

// Serves what the buffer has; the rest are the request's units.
DataBuffer::BufferRead& DataBuffer::look_up(IoCommand& command) {
  const std::uint32_t first = first_unit(command);
  const std::uint32_t units = units_of(command);
  const bool caching = shape_.read_cache;
  const std::uint8_t part_number = part_of(command.stream);
  BufferRead& request = take_request();
  request.number = command.number;
  request.flow = command.stream;
  request.setup = command.frames == nullptr ? 0 : command.frames->setup;
  request.breakdown = &command.breakdown;
  request.to_host = true;
  std::uint64_t served = 0;
  for (std::uint32_t unit = first; unit < first + units; ++unit) {
    const Piece part = piece(command, unit);
    Entry* const entry = find(unit);
    const std::uint64_t rest = serve(entry, unit, part.sectors, part.tokens, part.first_sector);
    if (rest == 0) {
      if (entry != nullptr) {
        ++(entry->on_its_way() ? statistics_.destage_hits : statistics_.read_hits);
        if (!entry->on_its_way()) ++statistics_.parts[part_number].read_hits;
        if (entry->state == State::Clean) ++statistics_.read_hits_clean;
        if (caching && !entry->on_its_way()) {
          used_ahead(*entry);
          Part& of = part_of(*entry);
          (entry->state == State::Clean ? of.of_clean() : *of.victims).referenced(slot_of(*entry), Access::Read);
        }
      }
      served += static_cast<std::uint64_t>(std::popcount(part.sectors)) * shape_.sector_bytes;
    } else {
      request.units.push_back({unit, part.first_sector, rest, part.tokens});
    }
  }
  request.served = served;
  // All is looked up before anything makes room for what is missing: whether the buffer still has a unit of this read
  // must not depend on how far another is on its way to flash.
  if (caching) [[unlikely]]
    for (const ReadUnit& wanted : request.units) {
      if (find(wanted.unit) != nullptr) continue;
      if (Entry* const place = take_clean_slot(wanted.unit, part_number))
        request.fills.push_back({slot_of(*place), wanted.first_sector, wanted.sectors, wanted.tokens});
    }
  statistics_.read_units += units;
  statistics_.parts[part_number].read_units += units;
  return request;
}

void DataBuffer::begin_read_ahead(const ReadAhead::Range& ahead, std::uint8_t part) {
  const auto begin = static_cast<std::uint32_t>(ahead.first);
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(ahead.count, shape_.logical_units - begin));
  Runtime::current().spawn([this, begin, count, part] { return read_ahead(begin, count, part); });
}

// What is on its way from flash need not be read twice.
Task<void> DataBuffer::until_read(std::uint32_t first, std::uint32_t units) {
  for (std::uint32_t unit = first; unit < first + units;) {
    const Entry* const entry = find(unit);
    if (entry != nullptr && entry->state == State::Reading)
      co_await arrived_.wait();
    else
      ++unit;
  }
}

// A place for a unit that is about to be read; null if there is none. Decided when the read sets out, so that timing
// changes nothing about who is kept.
DataBuffer::Entry* DataBuffer::take_clean_slot(std::uint32_t unit, std::uint8_t number) {
  Part& part = parts_[number];
  if (free_.empty() || part.clean_units == 0 || being_trimmed(unit)) return nullptr;
  const bool limited = part.clean >= part.clean_units;
  if (limited || part.resident() >= part.room) part.of_clean().expected(unit, Access::Read);
  if (limited) {
    forget_clean(entries_[part.of_clean().clean_victim()], true);
  } else if (part.resident() >= part.room) {
    const Slot clean = part.clean_victims != nullptr ? part.clean_victims->clean_victim() : kNoSlot;
    const Slot victim = clean != kNoSlot ? clean : part.victims->victim();
    if (entries_[victim].state != State::Resident)
      forget_clean(entries_[victim], true);
    else if (can_evict())
      evict_with_companions(victim, DestageCause::Need);
    else
      return nullptr;
    if (free_.empty() || find(unit) != nullptr) return nullptr;
  }
  const Slot slot = free_.back();
  free_.pop_back();
  Entry& entry = entries_[slot];
  entry.write.unit = unit;
  entry.write.sectors = 0;
  if (shape_.verify) std::fill_n(entry.write.tokens, shape_.unit_bytes / shape_.sector_bytes, SectorToken{0});
  entry.state = State::Reading;
  entry.part = number;
  ++part.clean;
  index_.insert(entry);
  part.of_clean().inserted(slot, unit, Access::Read);
  return &entry;
}

// What was read is there; returns the bytes that are kept. A place that was given up meanwhile (the unit was written or
// discarded) has left the index.
std::uint64_t DataBuffer::keep(BufferRead& request) {
  std::uint64_t bytes = 0;
  for (const BufferRead::Fill& fill : request.fills) {
    Entry& entry = entries_[fill.slot];
    IndexHook& kept = entry;
    if (request.failed && kept.is_linked()) forget_clean(entry, false);
    if (!kept.is_linked()) {
      entry.state = State::Free;
      free_.push_back(fill.slot);
      space_.wake_one();
      continue;
    }
    entry.write.sectors = fill.sectors;
    if (fill.tokens != nullptr && fill.tokens != entry.write.tokens)
      for (std::uint64_t held = fill.sectors; held != 0; held &= held - 1) {
        const auto sector = static_cast<std::uint32_t>(std::countr_zero(held));
        entry.write.tokens[sector] = fill.tokens[sector - fill.first_sector];
      }
    entry.state = State::Clean;
    bytes += static_cast<std::uint64_t>(std::popcount(fill.sectors)) * shape_.sector_bytes;
  }
  request.fills.clear();
  arrived_.wake_all();
  return bytes;
}

// A clean unit leaves, or one that is being read: its slot is free when its data have come.
void DataBuffer::forget_clean(Entry& entry, bool evicted) {
  index_.erase(index_.iterator_to(entry));
  EvictionPolicy& policy = part_of(entry).of_clean();
  if (evicted)
    policy.removed(slot_of(entry));
  else
    policy.dropped(slot_of(entry));
  --part_of(entry).clean;
  if (evicted) ++statistics_.evictions_clean;
  if (std::exchange(entry.ahead, false)) ++statistics_.read_ahead_wasted;
  if (entry.state == State::Reading) {
    arrived_.wake_all();
    return;
  }
  entry.state = State::Free;
  free_.push_back(slot_of(entry));
  space_.wake_one();
}

Task<void> DataBuffer::read_ahead(std::uint32_t first, std::uint32_t count, std::uint8_t part) {
  BufferRead& request = take_unheard_request();
  for (std::uint32_t unit = first; unit < first + count; ++unit) {
    if (find(unit) != nullptr) continue;
    Entry* const place = take_clean_slot(unit, part);
    if (place == nullptr) break;
    place->ahead = true;
    ++statistics_.read_ahead_units;
    request.units.push_back({unit, 0, all_sectors_, place->write.tokens});
    request.fills.push_back({slot_of(*place), 0, all_sectors_, place->write.tokens});
  }
  if (!request.units.empty()) {
    co_await ftl_.read(request);
    const std::uint64_t kept = keep(request);
    if (records_ != nullptr) co_await hardware_.nvram_write(kept);
  }
  free_requests_.push_back(&request);
}

}  // namespace flashloom
