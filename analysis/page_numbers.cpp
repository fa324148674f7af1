#include "analysis/page_numbers.hpp"

namespace flashloom {

std::uint32_t PageNumbers::find(std::uint64_t address) const {
  const std::uint32_t place = find_place(address / kChunkPages);
  if (place == kNone) return kNone;
  if (place < kChunk) return addresses_[place] == address ? place : kNone;
  return chunks_[place - kChunk][address % kChunkPages];
}

void PageNumbers::begin_chunk() {
  Numbers numbers;
  numbers.fill(kNone);
  numbers[addresses_[last_] % kChunkPages] = last_;
  const auto place = kChunk + static_cast<std::uint32_t>(chunks_.size());
  chunks_.push_back(numbers);
  chunk_keys_.push_back(last_chunk_);
  index_.replace(last_chunk_, last_, place);
  last_ = place;
}

}  // namespace flashloom
