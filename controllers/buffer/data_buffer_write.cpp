// Host writes on their way into the data buffer: units that are here already, and room for those that are not.
#include <algorithm>
#include <bit>
#include <utility>

#include "controllers/buffer/data_buffer.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {
namespace {

std::uint64_t sector_mask(std::uint64_t first, std::uint64_t end) {
  const std::uint64_t below_end = end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
  return below_end & ~((std::uint64_t{1} << first) - 1);
}

}  // namespace

DataBuffer::Piece DataBuffer::piece(const IoCommand& command, std::uint32_t unit, std::uint64_t write) const {
  Piece piece{.unit = unit, .stream = command.stream, .request = command.number, .write = write};
  const std::uint64_t begin = std::uint64_t{unit} * shape_.unit_bytes;
  const std::uint64_t from = std::max(command.offset, begin);
  const std::uint64_t to = std::min(command.offset + command.length, begin + shape_.unit_bytes);
  if (command.tokens != nullptr) piece.tokens = command.tokens + sector_.quotient(from - command.offset);
  if (to - from == shape_.unit_bytes) {  // most are whole units
    piece.sectors = all_sectors_;
    return piece;
  }
  piece.first_sector = static_cast<std::uint32_t>(sector_.quotient(from - begin));
  piece.sectors = sector_mask(piece.first_sector, sector_.quotient(to - begin));
  return piece;
}

void DataBuffer::merge(Entry& entry, const Piece& piece) {
  entry.write.version = ++version_;
  entry.write.request = piece.request;
  entry.write.sectors |= piece.sectors;
  entry.write.stream = piece.stream;
  if (piece.tokens != nullptr)
    std::copy_n(piece.tokens, std::popcount(piece.sectors), entry.write.tokens + piece.first_sector);
}

// On the instant clock nothing but the look-up and the taking is left of it, most often without a coroutine.
Task<void> DataBuffer::write(IoCommand& command, Picoseconds arrived) {
  if (hardware_.timed() || records_ != nullptr || waits_for_flash(command)) return write_in_time(command, arrived);
  Taking taking = begin_write(command);
  const Inserted stopped = take(command, taking);
  if (taking.unit == taking.end) return Task<void>::over();
  return take_rest_now(command, taking, stopped);
}

DataBuffer::Taking DataBuffer::begin_write(const IoCommand& command) {
  const std::uint32_t first = first_unit(command);
  const std::uint32_t units = units_of(command);
  const std::uint8_t number = part_of(command.stream);
  statistics_.write_units += units;
  statistics_.parts[number].write_units += units;
  return {.unit = first, .end = first + units, .part = number, .write = ++writes_};
}

// As far as nothing has to be waited for; says what stopped it where it has not taken all. `woken`: by a place that has
// become free; insert() passes it on where the unit does not need it any more.
DataBuffer::Inserted DataBuffer::take(const IoCommand& command, Taking& taking, bool woken) {
  if (records_ != nullptr) return Inserted::NotYet;
  for (; taking.unit != taking.end; woken = false) {
    const Piece part = piece(command, taking.unit, taking.write);
    if (Entry* const entry = find(part.unit)) {
      if (woken || (entry->state != State::Resident && entry->state != State::Clean)) return Inserted::NotYet;
      overwrite(*entry, part);
    } else if (const Inserted inserted = insert_now(part); inserted != Inserted::Done) {
      return inserted;
    }
    taken(taking);
  }
  return Inserted::Done;
}

void DataBuffer::taken(Taking& taking) {
  ++taking.unit;
  if (parts_[taking.part].dirty > parts_[taking.part].high_units) destage_to_low(taking.part);
}

