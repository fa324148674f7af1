// Gives the pages of a trace dense numbers, in the order in which they first come.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace flashloom {

/// Dense numbers for sparse ones: a hash table with open addressing that grows.
class DenseNumbers {
 public:
  DenseNumbers();
  /// The number that stands for `key`, the next free one if it is new.
  std::uint32_t of(std::uint64_t key) {
    std::size_t at = home(key);
    while (rows_[at].number != kEmpty) {
      if (rows_[at].key == key) return rows_[at].number;
      at = (at + 1) & mask_;
    }
    return add(key, at);
  }
  /// The number that stands for `key`; size() and above if none does.
  std::uint32_t find(std::uint64_t key) const;
  std::uint32_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  struct Row {
    std::uint64_t key = 0;
    std::uint32_t number = kEmpty;
  };
  std::size_t home(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15ULL) >> shift_; }
  std::uint32_t add(std::uint64_t key, std::size_t at);

  std::vector<Row> rows_;
  std::size_t mask_;
  int shift_;
  std::uint32_t size_ = 0;
};

/// Neighbouring pages share a chunk, which is found once: block traces come in runs.
class PageNumbers {
 public:
  static constexpr std::uint64_t kChunkPages = 16;  // a cache line of numbers
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The dense number of page `address`.
  std::uint32_t of(std::uint64_t address) {
    const std::uint64_t chunk = address / kChunkPages;
    if (chunk != last_chunk_) find(chunk);
    std::uint32_t& number = chunks_[last_][address % kChunkPages];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(addresses_.size());
      addresses_.push_back(address);
    }
    return number;
  }
  /// kNone for a page that has not come.
  std::uint32_t find_known(std::uint64_t address) const;
  std::uint64_t address(std::uint32_t number) const { return addresses_[number]; }
  /// By dense number.
  std::vector<std::uint64_t> take_addresses() { return std::move(addresses_); }

 private:
  void find(std::uint64_t chunk);

  DenseNumbers index_;
  std::vector<std::array<std::uint32_t, kChunkPages>> chunks_;
  std::vector<std::uint64_t> addresses_;
  std::uint64_t last_chunk_ = ~std::uint64_t{0};
  std::size_t last_ = 0;
};

}  // namespace flashloom
