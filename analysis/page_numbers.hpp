// Gives the pages of a trace dense numbers, in the order in which they first come.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "analysis/growing_table.hpp"
#include "analysis/key_index.hpp"

namespace flashloom {

/// Dense numbers for sparse ones.
class DenseNumbers {
 public:
  /// The number that stands for `key`, the next free one if it is new.
  std::uint32_t of(std::uint64_t key) {
    std::uint32_t number = index_.find(key, [&](std::uint32_t known) { return keys_[known] == key; });
    if (number == KeyIndex::kNone) {
      number = size();
      keys_.push_back(key);
      index_.insert(key, number);
    }
    return number;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }

 private:
  KeyIndex index_;
  GrowingTable<std::uint64_t> keys_;  // by number
};

/// Neighbouring pages share a chunk, which is found once: block traces come in runs. A page without neighbours, as keys
/// are, has no chunk: its number stands in the index.
class PageNumbers {
 public:
  static constexpr std::uint64_t kChunkPages = 16;  // a cache line of numbers
  static constexpr std::uint32_t kNone = KeyIndex::kNone;

  /// The dense number of page `address`; there may be 2^30. `hint`: what prefetch_number() has said of it, if asked.
  std::uint32_t of(std::uint64_t address, std::uint32_t hint = kNone) {
    if (hint < kChunk && addresses_[hint] == address) return hint;
    const std::uint64_t chunk = address / kChunkPages;
    if (chunk != last_chunk_) {
      last_ = find_place(chunk);
      last_chunk_ = chunk;
    }
    if (last_ < kChunk) {
      if (addresses_[last_] == address) return last_;
      begin_chunk();
    } else if (last_ == kNone) {
      last_ = next_number(address);
      index_.insert(chunk, last_);
      return last_;
    }
    std::uint32_t& number = chunks_[last_ - kChunk][address % kChunkPages];
    if (number == kNone) number = next_number(address);
    return number;
  }
  /// kNone for a page that has not come.
  std::uint32_t find(std::uint64_t address) const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(addresses_.size()); }

  /// What of() is going to read, in two steps, so that it is in the caches by then.
  [[gnu::always_inline]] void prefetch_chunk(std::uint64_t address) const { index_.prefetch(address / kChunkPages); }
  [[gnu::always_inline]] std::uint32_t prefetch_number(std::uint64_t address) const {
    const std::uint32_t place = index_.guess(address / kChunkPages);
    if (place < kChunk) {
      __builtin_prefetch(addresses_.data() + place);
    } else if (place != kNone) {
      __builtin_prefetch(chunks_.data() + (place - kChunk));
      __builtin_prefetch(chunk_keys_.data() + (place - kChunk));
    }
    return place;
  }

  std::uint64_t address(std::uint32_t number) const { return addresses_[number]; }
  /// By dense number.
  GrowingTable<std::uint64_t> take_addresses() { return std::move(addresses_); }

 private:
  // What the index has for a chunk: the number of its only page, or kChunk and the place of its numbers.
  static constexpr std::uint32_t kChunk = std::uint32_t{1} << 31;
  using Numbers = std::array<std::uint32_t, kChunkPages>;

  std::uint32_t find_place(std::uint64_t chunk) const {
    return index_.find(chunk, [&](std::uint32_t place) {
      return (place < kChunk ? addresses_[place] / kChunkPages : chunk_keys_[place - kChunk]) == chunk;
    });
  }
  std::uint32_t next_number(std::uint64_t address) {
    addresses_.push_back(address);
    return size() - 1;
  }
  /// The chunk last found gets a second page.
  void begin_chunk();

  KeyIndex index_;  // of chunks
  GrowingTable<Numbers> chunks_;
  GrowingTable<std::uint64_t> chunk_keys_;  // of `chunks_`
  GrowingTable<std::uint64_t> addresses_;
  std::uint64_t last_chunk_ = ~std::uint64_t{0};
  std::uint32_t last_ = kNone;  // in the index
};

}  // namespace flashloom