Task<void> DataBuffer::take_rest(IoCommand& command, Taking& taking, Inserted stopped) {
  while (taking.unit != taking.end) {
    if (stopped == Inserted::NoRoom) [[likely]] {
      const std::uint32_t next = taking.unit;
      if (ftl_.out_of_room()) break;
      co_await space_.wait();
      stopped = take(command, taking, true);
      if (stopped != Inserted::NoRoom || taking.unit != next) continue;
    }
    const Piece part = piece(command, taking.unit, taking.write);
    while (being_buried(part.unit)) co_await ordered_.wait();
    Entry* const entry = find(part.unit);
    if (records_ != nullptr && entry != nullptr && (entry->state == State::Resident || entry->state == State::Clean)) {
      overwrite(*entry, part);
      co_await record(*entry, taking.recorded);
    } else {
      const bool inserted = co_await insert(part, taking.recorded, stopped == Inserted::NoRoom);
      if (!inserted) break;
    }
    taken(taking);
    stopped = take(command, taking);
  }
  if (taking.unit != taking.end) command.status = IoStatus::WriteProtected;
}

Task<void> DataBuffer::take_rest_now(IoCommand& command, Taking taking, Inserted stopped) {
  co_await take_rest(command, taking, stopped);
}

Task<void> DataBuffer::write_in_time(IoCommand& command, Picoseconds arrived) {
  // A write that need not wait for flash is looked up, taken and completed in one go.
  const bool durable = waits_for_flash(command);
  const std::uint64_t discarded = discarded_;
  co_await hardware_.cpu(FirmwareStep::BufferLookup, units_of(command), FirmwareStep::CommandComplete, durable ? 0 : 1,
                         arrived, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  Taking taking = begin_write(command);
  const Inserted stopped = take(command, taking);
  if (taking.unit != taking.end) co_await take_rest(command, taking, stopped);
  if (!durable) {
    command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
    if (records_ != nullptr) {  // acknowledged when a power cut can no longer take it away
      co_await hardware_.until(taking.recorded);
      command.breakdown.attribute(LatencyPart::Dram, taking.recorded);
    }
    co_return;
  }
  for (std::uint32_t unit = first_unit(command); unit < taking.end; ++unit) {
    Entry* entry = find(unit);
    while (entry != nullptr && entry->state == State::Resident && !can_evict() && !ftl_.out_of_room()) {
      co_await space_.wait();
      entry = find(unit);
    }
    if (entry != nullptr && entry->state == State::Resident && can_evict()) evict_for_flush(*entry);
  }
  if (can_evict()) space_.wake_one();
  // A trim that came in between may have discarded its data: then that must survive, or what is older would come back.
  order({.persist = discarded != discarded_});
  const std::uint64_t mine = orders_given_;
  co_await durable_up_to(evictions_, command.breakdown);
  while (discarded != discarded_ && orders_done_ < mine) co_await ordered_.wait();
  if (ftl_.out_of_room()) command.status = IoStatus::WriteProtected;
  co_await hardware_.cpu(FirmwareStep::CommandComplete, 1, 0, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
}

// Into a free slot; `older` is on its way to flash, and has all of the unit where `part` has not. Or its rest is lost:
// then flash will not have what it has, and it is as if it were there already.
DataBuffer::Entry& DataBuffer::place(const Piece& part, Entry* older) {
  const Slot slot = free_.back();
  free_.pop_back();
  Entry& entry = entries_[slot];
  const std::uint32_t sectors = shape_.unit_bytes / shape_.sector_bytes;
  entry.write.unit = part.unit;
  entry.write.sectors = 0;
  entry.write.rest_lost = false;
  if (shape_.verify) std::fill_n(entry.write.tokens, sectors, SectorToken{0});
  if (older != nullptr) {
    if (part.sectors != all_sectors_ && !older->write.rest_lost) {
      entry.write.sectors = all_sectors_;
      if (shape_.verify) std::copy_n(older->write.tokens, sectors, entry.write.tokens);
    }
    if (!fault(Fault::StaleEntry)) index_.erase(index_.iterator_to(*older));
  }
  merge(entry, part);
  entry.state = State::Resident;
  entry.part = part_of(part.stream);
  ++parts_[entry.part].dirty;
  index_.insert(entry);
  entry.dirty_since = version_;
  dirty_.push_back(entry);
  parts_[entry.part].victims->inserted(slot, part.unit, Access::Write);
  tell_sets(entry, part.write);
  return entry;
}

// A unit that is nowhere in the buffer, if nothing has to be waited for; else insert() does it, at once or when there
// may be room.
DataBuffer::Inserted DataBuffer::insert_now(const Piece& part) {
  const std::uint8_t number = part_of(part.stream);
  if (parts_[number].resident() >= parts_[number].room && !make_room(number, part.unit)) return Inserted::NoRoom;
  if (parts_[number].resident() >= parts_[number].room || free_.empty()) return Inserted::NotYet;
  place(part, shape_.padding_units == 0 ? nullptr : find(part.unit));  // what left may have been padded with it
  if (can_evict()) space_.wake_one();                                  // as insert() does
  return Inserted::Done;
}

// `full`: there was no room when it was last looked for. False: there will never be any, at the end of life.
Task<bool> DataBuffer::insert(Piece part, Picoseconds& recorded, bool full) {
  if (full && !ftl_.out_of_room()) co_await space_.wait();
  for (;;) {
    if (being_buried(part.unit)) [[unlikely]] {
      co_await ordered_.wait();
      continue;
    }
    Entry* const older = find(part.unit);
    if (older != nullptr && older->state == State::Reading) {  // what comes is of no use any more
      drop(*older);
      continue;
    }
    if (older != nullptr && !older->on_its_way()) {  // another command put it there while this one waited
      overwrite(*older, part);
      if (records_ != nullptr) co_await record(*older, recorded);
      break;
    }
    if (older != nullptr && older->write.sectors != all_sectors_ && !older->write.rest_lost &&
        part.sectors != all_sectors_) {
      if (older->write.refused) co_return false;
      co_await filled_.wait();  // its rest is being read from flash
      continue;
    }
    const std::uint8_t number = part_of(part.stream);
    if (parts_[number].resident() >= parts_[number].room) {
      if (!make_room(number, part.unit)) {
        if (ftl_.out_of_room()) co_return false;
        co_await space_.wait();
        continue;
      }
      // On the instant clock what left is on flash by now: `older` may be gone, or have come to pad what left.
      if (older != nullptr || shape_.padding_units != 0 || parts_[number].resident() >= parts_[number].room) continue;
    }
    if (free_.empty()) {  // more has been handed over than the destage table holds
      if (ftl_.out_of_room()) co_return false;
      co_await space_.wait();
      continue;
    }
    Entry& entry = place(part, older);
    if (records_ != nullptr) co_await record(entry, recorded, older);
    break;
  }
  // A waiter was woken for one freed place; if there is still room, the next one may go too.
  if (can_evict()) space_.wake_one();
  co_return true;
}

// A host write to a unit that is here already.
void DataBuffer::overwrite(Entry& entry, const Piece& piece) {
  merge(entry, piece);
  tell_sets(entry, piece.write);
  Part& part = part_of(entry);
  if (entry.state == State::Resident) {
    ++statistics_.write_hits;
    ++statistics_.parts[part_of(piece.stream)].write_hits;
    part.victims->referenced(slot_of(entry), Access::Write);
    return;
  }
  if (std::exchange(entry.ahead, false)) ++statistics_.read_ahead_wasted;
  entry.state = State::Resident;
  --part.clean;
  ++part.dirty;
  entry.dirty_since = version_;
  dirty_.push_back(entry);
  if (part.clean_victims == nullptr) {
    part.victims->referenced(slot_of(entry), Access::Write);
  } else {
    part.clean_victims->dropped(slot_of(entry));
    part.victims->inserted(slot_of(entry), entry.write.unit, Access::Write);
  }
}

// Makes room for one more dirty unit of the part; false if the destage table has none for what should leave.
bool DataBuffer::make_room(std::uint8_t number, std::uint32_t unit) {
  Part& part = parts_[number];
  if (part.victims->traits().ghosts) part.victims->expected(unit, Access::Write);
  // Whole blocks and clean pages have no order in common: clean ones make room as long as they are there.
  const Slot clean = part.clean_victims != nullptr ? part.clean_victims->victim() : kNoSlot;
  const Slot victim = clean != kNoSlot ? clean : part.victims->victim();
  if (entries_[victim].state != State::Resident) {
    forget_clean(entries_[victim], true);
    return true;
  }
  if (!can_evict()) return false;
  evict_with_companions(victim, DestageCause::Need);
  return true;
}

}  // namespace flashloom
