#include "controllers/buffer/data_buffer.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {
namespace {

std::unique_ptr<NvramRecords> records_of(const BufferShape& shape, Hardware& hardware, NvramContents& nvram) {
  if (!shape.nvram) return nullptr;
  const std::uint32_t sectors = shape.verify ? shape.unit_bytes / shape.sector_bytes : 0;
  return std::make_unique<NvramRecords>(nvram, shape.nvram_first, hardware, shape.units, sectors);
}

}  // namespace

DataBuffer::DataBuffer(const BufferShape& shape, std::vector<BufferPart> parts, std::unique_ptr<CorrelatedSets> sets,
                       Ftl& ftl, Hardware& hardware, NvramContents& nvram)
    : shape_(shape),
      ftl_(ftl),
      hardware_(hardware),
      store_(shape_, std::move(parts), std::move(sets), records_of(shape, hardware, nvram), statistics_),
      destager_(shape_, store_, ftl, hardware, statistics_),
      evictor_(shape_, store_, destager_, statistics_, hardware),
      reads_(shape_, store_, evictor_, ftl, hardware, statistics_) {}

Task<void> DataBuffer::recover() {
  if (!in_nvram()) co_return;
  co_await store_.recover();
  // Entries that were being destaged when power failed are dirty again, and may exceed the room of a part.
  for (std::uint8_t number = 0; number < parts(); ++number) {
    const BufferPart& part = store_.parts()[number];
    while (part.dirty > part.room) evictor_.evict_next(number, DestageCause::Need);
  }
}

// Usually a write need not wait, and needs no coroutine.
Task<void> DataBuffer::write(IoCommand& command) {
  Taking taking = begin_write(command);
  WaitList* const list = take(command, taking);
  const bool durable = waits_for_flash(command);
  if (taking.unit != taking.end || (in_nvram() && !durable)) return write_rest(command, taking, list);
  if (!durable) command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  return Task<void>::over();
}

DataBuffer::Taking DataBuffer::begin_write(const IoCommand& command) {
  const std::uint32_t first = pieces().first(command);
  const std::uint32_t units = pieces().count(command);
  const std::uint8_t part = store_.part_of(command.stream);
  statistics_.write_units += units;
  statistics_.parts[part].write_units += units;
  return {.unit = first, .end = first + units, .part = part, .write = store_.next_write()};
}

// A free slot wakes only one write: if there is room for more, wakes the next one too.
inline void DataBuffer::taken(Taking& taking) {
  store_.pass_room_on();
  taking.superseded = nullptr;
  ++taking.unit;
  const BufferPart& part = store_.parts()[taking.part];
  if (part.dirty > part.high_units) evictor_.destage_to_low(taking.part);
}

// Takes units until one has to wait; returns the list on which it waits. Null: the write is over, or the next unit is
// placed and write_rest() must record it in NVRAM.
WaitList* DataBuffer::take(const IoCommand& command, Taking& taking) {
  for (; taking.unit != taking.end; taken(taking)) {
    WaitList* const list = take_unit(command, taking);
    if (list != nullptr || taking.refused) return list;
    if (in_nvram()) return nullptr;
  }
  return nullptr;
}

