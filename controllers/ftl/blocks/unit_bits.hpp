// A bit vector with one bit per mapping unit, or per piece of a table of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace flashloom {

class UnitBits {
 public:
  UnitBits() = default;
  explicit UnitBits(std::uint64_t units) { resize(units); }

  void resize(std::uint64_t units) { words_.resize((units + 63) / 64); }
  bool empty() const { return words_.empty(); }
  bool has(std::uint32_t unit) const { return ((words_[unit / 64] >> (unit % 64)) & 1) != 0; }
  void set(std::uint32_t unit) { words_[unit / 64] |= std::uint64_t{1} << (unit % 64); }
  void clear(std::uint32_t unit) { words_[unit / 64] &= ~(std::uint64_t{1} << (unit % 64)); }
  std::uint64_t count() const {
    std::uint64_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::uint64_t>(std::popcount(word));
    return count;
  }
  /// Clears the bits in [first, end), and calls f(unit) in order for each that was set.
  template <class F>
  void take(std::uint64_t first, std::uint64_t end, F&& f) {
    while (first < end) {
      const std::uint64_t word = first / 64;
      const std::uint64_t next = std::min(end, 64 * (word + 1));
      const std::uint64_t in_range = (kAll << (first % 64)) & (kAll >> (64 * (word + 1) - next));
      std::uint64_t taken = words_[word] & in_range;
      words_[word] &= ~in_range;
      for (; taken != 0; taken &= taken - 1)
        f(static_cast<std::uint32_t>(64 * word + static_cast<unsigned>(std::countr_zero(taken))));
      first = next;
    }
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(words_);
  }

 private:
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  std::vector<std::uint64_t> words_;
};

}  // namespace flashloom
