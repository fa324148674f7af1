#include "analysis/page_numbers.hpp"

#include <algorithm>

namespace flashloom {

std::uint32_t DenseNumbers::add_direct(std::uint64_t key) {
  if (key >= direct_.size()) direct_.resize(std::min(kDirect, std::max<std::uint64_t>(key + 1, direct_.size() * 2)));
  direct_[key] = ++size_;
  return size_ - 1;
}

std::uint32_t DenseNumbers::of_hashed(std::uint64_t key) {
  if (std::size_t{hashed_} * 2 >= rows_.size()) grow();
  Row& row = rows_[place(key)];
  if (row.number == kNone) {
    row = {key, size_++};
    ++hashed_;
  }
  return row.number;
}

std::uint32_t DenseNumbers::find(std::uint64_t key) const {
  if (key < kDirect) return key < direct_.size() ? direct_[key] - 1 : kNone;
  return rows_.empty() ? kNone : rows_[place(key)].number;
}

std::size_t DenseNumbers::place(std::uint64_t key) const {
  const std::size_t mask = rows_.size() - 1;
  std::size_t at = ((key * 0x9E3779B97F4A7C15ULL) >> 20) & mask;
  while (rows_[at].number != kNone && rows_[at].key != key) at = (at + 1) & mask;
  return at;
}

void DenseNumbers::grow() {
  constexpr std::size_t kFirst = 1024;
  std::pmr::vector<Row> old(std::max(kFirst, rows_.size() * 2), &huge_pages());
  old.swap(rows_);
  for (const Row& row : old)
    if (row.number != kNone) rows_[place(row.key)] = row;
}

std::uint32_t PageNumbers::find(std::uint64_t address) const {
  const std::uint32_t chunk = index_.find(address / kChunkPages);
  return chunk < chunks_.size() ? chunks_[chunk][address % kChunkPages] : kNone;
}

}  // namespace flashloom
