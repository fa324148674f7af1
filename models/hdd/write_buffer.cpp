#include "models/hdd/write_buffer.hpp"

#include <iterator>
#include <utility>

namespace flashloom {

void WriteBuffer::put(DiskSector number, Parts parts, const std::array<SectorToken, kMostParts>& tokens) {
  --reserved_;
  const auto [place, added] = sectors_.try_emplace(number);
  Sector& sector = place->second;
  if (added) {
    sector.number = number;
    sector.oldest = stamp_;
    append(sector);
  }
  sector.parts = static_cast<Parts>(sector.parts | parts);
  if (sector.taken) {
    if (sector.parts_after == 0) sector.oldest_after = stamp_;
    sector.parts_after = static_cast<Parts>(sector.parts_after | parts);
  }
  for (std::uint32_t part = 0; part < kMostParts; ++part)
    if ((parts >> part & 1U) != 0) sector.tokens[part] = tokens[part];
}

void WriteBuffer::runs_around(DiskSector sector, std::uint32_t count, std::vector<DiskTask>& tasks) const {
  const auto add = [&tasks](const Sector& dirty) {
    tasks.push_back({.sector = dirty.number, .write = true, .order = dirty.oldest});
  };
  const auto here = sectors_.lower_bound(sector);
  auto place = here;
  for (std::uint32_t runs = 0; runs < (count + 1) / 2 && place != sectors_.end(); ++runs) {
    add(place->second);
    DiskSector next = place->first;
    while (place != sectors_.end() && place->first == next) {
      ++place;
      ++next;
    }
  }
  place = here;
  for (std::uint32_t runs = 0; runs < count / 2 && place != sectors_.begin(); ++runs) {
    DiskSector first = (--place)->first;
    while (place != sectors_.begin() && std::prev(place)->first + 1 == first) first = (--place)->first;
    add(place->second);
  }
}

// Sectors are nearly sorted by age: only one rewritten while it was taken is further back than its age.
const WriteBuffer::Sector* WriteBuffer::oldest_until(std::uint64_t stamp) const {
  const Sector* sector = oldest_;
  while (sector != nullptr && sector->oldest > stamp) sector = sector->newer;
  return sector;
}

std::uint32_t WriteBuffer::run_length(DiskSector first, std::uint32_t most) const {
  std::uint32_t length = 0;
  for (auto place = sectors_.find(first); length < most && place != sectors_.end() && place->first == first + length;
       ++place)
    ++length;
  return length;
}

const WriteBuffer::Sector& WriteBuffer::take(DiskSector number) {
  Sector& sector = sectors_.find(number)->second;
  sector.taken = true;
  return sector;
}

void WriteBuffer::retire(DiskSector number, std::vector<std::uint32_t>& durable) {
  const auto place = sectors_.find(number);
  Sector& sector = place->second;
  for (std::size_t i = 0; i < tickets_.size();) {
    Ticket& ticket = tickets_[i];
    const bool more = sector.parts_after != 0 && sector.oldest_after <= ticket.stamp;
    const bool counts = !more && sector.oldest <= ticket.stamp && number >= ticket.first && number < ticket.end;
    if (counts && --ticket.remaining == 0) {
      durable.push_back(ticket.number);
      tickets_.erase(tickets_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  remove(sector);
  if (sector.parts_after == 0) {
    sectors_.erase(place);
    return;
  }
  sector.parts = std::exchange(sector.parts_after, Parts{0});
  sector.oldest = sector.oldest_after;
  sector.taken = false;
  append(sector);
}

bool WriteBuffer::await(std::uint32_t number, DiskSector first, DiskSector end) {
  std::uint64_t remaining = 0;
  const auto last = sectors_.lower_bound(end);
  for (auto place = sectors_.lower_bound(first); place != last; ++place) ++remaining;
  if (remaining != 0) tickets_.push_back({number, stamp_, first, end, remaining});
  return remaining != 0;
}

void WriteBuffer::clear() {
  sectors_.clear();
  tickets_.clear();
  reserved_ = 0;
  oldest_ = newest_ = nullptr;
}

void WriteBuffer::append(Sector& sector) {
  sector.older = newest_;
  sector.newer = nullptr;
  (newest_ == nullptr ? oldest_ : newest_->newer) = &sector;
  newest_ = &sector;
}

void WriteBuffer::remove(Sector& sector) {
  (sector.older == nullptr ? oldest_ : sector.older->newer) = sector.newer;
  (sector.newer == nullptr ? newest_ : sector.newer->older) = sector.older;
}

}  // namespace flashloom
