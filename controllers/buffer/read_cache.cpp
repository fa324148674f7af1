#include "controllers/buffer/read_cache.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace flashloom {

BufferRead& ReadCache::take_request() {
  if (free_requests_.empty()) [[unlikely]]
    free_requests_.push_back(requests_.emplace_back(std::make_unique<BufferRead>()).get());
  BufferRead& request = *free_requests_.back();
  free_requests_.pop_back();
  request.units.clear();
  request.front = &store_;
  request.ready = 0;
  request.data_done = 0;
  request.sent = 0;
  request.failed = false;
  return request;
}

BufferRead& ReadCache::look_up(IoCommand& command) {
  const UnitPieces& pieces = store_.pieces();
  const std::uint32_t first = pieces.first(command);
  const std::uint32_t units = pieces.count(command);
  const std::uint8_t part = store_.part_of(command.stream);
  BufferRead& request = take_request();
  request.number = command.number;
  request.flow = command.stream;
  request.setup = command.frames == nullptr ? 0 : command.frames->setup;
  request.breakdown = &command.breakdown;
  request.to_host = true;
  std::uint64_t served = 0;
  for (std::uint32_t unit = first; unit < first + units; ++unit) {
    const UnitPiece piece = pieces.piece(command, unit);
    BufferEntry* const entry = store_.find(unit);
    const std::uint64_t rest = store_.serve(entry, unit, piece.sectors, piece.tokens, piece.first_sector);
    if (rest == 0) {
      if (entry != nullptr) count_hit(*entry, part);
      served += static_cast<std::uint64_t>(std::popcount(piece.sectors)) * shape_.sector_bytes;
    } else {
      request.units.push_back({unit, piece.first_sector, rest, piece.tokens});
    }
  }
  request.served = served;
  // Looks up all units before it evicts for missing ones: whether a unit of this read is still buffered must not depend
  // on the progress of destaging.
  if (shape_.read_cache) [[unlikely]]
    for (const ReadUnit& wanted : request.units) {
      if (store_.find(wanted.unit) != nullptr) continue;
      if (BufferEntry* const place = take_place(wanted.unit, part))
        request.fills.push_back({place, wanted, static_cast<std::size_t>(&wanted - request.units.data())});
    }
  statistics_.read_units += units;
  statistics_.parts[part].read_units += units;
  return request;
}

// A unit was wholly served; `part` is that of the job that reads it.
void ReadCache::count_hit(BufferEntry& entry, std::uint8_t part) {
  if (entry.on_its_way()) {
    ++statistics_.destage_hits;
    return;
  }
  ++statistics_.read_hits;
  ++statistics_.parts[part].read_hits;
  if (entry.state == EntryState::Clean) ++statistics_.read_hits_clean;
  if (!shape_.read_cache) return;
  if (std::exchange(entry.ahead, false)) {  // the policy has counted this read when the unit was read ahead
    ++statistics_.read_ahead_used;
    return;
  }
  BufferPart& of = store_.part_of(entry);
  (entry.dirty() ? *of.victims : of.of_clean()).referenced(store_.slot_of(entry), Access::Read);
}

bool ReadCache::being_read(const IoCommand& command) const {
  const std::uint32_t first = store_.pieces().first(command);
  const std::uint32_t end = first + store_.pieces().count(command);
  for (std::uint32_t unit = first; unit < end; ++unit)
    if (const BufferEntry* const entry = store_.find(unit); entry != nullptr && entry->state == EntryState::Reading)
      return true;
  return false;
}

// Reserves an entry for a unit that is about to be read; null: there is no room. Decided when the read begins, so that
// timing does not change which units are kept.
BufferEntry* ReadCache::take_place(std::uint32_t unit, std::uint8_t number) {
  BufferPart& part = store_.parts()[number];
  if (!store_.any_free() || part.clean_units == 0 || store_.being_trimmed(unit)) return nullptr;
  return evictor_.make_clean_room(part, unit) ? &store_.begin_reading(unit, number) : nullptr;
}

