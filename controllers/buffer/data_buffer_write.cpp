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

Task<void> DataBuffer::write(IoCommand& command) {
  Taking taking = begin_write(command);
  WaitList* const list = take(command, taking);
  if (taking.unit != taking.end || (records_ != nullptr && !waits_for_flash(command)))
    return write_rest(command, taking, list);
  if (!waits_for_flash(command)) command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  return Task<void>::over();
}

DataBuffer::Taking DataBuffer::begin_write(const IoCommand& command) {
  const std::uint32_t first = first_unit(command);
  const std::uint32_t units = units_of(command);
  const std::uint8_t number = part_of(command.stream);
  statistics_.write_units += units;
  statistics_.parts[number].write_units += units;
  return {.unit = first, .end = first + units, .part = number, .write = ++writes_};
}

WaitList* DataBuffer::take(const IoCommand& command, Taking& taking) {
  for (; taking.unit != taking.end; taken(taking)) {
    WaitList* const list = take_unit(piece(command, taking.unit, taking.write), taking);
    if (list != nullptr || taking.refused) return list;
    if (records_ != nullptr || taking.waited == Waited::Again) return nullptr;
  }
  return nullptr;
}

WaitList* DataBuffer::take_unit(const Piece& part, Taking& taking) {
  for (;;) {
    if (being_buried(part.unit)) [[unlikely]]
      return &ordered_;
    Entry* const older = find(part.unit);
    if (older != nullptr && older->state == State::Reading) {  // what comes is of no use any more
      drop(*older);
      continue;
    }
    if (older != nullptr && !older->on_its_way()) {
      overwrite(*older, part);
      taking.placed = older;
      taking.pass_on = taking.waited != Waited::No;
      return nullptr;
    }
    if (older != nullptr && older->write.sectors != all_sectors_ && !older->write.rest_lost &&
        part.sectors != all_sectors_) {  // its rest is being read from flash
      taking.refused = older->write.refused;
      taking.waited = Waited::Again;
      return taking.refused ? nullptr : &filled_;
    }
    if (full(taking.part)) {
      if (!make_room(taking.part, part.unit)) return until_room(taking, older == nullptr);
      // On the instant clock what left is on flash by now: `older` may be gone, or have come to pad what left.
      if (older != nullptr || shape_.padding_units != 0 || full(taking.part)) continue;
    }
    if (free_.empty()) return until_room(taking, false);  // more has been handed over than the destage table holds
    taking.placed = &place(part, older);
    taking.superseded = older;
    taking.pass_on = true;
    return nullptr;
  }
}

WaitList* DataBuffer::until_room(Taking& taking, bool absent) {
  taking.refused = ftl_.out_of_room();
  taking.waited = absent && records_ == nullptr && taking.waited == Waited::No ? Waited::Once : Waited::Again;
  return taking.refused ? nullptr : &space_;
}

void DataBuffer::pass_on(Taking& taking) {
  if (std::exchange(taking.pass_on, false) && can_evict()) space_.wake_one();
}

void DataBuffer::taken(Taking& taking) {
  pass_on(taking);
  taking.waited = Waited::No;
  taking.superseded = nullptr;
  ++taking.unit;
  if (parts_[taking.part].dirty > parts_[taking.part].high_units) destage_to_low(taking.part);
}

Task<void> DataBuffer::write_rest(IoCommand& command, Taking taking, WaitList* list) {
  while (taking.unit != taking.end && !taking.refused) {
    if (list != nullptr) {
      co_await list->wait();
    } else {
      if (records_ != nullptr) co_await record(*taking.placed, taking.recorded, taking.superseded);
      pass_on(taking);
      if (taking.waited == Waited::Again) co_await Runtime::GiveWay{};
      taken(taking);
    }
    list = take(command, taking);
  }
  if (taking.refused) command.status = IoStatus::WriteProtected;
  if (waits_for_flash(command)) co_return;
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  if (records_ == nullptr) co_return;
  co_await hardware_.until(taking.recorded);  // acknowledged when a power cut can no longer take it away
  command.breakdown.attribute(LatencyPart::Dram, taking.recorded);
}

WaitList* DataBuffer::send(const IoCommand& command, ToFlash& write) {
  for (const std::uint32_t end = first_unit(command) + units_of(command); write.unit != end; ++write.unit) {
    Entry* const entry = find(write.unit);
    if (entry == nullptr || entry->state != State::Resident) continue;
    if (can_evict())
      evict_for_flush(*entry);
    else if (!ftl_.out_of_room())
      return &space_;
  }
  if (can_evict()) space_.wake_one();
  order(SealOrder{.persist = write.discarded != discarded_});
  write.order = orders_given_;
  write.eviction = evictions_;
  return nullptr;
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
