#include "analysis/page_numbers.hpp"

namespace flashloom {
namespace {

constexpr int kFirstBits = 10;

}  // namespace

DenseNumbers::DenseNumbers() : rows_(std::size_t{1} << kFirstBits), mask_(rows_.size() - 1), shift_(64 - kFirstBits) {}

std::uint32_t DenseNumbers::add(std::uint64_t key, std::size_t at) {
  rows_[at] = {key, size_};
  if (++size_ * std::size_t{2} <= rows_.size()) return size_ - 1;
  std::vector<Row> old(rows_.size() * 2);
  old.swap(rows_);
  mask_ = rows_.size() - 1;
  --shift_;
  for (const Row& row : old) {
    if (row.number == kEmpty) continue;
    std::size_t place = home(row.key);
    while (rows_[place].number != kEmpty) place = (place + 1) & mask_;
    rows_[place] = row;
  }
  return size_ - 1;
}

std::uint32_t DenseNumbers::find(std::uint64_t key) const {
  std::size_t at = home(key);
  while (rows_[at].number != kEmpty && rows_[at].key != key) at = (at + 1) & mask_;
  return rows_[at].number;
}

std::uint32_t PageNumbers::find_known(std::uint64_t address) const {
  const std::uint32_t chunk = index_.find(address / kChunkPages);
  return chunk < chunks_.size() ? chunks_[chunk][address % kChunkPages] : kNone;
}

void PageNumbers::find(std::uint64_t chunk) {
  last_ = index_.of(chunk);
  last_chunk_ = chunk;
  if (last_ == chunks_.size()) {
    chunks_.emplace_back();
    chunks_.back().fill(kNone);
  }
}

}  // namespace flashloom