// An entry that was dropped meanwhile (its unit was written or discarded) is no longer in the index. What is not on
// flash was not fetched, and is not kept.
std::uint64_t ReadCache::keep(BufferRead& request) {
  std::uint64_t bytes = 0;
  for (const BufferRead::Fill& fill : request.fills) {
    BufferEntry& entry = *fill.entry;
    if ((request.failed || request.units[fill.index].absent) && entry.newest) store_.forget_clean(entry, false);
    if (!entry.newest) {
      store_.free(entry);
      continue;
    }
    store_.keep(entry, fill.wanted.sectors, fill.wanted.tokens, fill.wanted.first_sector);
    bytes += static_cast<std::uint64_t>(std::popcount(fill.wanted.sectors)) * shape_.sector_bytes;
  }
  request.fills.clear();
  store_.arrived().wake_all();
  return bytes;
}

// In aligned pieces, so that no page is sensed twice, and each arrives by itself.
void ReadCache::read_ahead(const IoCommand& command) {
  ReadAhead::Stream* const stream = ahead_.read(store_.pieces().first(command), store_.pieces().count(command));
  if (stream == nullptr) return;
  const std::uint64_t piece = shape_.read_ahead_piece;
  const std::uint64_t units = shape_.logical_units;
  const std::uint64_t until = std::min(stream->end + stream->window, units);
  const auto end_of_piece = [&] { return std::min((stream->ahead / piece + 1) * piece, units); };
  const auto reaches_next = [&] { return stream->ahead < until && end_of_piece() <= until; };
  if (!reaches_next()) return;
  const std::uint8_t part = store_.part_of(command.stream);
  // What is on its way to the host and what is read ahead, and not asked for yet, fills a quarter of the clean units at
  // most, or it would be evicted before it is used.
  std::uint64_t filling = 0;
  for (const auto& request : requests_)
    if (request->to_host) filling += request->fills.size();
  const std::uint64_t quarter = store_.parts()[part].clean_units / 4;
  const std::uint64_t most = quarter - std::min(quarter, filling);
  std::vector<BufferRead*> pieces;
  for (bool room = true; room && reaches_next();) {
    BufferRead& request = take_request();
    room = reserve(request, stream->ahead, end_of_piece(), part, most);
    request.units.empty() ? release(request) : pieces.push_back(&request);
  }
  // Begins when all have their places, which must not depend on what the first ones find on flash.
  for (BufferRead* const request : pieces) Runtime::current().spawn([this, request] { return read_piece(*request); });
}

// Adds the units from `next` to `end` that are not buffered to the request, as far as there is room; false: there is none
// for the unit `next`. `most`: units that may have been read ahead and not been asked for.
bool ReadCache::reserve(BufferRead& request, std::uint64_t& next, std::uint64_t end, std::uint8_t part,
                        std::uint64_t most) {
  for (; next < end; ++next) {
    const auto unit = static_cast<std::uint32_t>(next);
    if (store_.find(unit) != nullptr) continue;
    BufferEntry* const place = statistics_.read_ahead_unread() < most ? take_place(unit, part) : nullptr;
    if (place == nullptr) break;
    place->ahead = true;
    ++statistics_.read_ahead_units;
    request.units.push_back({unit, 0, store_.pieces().all_sectors(), place->write.tokens});
    request.fills.push_back({place, request.units.back(), request.units.size() - 1});
  }
  return next == end;
}

Task<void> ReadCache::read_piece(BufferRead& request) {
  request.number = 0;
  request.flow = kNoFlow;
  request.setup = 0;
  request.own_breakdown.begin(hardware_.now());
  request.breakdown = &request.own_breakdown;
  request.to_host = false;
  co_await ftl_.read(request);
  const std::uint64_t kept = keep(request);
  if (store_.records() != nullptr) co_await hardware_.nvram_write(kept);
  release(request);
}

}  // namespace flashloom
