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

std::uint64_t PageSet::add(std::uint64_t first, std::uint64_t count) {
  std::uint64_t added = 0;
  while (count != 0) {
    Chunk& words = chunk(first / kChunkPages);
    const std::uint64_t begin = first % kChunkPages;
    const std::uint64_t end = begin + std::min(count, kChunkPages - begin);
    first += end - begin;
    count -= end - begin;
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t low = at % 64;
      const std::uint64_t width = std::min<std::uint64_t>(64 - low, end - at);
      const std::uint64_t mask = (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << low;
      std::uint64_t& word = words[at / 64];
      added += static_cast<std::uint64_t>(std::popcount(mask & ~word));
      word |= mask;
      at += width;
    }
  }
  size_ += added;
  return added;
}

}  // namespace flashloom
