#include "analysis/key_index.hpp"

#include <algorithm>

namespace flashloom {

void KeyIndex::insert(std::uint64_t key, std::uint32_t number) {
  if (key < kDirect) {
    if (key >= direct_.size()) direct_.extend(std::min(kDirect, std::max<std::uint64_t>(key + 1, direct_.size() * 2)));
    direct_[key] = number + 1;
    return;
  }
  if (hashed_ >= rows_.size() / 4 * 3) grow();
  place(row_of(tag_of(key), number));
  ++hashed_;
}

void KeyIndex::replace(std::uint64_t key, std::uint32_t old, std::uint32_t number) {
  if (key < kDirect) {
    direct_[key] = number + 1;
    return;
  }
  const std::uint32_t tag = tag_of(key);
  std::size_t at = home(tag);
  while (rows_[at] != row_of(tag, old)) at = after(at);
  rows_[at] = row_of(tag, number);
}

void KeyIndex::place(std::uint64_t row) {
  std::size_t at = home(static_cast<std::uint32_t>(row >> kNumberBits));
  while (rows_[at] != kFree) at = after(at);
  rows_[at] = row;
}

void KeyIndex::grow() {
  constexpr std::size_t kFirst = 1024;
  GrowingTable<std::uint64_t> old;
  old.extend(std::max(kFirst, rows_.size() * 2));
  old.swap(rows_);
  for (const std::uint64_t row : old)
    if (row != kFree) place(row);
}

}  // namespace flashloom
