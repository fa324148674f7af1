#include "analysis/page_set.hpp"

#include <algorithm>
#include <bit>

namespace flashloom {

PageSet::Chunk& PageSet::chunk(std::uint64_t number) {
  if (last_ == nullptr || last_number_ != number) {
    auto& slot = chunks_[number];
    if (!slot) slot = std::make_unique<Chunk>();
    last_ = slot.get();
    last_number_ = number;
  }
  return *last_;
}

namespace {

/// Calls `visit(chunk, word, mask)` for each word that has pages of [first, first + count).
template <class Visit>
void for_words(std::uint64_t first, std::uint64_t count, std::uint64_t chunk_pages, Visit visit) {
  while (count != 0) {
    const std::uint64_t at = first % chunk_pages;
    const std::uint64_t low = at % 64;
    const std::uint64_t width = std::min<std::uint64_t>(64 - low, count);
    visit(first / chunk_pages, at / 64, (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << low);
    first += width;
    count -= width;
  }
}

}  // namespace

std::uint64_t PageSet::add(std::uint64_t first, std::uint64_t count) {
  std::uint64_t added = 0;
  for_words(first, count, kChunkPages, [&](std::uint64_t number, std::uint64_t at, std::uint64_t mask) {
    std::uint64_t& word = chunk(number)[at];
    added += static_cast<std::uint64_t>(std::popcount(mask & ~word));
    word |= mask;
  });
  size_ += added;
  return added;
}

void PageSet::add(const PageSet& other) {
  for (const auto& [number, from] : other.chunks_) {
    Chunk& to = chunk(number);
    for (std::size_t i = 0; i < to.size(); ++i) {
      size_ += static_cast<std::uint64_t>(std::popcount((*from)[i] & ~to[i]));
      to[i] |= (*from)[i];
    }
  }
}

std::uint64_t PageSet::count(std::uint64_t first, std::uint64_t count) const {
  std::uint64_t found = 0;
  for_words(first, count, kChunkPages, [&](std::uint64_t number, std::uint64_t at, std::uint64_t mask) {
    const auto chunk = chunks_.find(number);
    if (chunk != chunks_.end()) found += static_cast<std::uint64_t>(std::popcount((*chunk->second)[at] & mask));
  });
  return found;
}

std::uint64_t PageSet::common(const PageSet& other) const {
  std::uint64_t found = 0;
  for (const auto& [number, mine] : chunks_) {
    const auto theirs = other.chunks_.find(number);
    if (theirs == other.chunks_.end()) continue;
    for (std::size_t i = 0; i < mine->size(); ++i)
      found += static_cast<std::uint64_t>(std::popcount((*mine)[i] & (*theirs->second)[i]));
  }
  return found;
}

}  // namespace flashloom
