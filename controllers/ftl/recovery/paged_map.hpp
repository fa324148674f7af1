// What an FTL that pages its map in knows of its translation pages, for checkpoints of their directory.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace flashloom {

/// A bit a mapping unit.
class UnitBits {
 public:
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
  template <class Archive>
  void state(Archive& archive) {
    archive(words_);
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Translation pages are the units behind the host's.
struct PagedMap {
  std::uint32_t host_units = 0;
  UnitBits changed;  ///< host units whose entries are newer than their translation pages
};

}  // namespace flashloom
