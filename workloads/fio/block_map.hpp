// Which blocks of a region were visited: fio's random map (its axmap), a bitmap with levels of summary bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace flashloom {

class BlockMap {
 public:
  /// Takes one bit per block, plus 1/63 of that for the summaries.
  explicit BlockMap(std::uint64_t blocks) : blocks_(blocks) {
    for (std::uint64_t bits = blocks;; bits = words(bits)) {
      levels_.emplace_back(words(bits));
      if (bits <= kWord) break;
    }
    reset();
  }

  void reset() {
    std::uint64_t bits = blocks_;
    for (std::vector<std::uint64_t>& level : levels_) {
      std::fill(level.begin(), level.end(), 0);
      if (bits % kWord != 0) level.back() = ~std::uint64_t{0} << (bits % kWord);  // bits beyond the end are not free
      bits = words(bits);
    }
  }

  bool visited(std::uint64_t block) const { return (levels_[0][block / kWord] >> (block % kWord) & 1U) != 0; }

  void visit(std::uint64_t block) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[block / kWord];
      word |= std::uint64_t{1} << (block % kWord);
      if (~word != 0) return;
      block /= kWord;
    }
  }

  /// Visits up to `count` blocks from `first` on, and stops before one already visited; returns how many.
  std::uint64_t visit_run(std::uint64_t first, std::uint64_t count) {
    std::uint64_t done = 0;
    for (; done < count && first + done < blocks_ && !visited(first + done); ++done) visit(first + done);
    return done;
  }

  /// The first unvisited block at or after `from`, else the first from 0 on; nullopt if all were visited.
  std::optional<std::uint64_t> next_free(std::uint64_t from) const {
    if (const auto found = search(from)) return found;
    return search(0);
  }

 private:
  static constexpr std::uint64_t kWord = 64;
  static std::uint64_t words(std::uint64_t bits) { return (bits + kWord - 1) / kWord; }

  // Goes up the levels until a word has a free bit at or after the position, then down along the first free bits.
  std::optional<std::uint64_t> search(std::uint64_t from) const {
    std::size_t level = 0;
    for (;; ++level, from = from / kWord + 1) {
      if (level == levels_.size() || from / kWord >= levels_[level].size()) return std::nullopt;
      const std::uint64_t free = ~levels_[level][from / kWord] & (~std::uint64_t{0} << (from % kWord));
      if (free == 0) continue;
      from = from / kWord * kWord + static_cast<std::uint64_t>(std::countr_zero(free));
      break;
    }
    while (level-- > 0) from = from * kWord + static_cast<std::uint64_t>(std::countr_zero(~levels_[level][from]));
    return from;
  }

  std::uint64_t blocks_;
  std::vector<std::vector<std::uint64_t>> levels_;  // [0]: a bit per block; [n]: a bit per word of [n - 1], set if full
};

}  // namespace flashloom
