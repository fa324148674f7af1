#include "controllers/tier/sector_cache.hpp"

#include <algorithm>

namespace flashloom {

SectorCache::SectorCache(std::uint32_t slots, std::uint32_t sectors_per_slot)
    : sectors_(sectors_per_slot),
      valid_((std::uint64_t{slots} * sectors_per_slot + 63) / 64),
      reads_(slots),
      writing_(slots),
      reassigned_(slots) {}

// f(word, mask) for the words that hold the sectors, as long as it says true.
template <class F>
bool SectorCache::each_word(Slot slot, std::uint32_t first, std::uint32_t count, F&& f) const {
  std::uint64_t at = std::uint64_t{slot} * sectors_ + first;
  const std::uint64_t end = at + count;
  while (at < end) {
    const std::uint64_t bits = std::min(end - at, 64 - at % 64);
    const std::uint64_t mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << at % 64;
    if (!f(at / 64, mask)) return false;
    at += bits;
  }
  return true;
}

bool SectorCache::all(Slot slot, std::uint32_t first, std::uint32_t count) const {
  return each_word(slot, first, count,
                   [this](std::size_t word, std::uint64_t mask) { return (valid_[word] & mask) == mask; });
}

bool SectorCache::any(Slot slot) const {
  return !each_word(slot, 0, sectors_,
                    [this](std::size_t word, std::uint64_t mask) { return (valid_[word] & mask) == 0; });
}

void SectorCache::set(Slot slot, std::uint32_t first, std::uint32_t count, bool valid) {
  each_word(slot, first, count, [this, valid](std::size_t word, std::uint64_t mask) {
    valid_[word] = valid ? valid_[word] | mask : valid_[word] & ~mask;
    return true;
  });
}

void SectorCache::assign(Slot slot) {
  set_whole(slot, false);
  if (reads_[slot] != 0) reassigned_[slot] = true;
}

ReadFill& SectorCache::open(std::uint64_t offset, std::uint64_t length) {
  if (free_.empty()) free_.push_back(&fills_.emplace_back());
  ReadFill& fill = *free_.back();
  free_.pop_back();
  fill.offset = offset;
  fill.length = length;
  fill.cancelled = false;
  open_.push_back(&fill);
  return fill;
}

void SectorCache::close(ReadFill& fill) {
  fill.length = 0;
  *std::find(open_.begin(), open_.end(), &fill) = open_.back();
  open_.pop_back();
  free_.push_back(&fill);
}

void SectorCache::cancel(std::uint64_t offset, std::uint64_t length) {
  for (ReadFill* const fill : open_) fill->cancelled = fill->cancelled || fill->overlaps(offset, length);
}

bool SectorCache::filling(std::uint64_t offset, std::uint64_t length) const {
  return std::any_of(open_.begin(), open_.end(),
                     [=](const ReadFill* fill) { return !fill->cancelled && fill->overlaps(offset, length); });
}

}  // namespace flashloom
