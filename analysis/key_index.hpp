// Numbers by 64-bit keys: a table up to kDirect, beyond it a hash table of eight bytes a row, which keeps 32 bits of
// each key. Who owns it has the keys by their numbers, and is asked whether a number is that of a key.
#pragma once

#include <cstdint>

#include "analysis/growing_table.hpp"

namespace flashloom {

class KeyIndex {
 public:
  static constexpr std::uint64_t kDirect = std::uint64_t{1} << 24;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The number of `key`, kNone if it has none. `is(number)`: whether the number is that of the key.
  template <class Is>
  std::uint32_t find(std::uint64_t key, const Is& is) const {
    if (key < kDirect) return direct(key);
    if (rows_.empty()) return kNone;
    const std::uint32_t tag = tag_of(key);
    for (std::size_t at = home(tag); rows_[at] != kFree; at = after(at))
      if (rows_[at] >> kNumberBits == tag && is(number_of(rows_[at]))) return number_of(rows_[at]);
    return kNone;
  }
  /// A key that has none gets a number, below kNone.
  void insert(std::uint64_t key, std::uint32_t number);
  /// A key that has the number `old` gets another one.
  void replace(std::uint64_t key, std::uint32_t old, std::uint32_t number);

  /// What find() is going to read. Inlined by order: GCC takes a call of what only prefetches for one without effect.
  [[gnu::always_inline]] void prefetch(std::uint64_t key) const {
    if (key < kDirect) {
      if (key < direct_.size()) __builtin_prefetch(direct_.data() + key);
    } else if (!rows_.empty()) {
      __builtin_prefetch(rows_.data() + home(tag_of(key)));
    }
  }
  /// What find() will say; rarely another number, or kNone where that takes longer to find out.
  std::uint32_t guess(std::uint64_t key) const {
    return find(key, [](std::uint32_t) { return true; });
  }

 private:
  static constexpr std::uint64_t kFree = 0;
  static constexpr unsigned kNumberBits = 32;

  static std::uint32_t number_of(std::uint64_t row) { return static_cast<std::uint32_t>(row) - 1; }
  static std::uint64_t row_of(std::uint32_t tag, std::uint32_t number) {
    return std::uint64_t{tag} << kNumberBits | (number + 1);
  }
  static std::uint32_t tag_of(std::uint64_t key) {
    key *= 0x9E3779B97F4A7C15ULL;
    key ^= key >> 32;
    return static_cast<std::uint32_t>((key * 0xD6E8FEB86659FD93ULL) >> 32);
  }
  // Where the search of a tag begins. In the order of the tags, so that a larger table is filled from one end to the
  // other.
  std::size_t home(std::uint32_t tag) const { return tag * std::uint64_t{rows_.size()} >> kNumberBits; }
  std::size_t after(std::size_t at) const { return at + 1 == rows_.size() ? 0 : at + 1; }
  std::uint32_t direct(std::uint64_t key) const { return key < direct_.size() ? direct_[key] - 1 : kNone; }
  void place(std::uint64_t row);
  void grow();

  GrowingTable<std::uint32_t> direct_;  // number and 1; 0: none
  GrowingTable<std::uint64_t> rows_;    // tag, and number and 1
  std::size_t hashed_ = 0;              // rows that are not free
};

}  // namespace flashloom