// Flattened: the common path down to the FTL is one function. The piece is computed only when the unit will be taken,
// or its sectors are needed, since a waiting write calls this again and again.
[[gnu::flatten]] WaitList* DataBuffer::take_unit(const IoCommand& command, Taking& taking) {
  BufferPart& part = store_.parts()[taking.part];
  const std::uint32_t unit = taking.unit;
  const auto piece = [&] { return pieces().piece(command, unit, taking.write); };
  if (shape_.held_up && ftl_.read_only()) [[unlikely]] {
    taking.refused = true;  // the remaining room is for data that the buffer has acknowledged
    return nullptr;
  }
  for (;;) {
    if (WaitList* const list = destager_.until_tombstone_written(unit)) [[unlikely]]
      return list;
    BufferEntry* const older = store_.find(unit);
    // The data being read are obsolete. And what was read beyond a write pointer must not lend a write its place in the
    // order of evictions: the units of a zone leave in the order of their writes.
    if (older != nullptr &&
        (older->state == EntryState::Reading || (older->state == EntryState::Clean && ftl_.zones() != nullptr))) {
      store_.discard(*older);
      continue;
    }
    if (older != nullptr && !older->on_its_way()) {
      store_.overwrite(*older, piece());
      taking.placed = older;
      return nullptr;
    }
    if (older != nullptr && !older->write.rest_lost && older->write.sectors != pieces().all_sectors() &&
        piece().sectors != pieces().all_sectors()) {  // its rest is being read from flash
      taking.refused = older->write.refused;
      return taking.refused ? nullptr : &destager_.filled();
    }
    if (part.full()) {
      if (!evictor_.make_room(part, unit)) return until_room(taking);
      // On the instant clock the eviction is complete: `older` may be free now, or padding may have become `older`.
      if (older != nullptr || shape_.padding_units != 0 || part.full()) continue;
    }
    if (!store_.any_free()) return until_room(taking);  // more entries are evicted than the destage table holds
    taking.placed = &store_.place(piece(), older);
    taking.superseded = older;
    return nullptr;
  }
}

WaitList* DataBuffer::until_room(Taking& taking) {
  taking.refused = ftl_.out_of_room();
  return taking.refused ? nullptr : &store_.room();
}

std::uint64_t DataBuffer::dirty_from(std::uint64_t offset, std::uint64_t length) const {
  const std::uint64_t end = offset + length;
  std::uint64_t at = offset;
  while (at < end) {
    const std::uint64_t unit = at / shape_.unit_bytes;
    const BufferEntry* const entry = store_.find(static_cast<std::uint32_t>(unit));
    if (entry == nullptr || !entry->dirty()) break;
    at = (unit + 1) * shape_.unit_bytes;
  }
  return std::min(at, end) - offset;
}

Task<void> DataBuffer::write_rest(IoCommand& command, Taking taking, WaitList* list) {
  while (!taking.over()) {
    if (list != nullptr) {
      const Picoseconds since = hardware_.now();
      co_await list->wait(taking.write);
      destager_.waited(list == &store_.room(), since, hardware_.now());
    } else {
      if (in_nvram()) {
        const Picoseconds recorded = co_await store_.record(*taking.placed, taking.superseded);
        taking.recorded = std::max(taking.recorded, recorded);
      }
      taken(taking);
    }
    list = take(command, taking);
  }
  if (taking.refused) command.status = IoStatus::WriteProtected;
  if (waits_for_flash(command)) co_return;
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  if (!in_nvram()) co_return;
  co_await hardware_.until(taking.recorded);  // acknowledged when it is durable
  command.breakdown.attribute(LatencyPart::Dram, taking.recorded);
}

WaitList* DataBuffer::send(const IoCommand& command, ToFlash& write) {
  for (const std::uint32_t end = pieces().first(command) + pieces().count(command); write.unit != end; ++write.unit) {
    BufferEntry* const entry = store_.find(write.unit);
    if (entry == nullptr || !entry->dirty()) continue;
    if (store_.can_leave())
      evictor_.evict_for_flush(*entry);
    else if (!ftl_.out_of_room())
      return &store_.room();
  }
  store_.pass_room_on();
  destager_.order(SealOrder{.persist = write.discarded != store_.discarded()});
  write.order = destager_.given();
  write.eviction = store_.evictions();
  return nullptr;
}

Task<void> DataBuffer::evict_up_to(std::uint64_t version) {
  const std::uint64_t turn = store_.writes();
  while (!store_.dirty().empty() && store_.dirty().front().dirty_since <= version) {
    if (store_.can_leave())
      evictor_.evict_for_flush(store_.dirty().front());
    else if (ftl_.out_of_room())
      co_return;
    else
      co_await store_.room().wait(turn);
  }
  store_.pass_room_on();
}

