// Gives the pages of a trace dense numbers, in the order in which they first come.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "analysis/huge_pages.hpp"

namespace flashloom {

/// Dense numbers for sparse ones: a table up to kDirect, and a hash table with open addressing beyond.
class DenseNumbers {
 public:
  static constexpr std::uint64_t kDirect = std::uint64_t{1} << 24;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The number that stands for `key`, the next free one if it is new.
  std::uint32_t of(std::uint64_t key) {
    if (key < direct_.size() && direct_[key] != 0) return direct_[key] - 1;
    return key < kDirect ? add_direct(key) : of_hashed(key);
  }
  /// The same, kNone if there is none.
  std::uint32_t find(std::uint64_t key) const;
  std::uint32_t size() const { return size_; }

  /// What of() is going to read. Inlined by order: GCC takes a call of what only prefetches for one without effect.
  [[gnu::always_inline]] void prefetch(std::uint64_t key) const {
    if (key < direct_.size()) __builtin_prefetch(&direct_[key]);
  }
  /// What it will say, or anything where that takes longer to find out.
  std::uint32_t guess(std::uint64_t key) const { return key < direct_.size() ? direct_[key] - 1 : kNone; }

 private:
  struct Row {
    std::uint64_t key = 0;
    std::uint32_t number = kNone;
  };
  std::uint32_t add_direct(std::uint64_t key);
  std::uint32_t of_hashed(std::uint64_t key);
  /// The row of `key`, or the free one where it belongs.
  std::size_t place(std::uint64_t key) const;
  void grow();

  std::pmr::vector<std::uint32_t> direct_{&huge_pages()};  // number and 1; 0: none
  std::pmr::vector<Row> rows_{&huge_pages()};              // a power of two, or none
  std::uint32_t hashed_ = 0;
  std::uint32_t size_ = 0;
};

/// Neighbouring pages share a chunk, which is found once: block traces come in runs.
class PageNumbers {
 public:
  static constexpr std::uint64_t kChunkPages = 16;  // a cache line of numbers
  static constexpr std::uint32_t kNone = DenseNumbers::kNone;

  /// The dense number of page `address`.
  std::uint32_t of(std::uint64_t address) {
    const std::uint64_t chunk = address / kChunkPages;
    if (chunk != last_chunk_) find_chunk(chunk);
    std::uint32_t& number = chunks_[last_][address % kChunkPages];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(addresses_.size());
      addresses_.push_back(address);
    }
    return number;
  }
  /// kNone for a page that has not come.
  std::uint32_t find(std::uint64_t address) const;

  /// What of() is going to read, in two steps, so that it is in the caches by then.
  [[gnu::always_inline]] void prefetch_chunk(std::uint64_t address) const { index_.prefetch(address / kChunkPages); }
  [[gnu::always_inline]] void prefetch_number(std::uint64_t address) const {
    const std::uint32_t chunk = index_.guess(address / kChunkPages);
    if (chunk < chunks_.size()) __builtin_prefetch(&chunks_[chunk][address % kChunkPages]);
  }

  std::uint64_t address(std::uint32_t number) const { return addresses_[number]; }
  /// By dense number.
  std::pmr::vector<std::uint64_t> take_addresses() { return std::move(addresses_); }

 private:
  void find_chunk(std::uint64_t chunk) {
    last_ = index_.of(chunk);
    last_chunk_ = chunk;
    if (last_ == chunks_.size()) chunks_.emplace_back().fill(kNone);
  }

  DenseNumbers index_;  // of chunks
  std::pmr::vector<std::array<std::uint32_t, kChunkPages>> chunks_{&huge_pages()};
  std::pmr::vector<std::uint64_t> addresses_{&huge_pages()};
  std::uint64_t last_chunk_ = ~std::uint64_t{0};
  std::uint32_t last_ = 0;
};

}  // namespace flashloom