Task<void> DataBuffer::flush(IoCommand& command) {
  if (!shape_.held_up) return drain(command);
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  return Task<void>::over();
}

Task<void> DataBuffer::persist(IoCommand& command, bool moves_on) {
  // With a buffer in NVRAM all acknowledged writes are durable already.
  const bool evicts = moves_on || !in_nvram();
  if (evicts) co_await evict_up_to(store_.version());
  destager_.order(SealOrder{.persist = true, .seal = evicts});
  if (moves_on) destager_.order(HandleOrder{command.placement});
  const std::uint64_t mine = destager_.given();
  if (evicts) co_await destager_.durable_up_to(store_.evictions(), command.breakdown);
  while (WaitList* const list = destager_.until_done(mine)) co_await list->wait();
  if (evicts && ftl_.out_of_room()) command.status = IoStatus::WriteProtected;
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
}

// Evicts the dirty entries of those units in the order in which they became dirty, all at once, as at a watermark; the
// destager hands them over as the destage table has room. So it does not wait behind writes to other units.
void DataBuffer::evict_units(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> leaving;  // collected first: an eviction may evict further entries
  for (const BufferEntry& entry : store_.dirty())
    if (entry.write.unit - first < count) leaving.push_back(entry.write.unit);
  for (const std::uint32_t unit : leaving)
    if (BufferEntry* const entry = store_.find(unit); entry != nullptr && entry->dirty())
      evictor_.evict_for_flush(*entry);
}

Task<void> DataBuffer::carry_out(IoCommand& command, ZoneOrder order, std::uint32_t first, std::uint32_t count) {
  evict_units(first, count);
  co_await destager_.carry_out_first(order, first, count);
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
}

Task<void> DataBuffer::reset_zone(IoCommand& command, std::uint32_t first, std::uint32_t count) {
  store_.discard(first, count);
  co_await destager_.reset_first(first, count);
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
}

Task<void> DataBuffer::trim(IoCommand& command, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t begin = (offset + shape_.unit_bytes - 1) / shape_.unit_bytes;
  const std::uint64_t end = (offset + length) / shape_.unit_bytes;
  if (begin >= end) co_return;
  const auto first = static_cast<std::uint32_t>(begin);
  const auto count = static_cast<std::uint32_t>(end - begin);
  std::uint64_t tombstones = 0;
  if (in_nvram()) {
    // Before their NVRAM records are released: older data on flash must not come back after a power cut.
    tombstones = destager_.begin_tombstones(first, count);
    destager_.order_trim(first, count);
    destager_.order(SealOrder{.persist = true});
    const std::uint64_t told = destager_.given();
    while (WaitList* const list = destager_.until_done(told)) co_await list->wait();
    if (ftl_.out_of_room()) [[unlikely]] {
      destager_.end_tombstones(tombstones);
      command.status = IoStatus::WriteProtected;
      co_return;
    }
  }
  store_.discard(first, count);
  if (tombstones != 0) destager_.end_tombstones(tombstones);
  destager_.order_trim(first, count);
  const std::uint64_t mine = destager_.given();
  while (WaitList* const list = destager_.until_done(mine)) co_await list->wait();
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  if (!in_nvram()) co_return;
  // Earlier releases of these units, whose data are on flash, may be in progress: they must not come back either.
  co_await store_.records()->until_released();
  command.breakdown.attribute(LatencyPart::Dram, hardware_.now());
}

void DataBuffer::state(StateArchive& archive) {
  archive.part("data buffer");
  store_.state(archive);
  destager_.state(archive);
  archive(statistics_);
  store_.policies_state(archive);
  reads_.state(archive);
  if (NvramRecords* const records = store_.records()) records->state(archive);
}

}  // namespace flashloom
